import { h } from 'preact'
import { act } from './actions.js'
import { apart, button, empty, targetName, visible, when } from './dom.js'
import { nameOf, store } from './store.js'
import { suggestedAuthor } from './suggested-author.ts'

/** What happened, newest first. */
export function EventList({ room, events }) {
  const all = [...events, ...store.older.filter(({ event_id }) => event_id < (events.at(-1)?.event_id ?? 0))]
  if (all.length === 0) return empty('No event yet.')
  const shown = all.slice(0, store.shownEvents)
  const last = shown.at(-1).event_id
  const oldest = room.oldest_event_id ?? 1
  return [
    h(
      'ol',
      {
        class: 'events',
        reversed: true,
        start: all[0].event_id,
        tabindex: 0,
        'aria-label': 'Events, newest first',
      },
      shown.map((event) => h(Entry, { key: event.event_id, event, room, events: all })),
    ),
    last > oldest && button('Show older events', () => act.olderEvents()),
    last <= oldest && oldest > 1 && h('p', { class: 'hint' }, `Events before ${oldest} are no longer kept.`),
  ]
}

function Entry({ event, room, events }) {
  const { summary, target, name, status } = event.payload
  const who = whoOf(event, room)
  const what = [
    summary ?? (name === who ? '' : name) ?? (target ? targetName(target) : ''),
    event.version ? `version ${event.version}` : '',
    status ?? '',
  ]
  const parts = [who, ...what].filter((part) => part !== '')
  return h(
    'li',
    { value: event.event_id },
    h('strong', {}, event.event_type),
    parts.map((part, at) => [at === 0 ? ' ' : ' · ', apart(part)]),
    ' ',
    suggestion(event, events, room),
    h('small', {}, when(event.created_at)),
  )
}

/** Who did it; and to whom, where that is another: who left is not who removed them. */
function whoOf({ actor_id, payload: { participant_id: whom } }, room) {
  const actor = actor_id ? nameOf(room, actor_id) : ''
  if (whom === undefined || whom === actor_id) return actor
  return [nameOf(room, whom), actor].filter((name) => name !== '').join(', by ')
}

/** Who probably edited the file: an outside edit has no author. */
function suggestion(event, events, room) {
  const author = suggestedAuthor(event, { events, members: room.participants })
  return author && h('em', {}, `probably by ${visible(nameOf(room, author))}, the active agent `)
}

/** What a listener should hear of an event of others. */
const SAID = {
  'proposal.created': 'New proposal',
  'proposal.committed': 'Committed',
  'change.committed': 'The document changed',
  'handoff.created': 'New handoff',
  'handoff.result_ready': 'A result waits for review',
  'participant.joined': 'Joined',
}

/** What its author should hear of a proposal. */
const SAID_OF_MINE = {
  'proposal.approved': 'Approved',
  'proposal.rejected': 'Rejected',
  'proposal.conflicted': 'No longer fits the document',
  'proposal.superseded': 'Overtaken by another change',
}

export function announcement(event, room) {
  const me = room.status.you.participant_id
  const { proposal_id: of } = event.payload
  const isMine = room.proposals.some((one) => one.proposal_id === of && one.participant_id === me)
  const said = SAID[event.event_type] ?? (isMine ? SAID_OF_MINE[event.event_type] : undefined)
  if (!said || event.actor_id === me) return undefined
  const who = event.actor_id ? ` by ${nameOf(room, event.actor_id)}` : ''
  const { summary } = event.payload
  return visible(`${said}${who}${summary ? `: ${summary}` : ''}`)
}
