import { type JSONRPCMessage, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isRequest } from './admission.ts'

/** The only version of the protocol with batches. */
export const BATCH_VERSION = '2025-03-26'
/** Most messages of one batch, as over HTTP. */
export const MAX_BATCH = 100

export const ID_IN_FLIGHT = 'A request with this id is in flight'

type Id = string | number

interface Batch {
  readonly open: Set<Id>
  readonly answers: unknown[]
}

/** The batches whose answers are not complete. */
export interface Batches {
  /** Opens a batch of these messages; `refused` are the answers to its other members. */
  open(messages: readonly JSONRPCMessage[], refused: readonly unknown[]): void
  /** Takes the answer of a member; false if the request came alone. */
  take(id: Id, answer: unknown): boolean
  /** A cancelled request gets no answer. */
  forget(id: Id): void
}

/** Sends the answers of each batch as one array, when the last one is there. */
export function createBatches(send: (answers: readonly unknown[]) => void): Batches {
  const batchOf = new Map<Id, Batch>()
  const settle = (id: Id, batch: Batch): void => {
    batchOf.delete(id)
    batch.open.delete(id)
    if (batch.open.size === 0 && batch.answers.length > 0) send(batch.answers)
  }
  return {
    open(messages, refused) {
      const ids = messages.filter(isRequest).map(({ id }) => id)
      const batch: Batch = { open: new Set(ids), answers: [...refused] }
      for (const id of ids) batchOf.set(id, batch)
      if (ids.length === 0 && refused.length > 0) send(batch.answers)
    },
    take(id, answer) {
      const batch = batchOf.get(id)
      if (!batch) return false
      batch.answers.push(answer)
      settle(id, batch)
      return true
    },
    forget(id) {
      const batch = batchOf.get(id)
      if (batch) settle(id, batch)
    },
  }
}

interface Rules {
  parse(value: unknown): JSONRPCMessage | undefined
  isTaken(id: Id): boolean
}

/** Parts the members of a batch into messages and the answers to what is none, or whose id is taken. */
export function sortedOut(
  values: readonly unknown[],
  { parse, isTaken }: Rules,
): { readonly members: readonly JSONRPCMessage[]; readonly refused: readonly unknown[] } {
  const ids = new Set<Id>()
  const members: JSONRPCMessage[] = []
  const refused: unknown[] = []
  const refuse = (value: unknown, message: string): void =>
    void refused.push({
      jsonrpc: '2.0',
      id: idOf(value),
      error: { code: ProtocolErrorCode.InvalidRequest, message },
    })
  for (const value of values) {
    const message = parse(value)
    if (!message) refuse(value, 'Not a JSON-RPC message')
    else if (isRequest(message) && (ids.has(message.id) || isTaken(message.id))) refuse(value, ID_IN_FLIGHT)
    else {
      if (isRequest(message)) ids.add(message.id)
      members.push(message)
    }
  }
  return { members, refused }
}

/** Returns the id with which a message can be refused. */
export function idOf(value: unknown): Id | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
