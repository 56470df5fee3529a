import { claimFromAddress, get, post, Refused, remove } from './api.js'
import { fill, h, markdown, visible } from './dom.js'
import { createRoomView } from './room-view.ts'
import * as sections from './sections.js'
import { createSharedEventSource } from './shared-events.js'

const CONNECTION = {
  loading: ['Loading', ''],
  live: ['Live', 'Every change shows here as it happens.'],
  reconnecting: ['Reconnecting', 'The connection is being made again. What you see may be a little old.'],
  offline: ['Offline', 'The room cannot be reached. It is tried again every 30 seconds.'],
  ended: ['Session ended', 'Make a fresh link with: satchel workspace owner-link'],
}

const places = {}
let view
let shown
let current

function section(id, title, open = true) {
  places[id] = h('div', { class: 'body' })
  return h(
    'details',
    { class: 'section', id, open },
    h('summary', {}, h('h2', { id: `${id}-title` }, title)),
    places[id],
  )
}

function layout() {
  places.status = h('p', { class: 'connection', role: 'status', 'aria-live': 'polite' })
  places.title = h('h1', {}, 'Room')
  places.about = h('p', { class: 'about' })
  places.notice = h('div', { class: 'notice', role: 'alert' })
  places.dialog = h('dialog', { 'aria-labelledby': 'dialog-title' })
  places.document = h('article', {
    class: 'document',
    id: 'document',
    tabindex: '-1',
    'aria-label': 'Document',
  })
  fill(
    document.getElementById('room'),
    h('a', { class: 'skip', href: '#document' }, 'Skip to the document'),
    h('header', {}, h('div', {}, places.title, places.about), places.status),
    places.notice,
    h(
      'main',
      {},
      h(
        'div',
        { class: 'paper' },
        h(
          'div',
          { class: 'buttons' },
          h('button', { type: 'button', onclick: proposeDialog }, 'Propose a change'),
        ),
        places.document,
      ),
      h(
        'div',
        { class: 'side' },
        section('proposals', 'Proposals'),
        section('leases', 'Leases'),
        section('handoffs', 'Handoffs'),
        section('participants', 'Members'),
        section('sessions', 'Sessions', false),
        section('invites', 'Invitations', false),
        section('events', 'Events'),
      ),
    ),
    places.dialog,
  )
}

function note(text) {
  fill(
    places.notice,
    text && h('p', {}, text, ' ', h('button', { type: 'button', onclick: () => note('') }, 'Dismiss')),
  )
}

/** Does something at the server; a refusal is said in the server's own words. */
async function attempt(work, ...parts) {
  try {
    await work()
    note('')
  } catch (thrown) {
    note(thrown instanceof Refused ? thrown.message : 'The room could not be reached.')
  }
  for (const part of parts) view.refresh(part)
}

const act = {
  review: (proposal_id, approve) =>
    attempt(() => post('/workspace/proposal/review', { proposal_id, approve }), 'proposals'),
  commit: (proposal_id) => attempt(() => post('/workspace/commit', { proposal_id }), 'proposals', 'document'),
  rebase: (proposal_id) => attempt(() => post('/workspace/proposal/rebase', { proposal_id }), 'proposals'),
  release: (lease_id) => attempt(() => post('/workspace/release', { lease_id }), 'leases'),
  checkout: () => attempt(() => post('/workspace/checkout', { target: 'workspace' }), 'leases'),
  removeMember: (participant_id) =>
    attempt(() => post('/workspace/leave', { participant_id }), 'participants'),
  endSession: (session_id) =>
    attempt(() => remove(`/workspace/sessions/${session_id}`), 'participants').then(readSessions),
  revoke: (invite_id) => attempt(() => post('/workspace/invite/revoke', { invite_id }), 'invites'),
  reviewHandoff: (handoff_id, approve) =>
    attempt(() => post('/workspace/handoff/review', { handoff_id, approve }), 'handoffs'),
  older: (part) => view.readOlder(part),
  showProposal: (proposal_id, place) =>
    attempt(async () =>
      fill(place, sections.proposalDetail(await get(`/workspace/proposal?proposal_id=${proposal_id}`))),
    ),
  invite: () =>
    attempt(async () => {
      const { uri } = await post('/workspace/invite', {})
      dialog('Invitation', h('p', {}, 'Shown this once. Give it to one agent:'), copyable(uri))
    }, 'invites'),
}

function copyable(text) {
  const field = h('textarea', { readonly: true, rows: '6', 'aria-label': 'Invitation URI' })
  field.value = text
  const done = h('span', { role: 'status' })
  const copy = async () => {
    field.select()
    await navigator.clipboard?.writeText(text).then(
      () => fill(done, 'Copied.'),
      () => fill(done, 'Copy it by hand.'),
    )
  }
  return [
    field,
    h(
      'div',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'good', onclick: copy }, 'Copy'),
      done,
    ),
  ]
}

function dialog(title, ...content) {
  const close = () => places.dialog.close()
  fill(
    places.dialog,
    h('h2', { id: 'dialog-title' }, title),
    content,
    h('div', { class: 'buttons' }, h('button', { type: 'button', onclick: close }, 'Close')),
  )
  places.dialog.showModal()
}

async function proposeDialog() {
  await attempt(async () => {
    const [{ content, version }, { sections: outline }] = await Promise.all([
      get('/workspace/read'),
      get('/workspace/outline'),
    ])
    const text = h('textarea', { rows: '14', spellcheck: 'true', 'aria-label': 'New text' })
    text.value = content
    const why = h('input', { type: 'text', required: true, maxlength: '240', 'aria-label': 'Why' })
    const target = h(
      'select',
      { 'aria-label': 'What to change' },
      h('option', { value: 'workspace' }, 'The whole document'),
      outline.map((one) => h('option', { value: one.target }, one.target.slice('section:'.length))),
    )
    target.addEventListener('change', () =>
      attempt(async () => {
        text.value = (
          await get(`/workspace/read?section=${encodeURIComponent(target.value)}&version=${version}`)
        ).content
      }),
    )
    // A text area knows only LF: what was CRLF goes back as CRLF.
    const written = () => (content.includes('\r\n') ? text.value.replaceAll('\n', '\r\n') : text.value)
    const send = (event) => {
      event.preventDefault()
      const body = { target: target.value, base_version: version, summary: why.value, content: written() }
      places.dialog.close()
      void attempt(() => post('/workspace/propose', body), 'proposals')
    }
    dialog(
      'Propose a change',
      h(
        'form',
        { onsubmit: send },
        h('label', {}, 'What ', target),
        h('label', {}, 'Why ', why),
        h('label', {}, 'Text ', text),
        h('button', { type: 'submit', class: 'good' }, 'Propose'),
      ),
    )
  })
}

async function readDocument() {
  try {
    const { version, nodes, rest } = await get('/owner/document')
    if (shown === version) return
    shown = version
    fill(places.document, markdown(nodes), rest && h('pre', {}, visible(rest)))
  } catch (thrown) {
    if (thrown instanceof Refused && thrown.status !== 401) note(thrown.message)
  }
}

async function readSessions() {
  try {
    const { sessions } = await get('/workspace/sessions?live=true&limit=200')
    fill(places.sessions, sections.sessions(sessions, current, act))
  } catch {
    fill(places.sessions, h('p', { class: 'empty' }, 'Sessions are not shown to you.'))
  }
}

const SECTIONS = {
  proposals: sections.proposals,
  leases: sections.leases,
  participants: sections.participants,
  handoffs: sections.handoffs,
  invites: sections.invites,
}

function members(count) {
  return count === 1 ? '1 member' : `${count} members`
}

function changed({ connection, room, events }, parts) {
  const [label, hint] = CONNECTION[connection]
  places.status.dataset.state = connection
  fill(places.status, h('strong', {}, label), hint && ` ${hint}`)
  if (!room) return
  current = { ...room, names: sections.namesIn(events) }
  const { status } = room
  document.title = `${status.name} · satchel`
  fill(places.title, status.name)
  fill(
    places.about,
    `version ${status.version}, ${members(room.participants.length)}${status.substrate === 'ok' ? '' : `, file ${status.substrate}`}`,
  )
  for (const [part, render] of Object.entries(SECTIONS)) {
    if (parts.includes(part)) fill(places[part], render(current, act))
  }
  if (parts.includes('document')) void readDocument()
  if (parts.includes('participants')) void readSessions()
  fill(places.events, sections.events(events, current))
}

async function start() {
  layout()
  await claimFromAddress().catch((thrown) => note(thrown.message))
  view = createRoomView({
    fetch: (path) => fetch(path, { credentials: 'same-origin' }),
    EventSource: createSharedEventSource('satchel-room'),
    clock: {
      after(ms, work) {
        const timer = setTimeout(work, ms)
        return () => clearTimeout(timer)
      },
    },
    changed,
  })
  await view.start()
}

void start()
