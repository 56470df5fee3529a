import { isJsonObject, type Principal } from '../../../server/plugin.ts'
import { parseCapabilities } from '../domain/capability.ts'
import { sha256 } from '../domain/fingerprint.ts'
import { principalOf } from './credentials.ts'
import type { ReplicaAddress } from './link.ts'
import { callReplica } from './replica-link.ts'

/** How old the knowledge of a session may be. Its calls are checked again by the owner. */
const KNOWN_MS = 1_000
const MOST = 1_000

/** The callers that a server without the room knows by asking its owner. */
export interface ReplicaSessions {
  /** Undefined for a token that the room does not know. Errors: those of `callReplica`, `unauthorized`/`session_expired`. */
  find(address: ReplicaAddress, token: string): Promise<Principal | undefined>
}

/** Remembers who was found for a second. The token itself does not leave this server: its hash does. */
export function createReplicaSessions(elapsedMs = () => performance.now()): ReplicaSessions {
  const known = new Map<string, { readonly until: number; readonly principal: Principal }>()
  return {
    async find(address, token) {
      const token_sha256 = sha256(token)
      const seen = known.get(token_sha256)
      if (seen && elapsedMs() < seen.until) return seen.principal
      known.delete(token_sha256)
      const asked = elapsedMs()
      const call = { method: 'POST', path: '/replica/session', body: { token_sha256 } } as const
      const principal = principalIn(await callReplica(address, call))
      if (principal === undefined) return undefined
      if (known.size >= MOST) known.delete(known.keys().next().value ?? '')
      known.set(token_sha256, { until: asked + KNOWN_MS, principal })
      return principal
    },
  }
}

/** The answer of our own route, of which each member is checked: it decides about rights. */
function principalIn(answer: unknown): Principal | undefined {
  const session = isJsonObject(answer) ? answer['session'] : undefined
  if (!isJsonObject(session)) return undefined
  const { session_id, capabilities } = session
  if (typeof session_id !== 'string' || !Array.isArray(capabilities)) return undefined
  return principalOf({ session_id, capabilities: parseCapabilities(capabilities.map(String)) })
}
