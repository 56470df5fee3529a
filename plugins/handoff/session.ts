import { randomBytes } from 'node:crypto'
import type { CallContext } from '../../server/plugin.ts'
import { sessionName } from './domain/record-id.ts'

/** On stdio one process serves one session; its name is random and lives as long as the process. */
const PROCESS_SESSION = `s-${randomBytes(8).toString('hex')}`

/** The session that calls (design handoff, section 4): named by the environment, else this stdio process, else none. */
export function sessionOf(
  ctx: Pick<CallContext, 'localTransport'>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = env['SATCHEL_SESSION']
  if (named) return sessionName(named)
  return ctx.localTransport === 'stdio' ? PROCESS_SESSION : undefined
}
