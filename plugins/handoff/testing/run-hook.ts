import { Readable } from 'node:stream'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { quietTerminal } from '../../../test/fixtures/quiet-terminal.ts'
import { type TimeSpent, timeFromNow } from '../hook-limit.ts'
import { HOOK_LIMITS, hookCommand } from '../hooks.ts'
import { createHandoffs } from '../project.ts'
import { contextOf, type TestProject, testHost } from './fixture.ts'

export interface HookRun {
  readonly code: number
  readonly stdout: string
  readonly notes: string[]
}

/** Limits that a busy machine does not reach: each part must end by its own limit. */
export const PATIENT = {
  ...HOOK_LIMITS,
  totalMs: 600_000,
  wallMs: 600_000,
  gitMs: 60_000,
  evidenceMs: 60_000,
  lookMs: 60_000,
}

interface HookParts {
  readonly disk?: Disk
  readonly limits?: typeof HOOK_LIMITS
  readonly spent?: () => TimeSpent
  /** By which reading many files ends; absent: that of the system. */
  readonly clock?: () => number
  /** False: what it prints does not leave the process. A promise: it does, and the hook is told later. */
  readonly isHeard?: boolean | Promise<boolean>
}

/** Runs a hook as the command line does, with `stdin` as its input. */
export async function runHook(
  project: TestProject,
  event: string,
  stdin: Readable | Record<string, unknown> | string,
  {
    disk = realDisk,
    limits = PATIENT,
    spent = timeFromNow(),
    clock = Date.now,
    isHeard = true,
  }: HookParts = {},
): Promise<HookRun> {
  const host = testHost(project.root, project.now, project.env)
  const command = hookCommand(createHandoffs(host, project.config, { disk, clock }), {}, limits, () => spent)
  let stdout = ''
  const notes: string[] = []
  const input =
    stdin instanceof Readable
      ? stdin
      : Readable.from([typeof stdin === 'string' ? stdin : JSON.stringify(stdin)])
  const write = (text: string): void => {
    if (isHeard !== false) stdout += text
  }
  const terminal = quietTerminal(write, {
    stdin: input,
    flush: () => Promise.resolve(isHeard),
    note: (line) => notes.push(line),
  })
  const { log, signal } = contextOf(project.root)
  const code = await command.run({ log, signal, projectRoot: project.root }, { event }, terminal)
  return { code, stdout, notes }
}
