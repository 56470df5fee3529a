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
  /** What people who hear the page were told last, and after which event: `{ words, at }`. */
  announced: undefined,
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
  return found?.name ?? room.names?.get(id) ?? (id === undefined ? 'no one' : 'a former member')
}

/** Names of all that this tab saw, also before a reload, and of the newest who left: they are not participants any more. */
export function namesOf(room, events) {
  const key = `satchel:names:${room.status.workspace_id}`
  const joined = events.filter(({ event_type }) => event_type === 'participant.joined')
  const seen = [...joined.map(({ payload }) => payload), ...(room.left ?? []), ...room.participants]
  const names = new Map(store.room?.names ?? Object.entries(keptIn(key)))
  for (const { participant_id, name } of seen) names.set(participant_id, name)
  try {
    sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(names)))
  } catch {
    // full or closed: after a reload ids are shown
  }
  return names
}

function keptIn(key) {
  try {
    return Object(JSON.parse(sessionStorage.getItem(key)))
  } catch {
    return {} // another program wrote there
  }
}

/** Whether a result waits for a review that this person may give: of an own one only as the administrator. */
export function mayReviewResult(room, { status, acceptor }) {
  const isOwn = acceptor === room.status.you.participant_id
  return status === 'result_ready' && may(room, 'approve') && (!isOwn || may(room, 'admin'))
}

/** The ids of what waits for this person on the page: proposals to review or commit, handoffs to accept, results to review. */
export function waitingIn(room) {
  const proposals = room.proposals.filter(({ status }) =>
    status === 'pending' ? may(room, 'approve') : status === 'approved' && may(room, 'commit'),
  )
  const me = room.status.you.participant_id
  const handoffs = room.handoffs.filter((one) =>
    one.status === 'created' ? one.to === me && may(room, 'propose') : mayReviewResult(room, one),
  )
  return [
    ...proposals.map(({ proposal_id }) => `card-${proposal_id}`),
    ...handoffs.map(({ handoff_id }) => `handoff-${handoff_id}`),
  ]
}
