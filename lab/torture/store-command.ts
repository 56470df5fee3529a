import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { defineHostVerb } from '../../server/cli/host-verb.ts'
import { printDocument } from '../../server/cli/render.ts'
import { labContext } from '../context.ts'
import { directoryFlag } from '../directory-flag.ts'
import { createChance } from './chance.ts'
import type { KillOptions, KillReport } from './kills.ts'
import type { PowerCutOptions, PowerCutReport } from './power-cuts.ts'

/** The crash tests of one store of files. */
export interface StoreTorture {
  /** Cuts after every disk change of a short run. */
  everywhere(seed: number): Promise<PowerCutReport>
  /** Cuts in runs that follow from the seed. */
  cuts(options: Omit<PowerCutOptions, 'live'>): Promise<PowerCutReport>
  /** Kills processes that work in `directory`. */
  kills(directory: string, options: Omit<KillOptions, 'judge' | 'withinMs'>): Promise<KillReport>
  /** What such a process does until it is killed. */
  work(directory: string, seed: number): Promise<never>
}

interface StoreSubject {
  readonly subject: string
  readonly summary: string
  readonly description: string
  readonly kills: number
  readonly points: number
  /** What the report says when nothing is broken. */
  readonly kept: string
  load(env: Readonly<Record<string, string | undefined>>): Promise<StoreTorture>
}

const BROKEN_EXIT = 3 // design surface: a finding
const MINUTE_MS = 60_000
const CUTS_END_AT = 0.6 // of the time; the kills get the rest

/** `satchel torture <subject>` for a store of files: every cut of a short run, random cuts, real kills. */
export function storeVerb({ subject, summary, description, kills, points, kept, load }: StoreSubject) {
  return defineHostVerb({
    path: ['torture', subject],
    summary,
    description: `${description} Prints the seed; exits 3 if a promise was broken. Works in a temporary folder and removes it.`,
    input: z.object({
      seed: z.coerce.number().int().min(0).optional().describe('repeats a run; absent: a new one'),
      kills: z.coerce.number().int().min(0).default(kills).describe('processes to kill'),
      points: z.coerce.number().int().min(0).default(points).describe('random power cuts to simulate'),
      minutes: z.coerce.number().positive().optional().describe('end at what was reached by then'),
      dir: directoryFlag('folder on the disk to try'),
      victim: z.string().optional().describe('used by the run itself: work in this folder until killed'),
    }),
    examples: [`satchel torture ${subject} --kills 10 --points 1000`],
    async run(world, { seed = Date.now() % 2 ** 31, minutes, dir, victim, ...wanted }) {
      const torture = await load(world.terminal.env)
      if (victim !== undefined) return await torture.work(victim, seed)
      const { program, note, signal } = labContext(world)
      const began = performance.now()
      const spent = (share: number) => (): boolean =>
        signal.aborted ||
        performance.now() - began > (minutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS * share

      note('a power cut after every disk change of a short run')
      const everywhere = await torture.everywhere(seed)
      note(`${wanted.points} random power cuts`)
      const cuts = await torture.cuts({ seed, points: wanted.points, stop: spent(CUTS_END_AT) })
      note(`${wanted.kills} kills`)
      const directory = await mkdtemp(join(dir ?? tmpdir(), 'satchel-torture-'))
      const kills = await torture.kills(directory, {
        chance: createChance(seed),
        kills: wanted.kills,
        victim: (n) => [...program, 'torture', subject, '--victim', directory, '--seed', String(seed + n)],
        stop: spent(1),
      })
      const failures = [everywhere, cuts, kills].flatMap(({ failure }) => failure ?? [])
      const isBroken = failures.length > 0
      if (!kills.failure) await rm(directory, { recursive: true, force: true })
      const report = { seed, every_change: everywhere, power_cuts: cuts, kills, failed: isBroken }
      if (world.terminal.json) printDocument(world.terminal, report)
      else {
        const lines = [
          `seed ${seed}`,
          `every change ${everywhere.points} points, ${everywhere.nested} more in the middle of a recovery`,
          `power cuts   ${cuts.points} points, ${cuts.nested} more in the middle of a recovery`,
          `kills        ${kills.kills} processes, ${kills.acknowledged} answers`,
          isBroken ? 'BROKEN' : kept,
          ...(kills.failure ? [`The folder is kept: ${directory}`] : []),
          ...failures.map((failure) => JSON.stringify(failure)),
        ]
        world.terminal.write(`${lines.join('\n')}\n`)
      }
      return isBroken ? BROKEN_EXIT : 0
    },
  })
}
