import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  errorBody,
  type Host,
  isSatchelError,
  judgeProcess,
  makeDirectoryDurably,
  type Principal,
  removeFile,
  systemProcesses,
  type TaskState,
  type Tasks,
  writeFileDurably,
} from '../../../server/plugin.ts'

/** A task as its file holds it: the state, whose it is, and the process that works on it. */
interface TaskRow {
  readonly task: TaskState
  readonly owner: string
  readonly pid: number
  readonly start: string | undefined
}

/** The work of a task: returns its answer and reports progress with `say`. */
export type TaskWork = (
  signal: AbortSignal,
  say: (message: string) => void,
) => Promise<{ readonly data: unknown; readonly text: string }>

/** The durable tasks of this plugin (mcp design 7): one file each, under the output directory of its run. */
export interface IngestTasks extends Tasks {
  /** Resolves once the row is on disk; the work continues in the background. */
  start(principal: Principal, stateDir: string, work: TaskWork): Promise<TaskState>
  /** Number of tasks at work in this process. */
  running(): number
  /** Aborts running work and waits until its files record that. */
  stop(): Promise<void>
}

const TTL_MS = 24 * 3_600_000
const POLL_MS = 1000
const SAY_EVERY_MS = 1000
const INTERRUPTED = 'interrupted; call ingest_modules again'

/** `configuredDir`: where a client that restarted its server finds the tasks it began before. */
export function createIngestTasks(host: Host, configuredDir: string): IngestTasks {
  const directories = new Set([configuredDir])
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>()

  const find = async (principal: Principal, taskId: string): Promise<TaskState | undefined> => {
    if (!/^task_[0-9a-f]{32}$/.test(taskId)) return undefined
    for (const directory of directories) {
      const row = await readRow(fileOf(directory, taskId))
      if (row === undefined) continue
      const isOver = isExpired(row.task, host.now())
      return row.owner === principal.id && !isOver ? stateNow(row) : undefined
    }
    return undefined
  }
  return {
    get: find,
    update: (principal, taskId) => find(principal, taskId), // an ingest never asks anything
    async cancel(principal, taskId) {
      const task = await find(principal, taskId)
      if (task !== undefined) running.get(taskId)?.abort.abort()
      return task
    },
    async start(principal, stateDir, work) {
      directories.add(stateDir)
      await makeDirectoryDurably(join(stateDir, 'tasks'))
      await sweep(stateDir, host.now())
      const file = openTaskFile(host, principal.id, stateDir)
      const state = await file.save({ status: 'working', statusMessage: 'started' })
      const abort = new AbortController()
      const signal = AbortSignal.any([abort.signal, host.signal])
      const done = perform(file, signal, work).finally(() => running.delete(state.taskId))
      running.set(state.taskId, { abort, done })
      return state
    },
    running: () => running.size,
    async stop() {
      for (const { abort } of running.values()) abort.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

interface TaskFile {
  save(change: Partial<TaskState>): Promise<TaskState>
  say(message: string): void
}

/** Writes of one task follow each other; `say` writes at most once a second. */
function openTaskFile(host: Host, owner: string, stateDir: string): TaskFile {
  const taskId = `task_${randomBytes(16).toString('hex')}`
  const createdAt = host.now().toISOString()
  let state: TaskState = {
    taskId,
    status: 'working',
    createdAt,
    lastUpdatedAt: createdAt,
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_MS,
  }
  let writing: Promise<unknown> = Promise.resolve()
  let saidMs = host.now().getTime()
  const save = async (change: Partial<TaskState>): Promise<TaskState> => {
    state = { ...state, ...change, lastUpdatedAt: host.now().toISOString() }
    const row: TaskRow = { task: state, owner, pid: process.pid, start: systemProcesses.self.start }
    const write = writing.then(() => writeFileDurably(fileOf(stateDir, taskId), JSON.stringify(row)))
    writing = write.catch(() => undefined) // the caller of `save` gets the error; the next save tries again
    await write
    host.taskChanged(taskId, [owner])
    return row.task
  }
  return {
    save,
    say(message) {
      if (host.now().getTime() - saidMs < SAY_EVERY_MS) return
      saidMs = host.now().getTime()
      save({ statusMessage: message.slice(0, 240) }).catch((error: unknown) => {
        host.log.warn('a task could not say how far it is', { error })
      })
    },
  }
}

/** Never rejects: every outcome is written as the end of the task. */
async function perform(file: TaskFile, signal: AbortSignal, work: TaskWork): Promise<void> {
  const end = await ending(file, signal, work)
  await file.save(end).catch(() => undefined) // the disk failed: the file goes on saying "working" of a process that ends
}

async function ending(file: TaskFile, signal: AbortSignal, work: TaskWork): Promise<Partial<TaskState>> {
  try {
    return { status: 'completed', statusMessage: 'done', outcome: await work(signal, file.say) }
  } catch (thrown) {
    if (signal.aborted) return { status: 'cancelled', statusMessage: 'cancelled' }
    if (isSatchelError(thrown)) {
      return { status: 'completed', statusMessage: thrown.reason, outcome: { error: errorBody(thrown) } }
    }
    return { status: 'failed', statusMessage: 'failed', failure: 'Internal error' }
  }
}

/** The state of a row now: work of a process that has ended was interrupted. */
function stateNow({ task, pid, start }: TaskRow): TaskState {
  if (task.status !== 'working' || isAlive(pid, start)) return task
  return { ...task, status: 'failed', statusMessage: 'interrupted', failure: INTERRUPTED }
}

function isAlive(pid: number, start: string | undefined): boolean {
  const { host } = systemProcesses.self
  return judgeProcess(systemProcesses, { pid, start, host }) !== 'dead'
}

function isExpired(task: TaskState, now: Date): boolean {
  return task.ttlMs !== null && now.getTime() > Date.parse(task.createdAt) + task.ttlMs
}

async function sweep(stateDir: string, now: Date): Promise<void> {
  const directory = join(stateDir, 'tasks')
  for (const name of await readdir(directory).catch(() => [])) {
    const path = join(directory, name)
    const row = /^task_[0-9a-f]{32}\.json$/.test(name) ? await readRow(path) : undefined
    if (row && isExpired(row.task, now)) await removeFile(path)
  }
}

async function readRow(path: string): Promise<TaskRow | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as TaskRow // our own file, written whole
  } catch {
    return undefined
  }
}

function fileOf(stateDir: string, taskId: string): string {
  return join(stateDir, 'tasks', `${taskId}.json`)
}
