/** Which repositories a run has yet to read, and what runs could not read: `.satchel/run.json`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import {
  type Disk,
  judgeProcess,
  parsedJson,
  systemProcesses,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { stateDir } from './module-index.ts'

const place = { repository: z.string(), name: z.string(), known: z.boolean() }

const stored = z.object({
  format: z.literal(1),
  began_at: z.string(),
  /** null: the run has not ended, or its process was killed. */
  ended_at: z.string().nullable(),
  pid: z.number().int(),
  start: z.string().optional(),
  host: z.string(),
  repositories: z.number().int(),
  /** `known`: the index has what an earlier run read of it. */
  waiting: z.array(z.object(place)),
  failures: z.number().int(),
  /** The first of them. */
  failed: z.array(
    z.object({ ...place, ref: z.string().optional(), path: z.string().optional(), reason: z.string() }),
  ),
})

export type RunState = Omit<z.output<typeof stored>, 'format' | 'pid' | 'start' | 'host'>
export type WaitingRepository = RunState['waiting'][number]
export type FailedPlace = RunState['failed'][number]

/** Failures that are kept by name; the rest is counted. */
const MAX_FAILED = 50

/** Replaces the state; `state.failed` may be of any length. */
export async function saveRunState(outputDir: string, state: RunState, disk?: Disk): Promise<void> {
  const { pid, start, host } = systemProcesses.self
  const failed = state.failed.slice(0, MAX_FAILED)
  const text = JSON.stringify({ format: 1, ...state, failed, pid, start, host })
  await writeFileDurably(pathOf(outputDir), text, { disk })
}

/**
 * The state of the last run, and whether it still runs; undefined where none was kept. A damaged file is no reason to
 * refuse an answer: it counts as none.
 */
export async function loadRunState(
  outputDir: string,
): Promise<(RunState & { readonly isRunning: boolean }) | undefined> {
  const text = await readFile(pathOf(outputDir), 'utf8').catch(() => undefined)
  const read = text === undefined ? undefined : stored.safeParse(parsedJson(text)).data
  if (read === undefined) return undefined
  const { pid, start, host, format: _, ...state } = read
  const isRunning = state.ended_at === null && judgeProcess(systemProcesses, { pid, start, host }) !== 'dead'
  return { ...state, isRunning }
}

function pathOf(outputDir: string): string {
  return join(stateDir(outputDir), 'run.json')
}
