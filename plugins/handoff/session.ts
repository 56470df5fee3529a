import { randomBytes } from 'node:crypto'
import type { CallContext } from '../../server/plugin.ts'
import { sessionName } from './domain/record-id.ts'
import type { Handoffs, Project } from './project.ts'
import { ancestorsOfProcess, loadSessions, sessionAmong } from './store/sessions.ts'

/** On stdio one process serves one session; its name is random and lives as long as the process. */
const PROCESS_SESSION = `s-${randomBytes(8).toString('hex')}`

/**
 * The session that calls (design handoff, section 4): named by the environment; else noted by the harness's hook under
 * a process above this one; else this stdio process. Over HTTP, and for a bare command, there is none.
 */
export async function sessionOf(
  ctx: Pick<CallContext, 'localTransport'>,
  handoffs: Pick<Handoffs, 'env'>,
  project: Pick<Project, 'store'>,
): Promise<string | undefined> {
  if (ctx.localTransport === undefined) return undefined
  const named = handoffs.env['SATCHEL_SESSION']
  if (named) return sessionName(named)
  const { disk, layout } = project.store
  const noted = await loadSessions(disk, layout)
  const found = noted.length > 0 ? sessionAmong(noted, ancestorsOfProcess()) : undefined
  return found?.session ?? (ctx.localTransport === 'stdio' ? PROCESS_SESSION : undefined)
}
