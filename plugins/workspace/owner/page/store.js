import { createDrafts } from './drafts.ts'

/** What the page shows. Changed by `update` only; `render` draws it. */
export const store = {
  connection: 'loading',
  room: undefined,
  events: [],
  /** Events older than those that the view keeps, newest first. */
  older: [],
  shownEvents: 60,
  /** The newest document: `{ version, nodes, rest }`. */
  document: undefined,
  sessions: undefined,
  notice: undefined,
  announced: '',
  editors: [],
  /** Opened proposals by id: `{ place, proposal, before, failed }`. */
  opened: new Map(),
  asking: undefined,
  invited: undefined,
  drafts: undefined,
  joining: undefined,
}

let draw = () => undefined
let isDue = false

export function onUpdate(render) {
  draw = render
}

/** Changes the state, and draws it once in this turn. */
export function update(patch) {
  Object.assign(store, patch)
  if (isDue) return
  isDue = true
  queueMicrotask(() => {
    isDue = false
    draw(store)
  })
}

/** The drafts of this room; kept in the browser, so that they exist before the room answers. */
export function draftsOf(room) {
  store.drafts ??= createDrafts({
    storage: localStorage,
    workspaceId: room.status.workspace_id,
    now: () => Date.now(),
  })
  return store.drafts
}

export function may(room, capability) {
  const held = room.status?.you?.capabilities ?? []
  return held.includes(capability) || held.includes('admin') || held.includes('*')
}

/** Names of participants by id, for everything that only holds ids. */
export function nameOf(room, id) {
  const found = room.participants?.find((one) => one.participant_id === id)
  return found?.name ?? room.names?.get(id) ?? id ?? 'no one'
}

/** Who has left is no participant any more, but the event of joining still says the name. */
export function namesIn(events) {
  const joined = events.filter(({ event_type }) => event_type === 'participant.joined')
  return new Map(joined.map(({ payload }) => [payload.participant_id, payload.name]))
}

/** What waits for this person: proposals to review or commit, results to review. */
export function waitingIn(room) {
  const proposals = room.proposals.filter(({ status }) =>
    status === 'pending' ? may(room, 'approve') : status === 'approved' && may(room, 'commit'),
  )
  const results = room.handoffs.filter(({ status }) => status === 'result_ready' && may(room, 'approve'))
  return proposals.length + results.length
}
