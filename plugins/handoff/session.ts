import { randomBytes } from 'node:crypto'
import { type CallContext, systemProcesses } from '../../server/plugin.ts'
import { sessionName } from './domain/record-id.ts'
import type { Project } from './project.ts'
import { ancestorsOfProcess, loadSessions, noteSession, sessionAmong } from './store/sessions.ts'

/** On stdio one process serves one session, under a random name. */
const PROCESS_SESSION = `s-${randomBytes(8).toString('hex')}`
/** Variables in which a harness gives its servers and hooks the id of their session. */
const HARNESS_VARIABLES = ['CLAUDE_CODE_SESSION_ID'] as const

type Caller = Pick<CallContext, 'localTransport'>
type Place = Pick<Project, 'env' | 'store'>

/**
 * The calling session (design round-2, section 2): that of `SATCHEL_SESSION`; else that of the harness's variable; else
 * the one that a hook noted for an ancestor of this process; else this stdio process. Calls over HTTP and bare commands
 * have none.
 */
export async function sessionOf(ctx: Caller, project: Place): Promise<string | undefined> {
  if (ctx.localTransport === undefined) return undefined
  const named = namedSession(project.env)
  if (named !== undefined) return named
  const { disk, layout } = project.store
  const noted = await loadSessions(disk, layout)
  const found = noted.length > 0 ? sessionAmong(noted, ancestorsOfProcess()) : undefined
  return found?.session ?? (ctx.localTransport === 'stdio' ? PROCESS_SESSION : undefined)
}

/** The session that the environment names. */
export function namedSession(env: Project['env']): string | undefined {
  const id = env['SATCHEL_SESSION'] || HARNESS_VARIABLES.map((name) => env[name]).find((value) => value)
  return id ? sessionName(id) : undefined
}

/** Every name under which the calling session may have written: its hook may have been later than its first record. */
export async function sessionNames(ctx: Caller, project: Place): Promise<readonly string[]> {
  const session = await sessionOf(ctx, project)
  if (session === undefined) return []
  return ctx.localTransport === 'stdio' ? [...new Set([session, PROCESS_SESSION])] : [session]
}

/** Notes a server that wrote under its own name, so that a later hook finds its records. Never fails. */
export async function noteServer(project: Place & Pick<Project, 'now'>, session: string | undefined) {
  if (session !== PROCESS_SESSION) return
  const { pid, start = '' } = systemProcesses.self
  const { disk, layout } = project.store
  const ancestors = ancestorsOfProcess()
  const noted = { session, at: project.now().toISOString(), ancestors, shown: false, process: { pid, start } }
  await noteSession(disk, layout, noted).catch(() => undefined) // without it only a later hook is worse off
}

/**
 * Notes what a session goes on with, on this machine: its next note or record continues that. Never fails. A session that
 * no hook noted gets an entry without ancestors, by which no other process is taken for it.
 */
export async function noteGiven(
  project: Place & Pick<Project, 'now'>,
  session: string | undefined,
  given: string,
): Promise<void> {
  if (session === undefined) return
  const { disk, layout } = project.store
  const known = (await loadSessions(disk, layout)).find((noted) => noted.session === session)
  const at = project.now().toISOString()
  const noted = known ?? { session, ancestors: [], shown: false }
  await noteSession(disk, layout, { ...noted, at, given }).catch(() => undefined) // a claim says it, too
}
