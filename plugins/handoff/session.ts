import { randomBytes } from 'node:crypto'
import type { CallContext } from '../../server/plugin.ts'
import { sessionName } from './domain/record-id.ts'
import type { Project } from './project.ts'
import { ancestorsOfProcess, loadSessions, sessionAmong } from './store/sessions.ts'

/** On stdio one process serves one session, under a random name. */
const PROCESS_SESSION = `s-${randomBytes(8).toString('hex')}`

/**
 * The calling session (design handoff, section 4): that of `SATCHEL_SESSION`; else the one that a hook noted for an
 * ancestor of this process; else this stdio process. Calls over HTTP and bare commands have none.
 */
export async function sessionOf(
  ctx: Pick<CallContext, 'localTransport'>,
  project: Pick<Project, 'env' | 'store'>,
): Promise<string | undefined> {
  if (ctx.localTransport === undefined) return undefined
  const named = project.env['SATCHEL_SESSION']
  if (named) return sessionName(named)
  const { disk, layout } = project.store
  const noted = await loadSessions(disk, layout)
  const found = noted.length > 0 ? sessionAmong(noted, ancestorsOfProcess()) : undefined
  return found?.session ?? (ctx.localTransport === 'stdio' ? PROCESS_SESSION : undefined)
}
