import { h } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { act } from './actions.js'
import { isGuestPage } from './api.js'
import { note } from './attempt.js'
import { Document } from './document.js'
import { button, editId, visible } from './dom.js'
import { DraftList } from './editor.js'
import { EventList } from './event-list.js'
import { Handoffs } from './handoffs.js'
import { Join } from './join.js'
import { Invited, Invites, Leases, Participants, Sessions } from './people.js'
import { Proposals } from './proposal.js'
import { may, update, waitingIn } from './store.js'

const CONNECTION = {
  loading: ['Loading', ''],
  live: ['Live', 'Every change shows here as it happens.'],
  reconnecting: ['Reconnecting', 'The connection is being made again. What you see may be a little old.'],
  offline: [
    'Offline',
    'The room cannot be reached. It is tried again every 30 seconds. You can go on writing.',
  ],
  elsewhere: [
    'Another room',
    'This address now serves another room. Nothing more is sent there. What you typed is kept in this browser until this room is open here again.',
  ],
  ended: ['Session ended', 'Make a fresh link with: satchel workspace owner-link'],
}

/** The whole page. */
export function App({ store }) {
  const { room, connection } = store
  if (store.joining) return h(Join, store.joining)
  return [
    h('a', { class: 'skip', href: '#document' }, 'Skip to the document'),
    h(Header, { room, connection, isGuest: isGuestPage }),
    h(Notice, { notice: store.notice }),
    // A new element each time: the same words again are heard again.
    h(
      'p',
      { class: 'said', role: 'status', 'aria-live': 'polite' },
      store.announced && h('span', { key: store.announced.at }, store.announced.words),
    ),
    room && h(Room, { room, store }),
    h(
      Dialog,
      { isOpen: store.asking !== undefined, onClose: () => store.asking?.answer(false) },
      store.asking && h(Question, store.asking),
    ),
    h(
      Dialog,
      { isOpen: store.invited !== undefined, onClose: () => update({ invited: undefined }) },
      store.invited && h(Invited, { invited: store.invited }),
    ),
  ]
}

function Room({ room, store }) {
  return h(
    'main',
    {},
    h(
      'div',
      { class: 'side first' },
      h(Section, { id: 'proposals', title: 'Proposals', isOpen: true }, h(Proposals, { room })),
    ),
    h(
      'div',
      { class: 'paper' },
      h('div', { role: 'status' }, room.status.file && h('p', { class: 'stale' }, room.status.file)),
      h(
        'div',
        { class: 'buttons' },
        may(room, 'propose') &&
          button('Propose a change', () => act.edit('workspace'), { id: editId('workspace') }),
        may(room, 'propose') && h('span', { class: 'hint' }, 'or use Edit at a heading.'),
      ),
      h(DraftList, { room }),
      h(Document, { room, document: store.document, editors: store.editors, opened: store.opened }),
    ),
    h(
      'div',
      { class: 'side' },
      h(Section, { id: 'handoffs', title: 'Handoffs', isOpen: true }, h(Handoffs, { room })),
      h(Section, { id: 'leases', title: 'Leases', isOpen: true }, h(Leases, { room })),
      h(Section, { id: 'participants', title: 'Members', isOpen: true }, h(Participants, { room })),
      may(room, 'admin') && h(Section, { id: 'sessions', title: 'Sessions' }, h(Sessions, { room })),
      may(room, 'invite') && h(Section, { id: 'invites', title: 'Invitations' }, h(Invites, { room })),
      h(
        Section,
        { id: 'events', title: 'Events', isOpen: true },
        h(EventList, { room, events: store.events }),
      ),
    ),
  )
}

function Header({ room, connection, isGuest }) {
  const [label, hint] = CONNECTION[connection]
  const status = room?.status
  const count = room?.participants.length
  const way = connection === 'ended' && isGuest ? 'Ask the owner for a new invitation.' : hint
  return h(
    'header',
    // What is shown may be old: that is seen wherever the page is scrolled to.
    { class: ['reconnecting', 'offline', 'ended', 'elsewhere'].includes(connection) ? 'stays' : undefined },
    h(
      'div',
      {},
      h('h1', {}, status ? visible(status.name) : 'Room'),
      h(
        'p',
        { class: 'about' },
        status &&
          `version ${status.version}, ${count === 1 ? '1 member' : `${count} members`}, you are ${visible(status.you.name)}${status.substrate === 'ok' ? '' : `, file ${status.substrate}`}`,
      ),
    ),
    room && h(Waiting, { ids: waitingIn(room) }),
    h(
      'p',
      { class: 'connection', role: 'status', 'aria-live': 'polite', 'data-state': connection },
      h('strong', {}, label),
      way && h('span', { class: 'way' }, ` ${way}`),
    ),
  )
}

/** The way to what waits: a result is further down than the document. */
function Waiting({ ids }) {
  if (ids.length === 0) return null
  return h('a', { href: `#${ids[0]}` }, ids.length === 1 ? '1 thing waits' : `${ids.length} things wait`)
}

function Notice({ notice }) {
  return h(
    'div',
    { class: 'notice', role: 'alert' },
    notice &&
      h(
        'p',
        { key: notice.said },
        visible(notice.text),
        ' ',
        notice.undo &&
          button('Undo', () => {
            note('')
            void notice.undo()
          }),
        ' ',
        button('Dismiss', () => note('')),
      ),
  )
}

function Section({ id, title, isOpen, children }) {
  return h(
    'details',
    { class: 'section', id, open: isOpen },
    h('summary', {}, h('h2', { id: `${id}-title` }, title)),
    h('div', { class: 'body' }, children),
  )
}

function Question({ question, label, answer }) {
  return [
    h('h2', { id: 'dialog-title' }, visible(question)),
    h(
      'div',
      { class: 'buttons' },
      button(label, () => answer(true), { class: 'bad' }),
      button('Keep', () => answer(false), { autofocus: true }),
    ),
  ]
}

/** A modal dialog; the browser keeps the focus in it and gives it back. */
function Dialog({ isOpen, onClose, children }) {
  const dialog = useRef()
  // A close event comes later than the close, when the next question may already be asked. One that the
  // page itself caused answers nothing.
  const ownCloses = useRef(0)
  useLayoutEffect(() => {
    if (isOpen && !dialog.current.open) dialog.current.showModal()
    if (!isOpen && dialog.current.open) {
      ownCloses.current += 1
      dialog.current.close()
    }
  }, [isOpen])
  const onCloseEvent = () => {
    if (ownCloses.current > 0) ownCloses.current -= 1
    else onClose()
  }
  return h(
    'dialog',
    { ref: dialog, onClose: onCloseEvent, 'aria-labelledby': 'dialog-title' },
    isOpen && children,
  )
}
