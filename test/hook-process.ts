import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestProject } from '../plugins/handoff/testing/fixture.ts'
import { endedProcess } from './harness/ended-process.ts'

const SATCHEL = join(import.meta.dirname, '../dist/satchel.js')
export const EVENTS = ['pre-compact', 'session-start', 'session-end', 'stop']
/** Ends a hook that never ends by itself, long before the commands that the tests make hang. */
const HUNG_MS = 120_000

/** What a hook did. */
export interface Answered {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface HookOptions extends SpawnOptions {
  readonly flags?: readonly string[]
  /** More arguments of Node. */
  readonly preload?: string
  readonly program?: readonly [node: string, satchel: string]
}

/** A hook as a harness runs it, with the words after `hook`. `input` undefined: standard input is never closed. */
async function runHook(
  project: TestProject,
  event: string | readonly string[],
  input: string | undefined,
  {
    flags = [],
    program: [node, satchel] = [process.execPath, SATCHEL],
    env = {},
    preload = '',
    ...options
  }: HookOptions = {},
): Promise<Answered> {
  const { CLAUDE_PROJECT_DIR: _, SATCHEL_PROJECT: _2, SATCHEL_SESSION: _3, ...inherited } = process.env
  const nodeOptions = env['NODE_OPTIONS'] ?? process.env['NODE_OPTIONS'] ?? ''
  const child = spawn(node, [satchel, 'handoff', 'hook', ...[event].flat(), ...flags], {
    cwd: project.root,
    env: { ...inherited, ...env, NODE_OPTIONS: `${nodeOptions} ${preload}` },
    ...options,
    stdio: 'pipe',
    timeout: HUNG_MS,
    killSignal: 'SIGKILL',
  })
  child.stdin?.on('error', () => {}) // a hook that has read enough closes its end
  if (input !== undefined) child.stdin?.end(input)
  const { code, out, err } = await endedProcess(child)
  return { code, stdout: out, stderr: err }
}

/** What a hook says that reached its time limit before it finished its work. */
const RAN_OUT = /it took too long/

/** A script for Node's `--import`. */
export const imported = (script: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(script)}`

/**
 * Makes the processor time of a process its only time, so that waiting for a processor on a busy machine takes none.
 * From the moment that the file `waitsFrom` exists, time that the process spends waiting counts too.
 */
export const processorTime = (waitsFrom = ''): string =>
  imported(`
    import { existsSync } from 'node:fs'
    const wallMs = performance.now.bind(performance)
    const start = Date.now()
    let waitsSinceMs
    const spentMs = () => {
      const { user, system } = process.cpuUsage()
      if (waitsSinceMs === undefined && existsSync(${JSON.stringify(waitsFrom)})) waitsSinceMs = wallMs()
      return (user + system) / 1000 + (waitsSinceMs === undefined ? 0 : wallMs() - waitsSinceMs)
    }
    performance.now = spentMs
    process.uptime = () => spentMs() / 1000
    Date.now = () => start + spentMs()
    const schedule = globalThis.setTimeout
    globalThis.setTimeout = (then, ms = 1, ...given) => {
      const endMs = spentMs() + ms
      const timer = schedule(() => spentMs() < endMs ? timer.refresh() : then(...given), ms)
      return timer
    }
  `)

/** Runs a hook and asserts what holds even for one that reaches its time limit: exit code 0, at most one line on stderr, JSON or nothing on stdout. */
export async function endsWell(
  project: TestProject,
  event: string | readonly string[],
  input: string | undefined,
  options?: HookOptions,
): Promise<Answered> {
  const answered = await runHook(project, event, input, options)
  assert.equal(answered.code, 0, `${event}: ${answered.stderr}`)
  assert.ok(answered.stderr.split('\n').length <= 2, `${event}: ${answered.stderr}`)
  if (answered.stdout !== '') assert.equal(typeof JSON.parse(answered.stdout), 'object')
  return answered
}

export interface FinishOptions extends HookOptions {
  readonly tries?: number
}

/**
 * Runs a hook that must finish its work within its limit, counted in processor time. It gets five tries, because garbage
 * collection may delay one.
 */
export async function finishes(
  project: TestProject,
  event: string,
  input: string,
  { preload = '', tries = 5, ...options }: FinishOptions = {},
): Promise<Answered> {
  for (let left = tries - 1; ; left--) {
    const inProcessorTime = { ...options, preload: `${processorTime()} ${preload}` }
    const answered = await endsWell(project, event, input, inProcessorTime)
    if (!RAN_OUT.test(answered.stderr)) return answered
    assert.ok(left > 0, `${event} took too much processor time`)
  }
}

export const inputFor = (project: TestProject, more: object = {}) =>
  JSON.stringify({ session_id: 'one', cwd: project.root, source: 'compact', trigger: 'auto', ...more })
