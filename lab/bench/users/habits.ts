import type { Pair } from '../host/door-client.ts'

/** A record as its last writer saw it. */
export interface OwnRecord {
  readonly id: string
  readonly etag: string
}

/** Ids of modules that users ask for; empty without the plugin. */
export interface Surroundings {
  readonly modules: readonly string[]
}

/** A user asks in rounds of ten: one write, then nine reads. */
export const ROUND = 10
/** Of the writes of a user this one makes a new record, the others add to it. */
const WRITES_OF_A_RECORD = 4
const TEXT = 'The callback is tested with a duplicate, a late and a missing signature. '.repeat(12)

/** Whether this request of a user writes. Users are at different places of their rounds. */
export function isWrite(user: number, request: number): boolean {
  return (user + request) % ROUND === 0
}

/** The next write of a user. */
export function writeOf(user: number, request: number, own: OwnRecord | undefined): Pair {
  const written = Math.floor((user + request) / ROUND)
  if (own === undefined || written % WRITES_OF_A_RECORD === 0) {
    const body = {
      title: `Work of user ${user}, part ${written}`,
      objective: `Ship the callback of network ${user % 50} without retries`,
      current_state: TEXT,
      decisions: [{ decision: `Keep subnet ${written}`, rationale: 'It is in use' }],
      open_items: [{ priority: 'high', description: `Check network ${written}`, suggested_action: 'Run it' }],
    }
    return { tool: 'handoff_create', args: body, rest: { method: 'POST', path: '/handoffs', body } }
  }
  const body = { if_match: own.etag, append: { completed: [`Checked network ${written} of user ${user}`] } }
  return {
    tool: 'handoff_update',
    args: { id: own.id, ...body },
    rest: { method: 'PATCH', path: `/handoffs/${own.id}`, body },
  }
}

/** The next read of a user: what agents ask at the start of a session, while they work, and at its end. */
export function readOf(user: number, request: number, { id }: OwnRecord, around: Surroundings): Pair {
  const place = (user + request) % ROUND
  const module = around.modules[(user * 7 + request) % around.modules.length]
  const reads = [...HANDOFF_READS, ...(module === undefined ? [] : MODULE_READS)]
  const read = reads[(place - 1) % reads.length]
  if (read === undefined) throw new TypeError('a list that is not empty has each of its places')
  return read({ id, module: module ?? '', word: `network ${user % 50}` })
}

interface Asked {
  readonly id: string
  readonly module: string
  readonly word: string
}

function getting(tool: string, path: string, args: Readonly<Record<string, string | number>>): Pair {
  const { id, ...query } = args
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const place = id === undefined ? path : `${path}/${encodeURIComponent(id)}`
  return { tool, args, rest: { method: 'GET', path: text.size === 0 ? place : `${place}?${text}` } }
}

const HANDOFF_READS: readonly ((asked: Asked) => Pair)[] = [
  () => getting('handoff_list', '/handoffs', { limit: 20 }),
  ({ id }) => getting('handoff_get', '/handoffs', { id }),
  ({ id }) => getting('handoff_get', '/handoffs', { id, format: 'brief' }),
  ({ word }) => getting('handoff_list', '/handoffs', { query: word, limit: 10 }),
  ({ word }) => getting('satchel_find', '/find', { query: word }),
]
const searching = (query: string): Pair => {
  const body = { query, limit: 10 }
  return { tool: 'search_modules', args: body, rest: { method: 'POST', path: '/search', body } }
}
const MODULE_READS: readonly ((asked: Asked) => Pair)[] = [
  ({ word }) => searching(`${word} with subnets`),
  ({ module }) => getting('get_module', '/modules', { id: module }),
  ({ module }) => getting('get_module', '/modules', { id: module, detail: 'full' }),
  ({ module }) => ({
    tool: 'module_usage',
    args: { id: module },
    rest: { method: 'GET', path: `/modules/${module}/usage` },
  }),
]
