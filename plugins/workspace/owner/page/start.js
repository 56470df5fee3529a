import { h, render } from 'preact'
import { readSessions } from './actions.js'
import {
  claimFromAddress,
  expectRoom,
  fetchAsSession,
  getDocument,
  headers,
  isGuestPage,
  Refused,
} from './api.js'
import { App } from './app.js'
import { actOn, note } from './attempt.js'
import { createBearerEventSource } from './bearer-events.js'
import { visible } from './dom.js'
import * as editing from './editing.js'
import { announcement } from './event-list.js'
import { followFocus, giveFocusBack } from './focus.js'
import { joinIfInvited } from './join.js'
import { olderEvents } from './older-events.ts'
import { createReadOrder } from './read-order.ts'
import { createRoomView } from './room-view.ts'
import { createSharedEventSource } from './shared-events.js'
import { draftsOf, namesOf, onUpdate, store, update, waitingIn } from './store.js'

const order = createReadOrder()
let view
let heard

function draw() {
  const { room } = store
  if (room) {
    const waiting = waitingIn(room).length
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${visible(room.status.name)} · satchel`
  }
  render(h(App, { store: { ...store } }), document.getElementById('room'))
  giveFocusBack()
}

async function readDocument() {
  const read = order.begin()
  try {
    const found = await getDocument()
    const isNewest = order.shows('document', read)
    if (isNewest && store.document?.version !== found.version) update({ document: found })
  } catch (thrown) {
    if (!(thrown instanceof Refused)) view.retry('document')
    else if (thrown.status !== 401) {
      note(thrown.message)
      view.retry('document', thrown.status)
    }
  }
  await editing.compareAll()
}

function changed({ connection, room, events }, parts) {
  if (!room) return update({ connection })
  const isFirst = store.room === undefined
  const older = olderEvents({ was: store.events, now: events }, store.older, store.shownEvents)
  const shown = { ...room, names: namesOf(room, [...events, ...older]) }
  update({ connection, room: shown, events, older, ...said(events, shown) })
  if (isFirst) {
    draftsOf(shown)
    void editing.reopenEditors()
  }
  if (parts.includes('document')) void readDocument()
  if (parts.includes('participants')) void readSessions()
  return undefined
}

/** What came since the last look, in words for people who hear the page. */
function said(events, room) {
  const newest = events[0]?.event_id ?? 0
  const fresh = heard === undefined ? [] : events.filter(({ event_id }) => event_id > heard)
  heard = newest
  const words = fresh.flatMap((event) => announcement(event, room) ?? []).reverse()
  return words.length > 0 ? { announced: { words: words.join('. '), at: newest } } : {}
}

const clock = {
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

/** A stream with the headers of a guest; shared by the tabs where the browser lets tabs agree, which takes a secure context. */
function eventSource() {
  const Source = isGuestPage ? createBearerEventSource(headers) : EventSource
  return navigator.locks ? createSharedEventSource('satchel-room', Source) : Source
}

async function start() {
  onUpdate(draw)
  update({})
  followFocus()
  // A draft is kept at each key; only a long one waits for a moment.
  addEventListener('pagehide', editing.keepAll)
  document.addEventListener('visibilitychange', editing.keepAll)
  // Where it cannot be kept, the person is asked.
  addEventListener('beforeunload', (event) => {
    editing.keepAll()
    if (store.editors.some(({ isKept }) => !isKept)) event.preventDefault()
  })
  addEventListener('hashchange', () => {
    if (/^#[ki]=/.test(location.hash)) location.reload()
  })
  // Another tab discarded or kept a draft.
  addEventListener('storage', () => update({}))
  await claimFromAddress().catch((thrown) => note(thrown.message))
  await joinIfInvited()
  view = createRoomView({
    fetch: fetchAsSession,
    EventSource: eventSource(),
    clock,
    expect: expectRoom,
    changed,
  })
  actOn(view)
  await view.start()
}

void start()
