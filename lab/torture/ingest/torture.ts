import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutEverywhere, cutPower } from '../power-cuts.ts'
import type { StoreTorture } from '../store-command.ts'
import { killIngests } from './kills.ts'
import { type IngestLives, ingestLives } from './life.ts'
import { makeRemotes, openIngestStage } from './stage.ts'
import { work } from './victim.ts'

type Env = Readonly<Record<string, string | undefined>>

const NEXT_RUNS = 0.5

/** The crash tests of an ingest. */
export function ingestTorture(env: Env): StoreTorture {
  return {
    everywhere: (seed) => withLives(env, ({ short }) => cutEverywhere({ seed, live: short })),
    cuts: (options) => withLives(env, ({ long }) => cutPower({ ...options, live: long })),
    kills: (directory, options) => killIngests(directory, env, options),
    work: (directory) => work(directory, env),
  }
}

/** The remotes and their clones lie in a folder that is removed afterwards. */
async function withLives<T>(env: Env, use: (lives: IngestLives) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'satchel-torture-'))
  await makeRemotes(dir)
  const stage = await openIngestStage(dir, env)
  try {
    return await use(ingestLives(stage, { nextRuns: NEXT_RUNS }))
  } finally {
    await stage.close()
    await rm(dir, { recursive: true, force: true })
  }
}
