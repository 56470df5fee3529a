import { opendir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { counted, defineCommand, type Host, type Terminal } from '../../server/plugin.ts'
import { captureSkeleton } from './actions/hook-capture.ts'
import {
  endClaim,
  type HookCall,
  type Noted,
  noteNudged,
  noteShown,
  noteStart,
  renewClaim,
} from './actions/hook-session.ts'
import { logBefore, logGiven } from './actions/log-retention.ts'
import { isToldAt, startContext } from './actions/start-context.ts'
import { nudge } from './actions/stop-nudge.ts'
import { sessionName } from './domain/record-id.ts'
import { folderWithStore } from './git/folder-with-store.ts'
import { type HookInput, readHookInput } from './hook-input.ts'
import { type HookTimes, leftOf, type TimeSpent, timeFromNow, timeOfProcess } from './hook-limit.ts'
import { hurriedEvidence } from './hurried-evidence.ts'
import type { Handoffs, Project } from './project.ts'
import { namedSession } from './session.ts'
import type { Shortcomings } from './store/index-state.ts'
import type { FileTable } from './store/record-table.ts'

const EVENTS = ['pre-compact', 'session-start', 'session-end', 'stop'] as const

/** Time limits in milliseconds: a slow hook blocks the compaction of its harness (design handoff-store, section 3). */
export const HOOK_LIMITS = {
  /** From the start of the process: waiting and computing, not what a busy machine keeps it from (decision 146). */
  totalMs: 1800,
  /** From the start of the process, by the clock. */
  wallMs: 8000,
  /** For a write that has begun when the limit is reached. */
  writeMs: 5000,
  /** A harness may leave its end of standard input open. */
  inputMs: 300,
  /** Each git command. */
  gitMs: 400,
  /** The checks of other plugins, all together. */
  evidenceMs: 500,
  /** For a last look at the folder of records when the time is over, on a disk that may not answer. */
  lookMs: 100,
}
/** Share of the remaining time for reading records; git, the brief and a write need the rest. */
const READING_SHARE = 0.5

/**
 * `satchel handoff hook EVENT`: called by a harness. It always ends in time with exit code 0; a failure is one line on
 * stderr. Writes nothing in a project without a store.
 */
export function hookCommand(
  handoffs: Handoffs,
  host: Pick<Host, 'verb'>,
  limits = HOOK_LIMITS,
  spentSince = host.verb === undefined ? timeFromNow : () => timeOfProcess,
) {
  return defineCommand({
    cli: 'handoff hook',
    title: 'Harness hook',
    description:
      'For harnesses: pre-compact saves a draft, session-start prints the brief, stop renews the claim and session-end ends it. Reads JSON on stdin; always exits 0.',
    positional: ['event'],
    input: z.object({
      event: z.string().describe(`one of ${EVENTS.join(', ')}`),
      harness: z.string().optional().describe('the caller: claude-code, codex, …'),
    }),
    example: 'satchel handoff hook session-start --harness claude-code',
    async run(ctx, { event, harness }, terminal) {
      const stop = stopAfter(limits, spentSince())
      const begun: Begun = { writes: new Set() }
      const call = { event, harness, terminal, limits, signal: stop.signal, leftMs: stop.leftMs, begun }
      const work = answer(handoffs, call).catch(describe)
      const shortcoming = await Promise.race([work, stop.late.then(() => finishLate(call, work))]).finally(
        stop.clear,
      )
      if (shortcoming !== undefined) {
        ctx.log.debug('a hook did not finish its work', { event, shortcoming })
        terminal.note(`satchel handoff hook ${event.slice(0, 40)}: ${shortcoming}`)
      }
      return 0
    },
  })
}

/** Aborts the signal when no time is left, and resolves `late` for work that ignores it. */
function stopAfter(limits: HookTimes, spent: () => TimeSpent) {
  const stop = new AbortController()
  const leftMs = () => leftOf(spent(), limits)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    const look = (): void => {
      const ms = leftMs()
      if (ms > 0) {
        timer = setTimeout(look, Math.ceil(ms))
        return
      }
      resolve()
      stop.abort()
    }
    look()
  })
  return { signal: stop.signal, late, leftMs, clear: () => clearTimeout(timer) }
}

/** What of the work must not be forgotten when its time is over. */
interface Begun {
  readonly writes: Set<Promise<unknown>>
  /** The project and how the session started, once they are known. */
  project?: Project
  source?: string | undefined
  /** A start has printed its brief or line. */
  hasSpoken?: true
}

/**
 * Ends a hook whose time is over. A write of the store that has begun is let finish: what a session did before its
 * compaction is known nowhere else. A start that has not spoken says at least that there is something to read.
 */
async function finishLate({ event, begun, limits, terminal }: Run, work: Promise<unknown>) {
  if (begun.writes.size > 0) {
    const timer = new AbortController()
    const { signal } = timer
    const over = pause(limits.writeMs, undefined, { signal, ref: false }).catch(() => undefined)
    await Promise.race([Promise.allSettled([...begun.writes, work]), over])
    timer.abort()
  }
  const mayStillTell = event === 'session-start' && !begun.hasSpoken && (await mayTell(begun, limits.lookMs))
  // The work goes on meanwhile, and a harness reads one answer.
  if (mayStillTell && !begun.hasSpoken) {
    begun.hasSpoken = true
    terminal.write(`${JSON.stringify(startOutput(UNREAD))}\n`)
  }
  return 'it took too long'
}

const UNREAD =
  'This project has handoff records of earlier sessions. There was no time to read them: handoff_resume gives the latest one, or at the command line satchel handoff resume.'

/** Whether a start may speak, and there is a record. The folder is opened, not listed. */
async function mayTell({ project, source }: Begun, lookMs: number): Promise<boolean> {
  if (!project || !isToldAt(project, source) || !project.store.keepsFiles) return false
  const look = opendir(project.store.layout.records).then(async (folder) => {
    const first = await folder.read()
    await folder.close()
    return first !== null
  })
  return Promise.race([look.catch(() => false), pause(lookMs, false)])
}

/** The project, whose writes are known while they are under way. */
function withKnownWrites(project: Project, { writes }: Begun): Project {
  const known = <T>(write: Promise<T>): Promise<T> => {
    writes.add(write)
    const done = () => writes.delete(write)
    write.then(done, done)
    return write
  }
  const { store } = project
  return {
    ...project,
    store: {
      ...store,
      create: (id, text) => known(store.create(id, text)),
      update: (id, ifMatch, edit) => known(store.update(id, ifMatch, edit)),
    },
  }
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : 'it failed'
}

interface Run {
  readonly event: string
  readonly harness: string | undefined
  readonly terminal: Terminal
  readonly limits: typeof HOOK_LIMITS
  readonly signal: AbortSignal
  readonly begun: Begun
  leftMs(): number
}

/** Handles the event; returns what it could not do, if anything. */
async function answer(handoffs: Handoffs, run: Run): Promise<string | undefined> {
  const { event, terminal, limits, signal } = run
  if (!EVENTS.some((known) => known === event))
    return `there is no such event; there are ${EVENTS.join(', ')}`
  const input = await readHookInput(terminal.stdin, limits.inputMs)
  if (!input) return 'no readable JSON object came on standard input'
  if (input.cwd === undefined) return 'its input names no cwd'
  const root = await rootOf(handoffs, input.cwd)
  if (root === undefined) return undefined
  const opened = handoffs.hookProject(root, { limitMs: limits.gitMs, signal })
  const evidence = hurriedEvidence(handoffs.evidence, limits.evidenceMs)
  const project = withKnownWrites({ ...opened, evidence }, run.begun)
  run.begun.project = project
  run.begun.source = input.source
  const records = readingOf(project, run)
  const call: HookCall = { ...callOf(project, input, run.harness), ask: records.ask }
  const noted = await noteStart(call)
  if (event === 'session-start') {
    const damage = await speak(call, noted, { ...run, isUnread: records.isUnread })
    if (damage !== undefined) return damage
  } else if (event === 'pre-compact') {
    await captureSkeleton(call, noted)
    await logBefore(call, noted)
  } else if (event === 'stop') {
    await renewClaim(call)
    await remind(call, noted, run)
  } else await endClaim(call)
  return records.shortcoming()
}

/** Prints what the person at the session is reminded of, if anything. */
async function remind(call: HookCall, noted: Noted, { terminal, signal }: Run): Promise<void> {
  const systemMessage = await nudge(call, noted)
  if (systemMessage === undefined || signal.aborted) return
  terminal.write(`${JSON.stringify({ systemMessage })}\n`)
  if (await terminal.flush()) await noteNudged(call)
}

/** Prints what a session is told at its start; returns what it could not read, if anything. */
async function speak(
  call: HookCall,
  noted: Noted,
  { begun, terminal, isUnread }: Run & { isUnread(): boolean },
): Promise<string | undefined> {
  const { text = unreadIn(call, isUnread()), damage, ...shown } = await startContext(call, noted)
  if (!text) await logGiven(call, '')
  if (text && !begun.hasSpoken) {
    begun.hasSpoken = true
    terminal.write(`${JSON.stringify(startOutput(text))}\n`)
    const isHeard = await terminal.flush()
    if (isHeard) await noteShown(call, shown)
    await logGiven(call, isHeard ? text : '')
  }
  return damage
}

function unreadIn({ project, source }: HookCall, isUnread: boolean): string | undefined {
  return isUnread && isToldAt(project, source) ? UNREAD : undefined
}

/** Asks for as many records as a hook has time to read, and tells how many are missing. */
function readingOf(project: Project, run: Run) {
  let missed: Shortcomings | undefined
  return {
    async ask<T>(question: (table: FileTable) => Promise<T> | T): Promise<T> {
      const { answer, ...shortcomings } = await project.index.askWithin(
        run.leftMs() * READING_SHARE,
        question,
      )
      // What is read later was not there for what is said already.
      if (!missed?.unread) missed = shortcomings
      return answer
    },
    isUnread: () => (missed?.unread ?? 0) > 0,
    shortcoming: () => missed && shortcomingOf(missed),
  }
}

function shortcomingOf({ unread, unchecked }: Shortcomings): string | undefined {
  if (unread > 0) return `${counted(unread, 'record was', 'records were')} not read in time; the newest were`
  if (unchecked === 0) return undefined
  return `${counted(unchecked, 'record was', 'records were')} not checked for changes in time`
}

function startOutput(additionalContext: string) {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } }
}

function callOf(project: Project, input: HookInput, harness: string | undefined): Omit<HookCall, 'ask'> {
  const given = input.sessionId === undefined ? undefined : sessionName(input.sessionId)
  return {
    project,
    session: project.env['SATCHEL_SESSION']
      ? namedSession(project.env)
      : (given ?? namedSession(project.env)),
    harness: harness ?? (project.env['CLAUDECODE'] === '1' ? 'claude-code' : 'generic'),
    source: input.source,
  }
}

/** The project of a hook: that of the folder with a store, or with a database the one of this process. */
async function rootOf(handoffs: Handoffs, cwd: string): Promise<string | undefined> {
  const own = await handoffs.ownProject()
  return own.store.keepsFiles ? folderWithStore(cwd, handoffs.config.store) : own.root
}
