import { h } from 'preact'
import { useState } from 'preact/hooks'
import { act } from './actions.js'
import { isGuestPage, linkOf } from './api.js'
import { apart, button, empty, Name, older, targetName, visible, when } from './dom.js'
import { imitations } from './imitation.ts'
import { may, nameOf, store, update } from './store.js'

export function Leases({ room }) {
  const { leases } = room
  const mine = room.status.you.participant_id
  return [
    leases.length === 0
      ? empty('Nothing is checked out.')
      : h(
          'ul',
          { class: 'rows' },
          leases.map((lease) => {
            const { lease_id: id, target, participant_id, expires_at } = lease
            return h(
              'li',
              { key: id },
              h('strong', {}, apart(targetName(target))),
              ' by ',
              h(Name, { room, id: participant_id }),
              ', until ',
              when(expires_at),
              ' ',
              (participant_id === mine || may(room, 'admin')) &&
                button('Release', () => act.release(lease), {
                  'aria-label': `Release the lease on ${targetName(target)}`,
                }),
            )
          }),
        ),
    may(room, 'checkout') && button('Check out the document', () => act.checkout('workspace')),
  ]
}

/** Members: who has not left. That is membership, not presence. */
export function Participants({ room }) {
  return h(
    'ul',
    { class: 'rows long', tabindex: 0, 'aria-label': 'Members' },
    room.participants.map((one) => h(Member, { key: one.participant_id, room, one })),
  )
}

function Member({ room, one }) {
  const { participant_id: id, name, kind, capabilities, joined_at } = one
  const isYou = id === room.status.you.participant_id
  const like = imitations(room.participants).get(id)
  return h(
    'li',
    { id: `member-${id}`, tabindex: -1 },
    h('strong', {}, apart(name)),
    ` ${kind}${isYou ? ' (you)' : ''}, since `,
    when(joined_at),
    like !== undefined &&
      h('p', { class: 'mark' }, 'Looks like “', apart(like), '”, who joined before, and is another.'),
    one.mixed_script && h('p', { class: 'mark' }, 'A word of this name mixes alphabets.'),
    h('br', {}),
    h('small', {}, `${vouched(room, one)} May: ${capabilities.join(', ')}`),
    ' ',
    isYou && isGuestPage && button('Leave the room', () => act.leave(), { class: 'bad' }),
    !isYou &&
      may(room, 'admin') &&
      button('Remove', () => act.removeMember(one), {
        class: 'bad',
        'aria-label': `Remove ${visible(name)} from the room`,
      }),
  )
}

/** Who says that a member is a human or an agent: the room knows for its own machine only. */
function vouched(room, { participant_id, kind }) {
  const saying = `that it is ${kind === 'human' ? 'a human' : 'an agent'}`
  if (!store.sessions) return `Says itself ${saying}.`
  const own = store.sessions.filter((one) => one.participant_id === participant_id)
  const invited = own.find(({ invite_id }) => invite_id !== undefined)
  if (invited) {
    const by = room.invites?.find(({ invite_id }) => invite_id === invited.invite_id)?.created_by
    return `Says itself ${saying}; invited${by ? ` by ${visible(nameOf(room, by))}` : ''}.`
  }
  if (own.length > 0) return 'Joined on this machine, as its user.'
  return `Has no session now; said itself ${saying}.`
}

export function Sessions({ room }) {
  if (!store.sessions) return empty('Sessions are not shown to you.')
  return h(
    'ul',
    { class: 'rows' },
    store.sessions.map(({ session_id: id, participant_id, transport, expires_at }) => {
      const name = visible(nameOf(room, participant_id))
      return h(
        'li',
        { key: id },
        h(Name, { room, id: participant_id }),
        ` (${transport}), until `,
        when(expires_at),
        ' ',
        button('End', () => act.endSession(id, name), { 'aria-label': `End the session of ${name}` }),
      )
    }),
  )
}

/** What an invitation allows, in words; the capabilities are the room's. */
const ROLES = {
  agent: ['Works and proposes', ['read', 'observe', 'propose', 'checkout', 'commit']],
  reviewer: ['Works and reviews', ['read', 'observe', 'propose', 'checkout', 'commit', 'approve']],
  reader: ['Reads only', ['read', 'observe']],
}
const MINUTES = { 60: '1 hour', 1440: '1 day', 10080: '7 days' }

export function Invites({ room }) {
  if (!room.invites) return empty('You may not invite.')
  const now = new Date().toISOString()
  const open = room.invites.filter(
    ({ revoked_at, expires_at, used_count, max_uses }) =>
      revoked_at === undefined && expires_at > now && used_count < (max_uses ?? Number.POSITIVE_INFINITY),
  )
  const used = room.invites.filter((one) => !open.includes(one) && !one.revoked_at && one.used_count > 0)
  return [
    h(InviteForm, { room }),
    open.length === 0
      ? empty('No invitation is open.')
      : h(
          'ul',
          { class: 'rows' },
          open.map((one) => h(Invite, { key: one.invite_id, one })),
        ),
    used.length > 0 &&
      h(
        'details',
        {},
        h('summary', {}, `Used up (${used.length})`),
        h(
          'ul',
          { class: 'rows' },
          used.map((one) => h(Invite, { key: one.invite_id, one })),
        ),
      ),
    older(room, 'invites', act),
  ]
}

function InviteForm({ room }) {
  const [role, setRole] = useState('agent')
  const [minutes, setMinutes] = useState('60')
  const [isBusy, setBusy] = useState(false)
  const offered = Object.entries(ROLES).filter(([, [, needed]]) => needed.every((one) => may(room, one)))
  const onSubmit = (event) => {
    event.preventDefault()
    if (isBusy) return // the second click of a double click
    setBusy(true)
    void act.invite({ capabilities: ROLES[role][1], minutes: Number(minutes) }).then(() => setBusy(false))
  }
  return h(
    'form',
    { class: 'form', onSubmit, 'aria-label': 'Invite' },
    select(
      'Role',
      role,
      setRole,
      offered.map(([name, [label]]) => [name, label]),
    ),
    select('Valid for', minutes, setMinutes, Object.entries(MINUTES)),
    h('button', { type: 'submit' }, 'Invite'),
  )
}

export function select(label, value, set, options) {
  return h(
    'label',
    { class: 'field' },
    h('span', {}, label),
    h(
      'select',
      { value, onChange: ({ target }) => set(target.value) },
      options.map(([name, text]) => h('option', { value: name, selected: name === value }, text)),
    ),
  )
}

function Invite({ one }) {
  const { invite_id: id, capabilities, used_count, max_uses, expires_at } = one
  return h(
    'li',
    {},
    `${capabilities.join(', ')}; used ${used_count} of ${max_uses ?? 'any number'}, until `,
    when(expires_at),
    ' ',
    button('Revoke', () => act.revoke(id, false), { class: 'bad', 'aria-label': `Revoke invitation ${id}` }),
    ' ',
    used_count > 0 &&
      button('Revoke and end its sessions', () => act.revoke(id, true), {
        class: 'bad',
        'aria-label': `Revoke and end its sessions: invitation ${id}`,
      }),
  )
}

const LINK_HINT = 'Opens the room in a browser that reaches this address, with the rights of the invitation.'

/** The secret of a new invitation, shown this once. */
export function Invited({ invited }) {
  const close = () => update({ invited: undefined })
  return [
    h('h2', { id: 'dialog-title' }, 'Invitation'),
    h('p', {}, 'Shown this once, and valid for one participant.'),
    h(Copyable, { label: 'Link for a person', text: linkOf(invited.uri), hint: LINK_HINT }),
    h(Copyable, {
      label: 'Invitation URI',
      text: invited.uri,
      hint: 'For an agent: satchel workspace join URI',
    }),
    h('div', { class: 'buttons' }, button('Close', close)),
  ]
}

function Copyable({ label, text, hint }) {
  const [done, say] = useState('')
  const copy = () =>
    (navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('none'))).then(
      () => say('Copied.'),
      () => say('Copy it by hand.'),
    )
  return [
    h(
      'label',
      { class: 'field' },
      h('span', {}, label),
      h('textarea', { readonly: true, rows: 4, value: text }),
    ),
    hint && h('p', { class: 'hint' }, hint),
    h(
      'div',
      { class: 'buttons' },
      button('Copy', copy, { about: label, class: 'primary' }),
      h('span', { role: 'status' }, done),
    ),
  ]
}
