import { diffLines, h, visible, when } from './dom.js'

const PENDING = { pending: 'waits for review', approved: 'approved, not yet committed' }

/** Who has left is no member any more, but the event of joining still says the name. */
export function namesIn(events) {
  const joined = events.filter(({ event_type }) => event_type === 'participant.joined')
  return new Map(joined.map(({ payload }) => [payload.participant_id, payload.name]))
}

/** Names of participants by id, for everything that only holds ids. */
function nameOf(room, id) {
  const found = room.participants?.find((one) => one.participant_id === id)
  return found?.name ?? room.names?.get(id) ?? id ?? 'no one'
}

function empty(text) {
  return h('p', { class: 'empty' }, text)
}

function button(label, key, onclick, more = {}) {
  return h('button', { type: 'button', 'data-key': key, onclick, ...more }, label)
}

function may(room, capability) {
  const held = room.status?.you?.capabilities ?? []
  return held.includes(capability) || held.includes('admin')
}

export function proposals(room, act) {
  const open = room.proposals.filter(({ status }) => status in PENDING)
  const settled = room.proposals.filter(({ status }) => !(status in PENDING))
  return [
    open.length === 0
      ? empty('No proposal is open.')
      : h(
          'ul',
          { class: 'cards' },
          open.map((one) => card(room, one, act)),
        ),
    settled.length > 0 &&
      h(
        'details',
        {},
        h('summary', { 'data-key': 'settled' }, `Settled (${settled.length})`),
        h(
          'ul',
          { class: 'rows' },
          settled.map((one) =>
            h('li', {}, badge(one.status), ' ', one.summary, ' ', h('small', {}, one.target)),
          ),
        ),
      ),
    older(room, 'proposals', act),
  ]
}

/** Says that a list goes on, and reads on. */
function older(room, part, act) {
  if (room.next_cursors?.[part] === undefined) return false
  const label = `Show older ${part}`
  return h(
    'p',
    {},
    `The newest ${room[part].length} ${part} are shown here. `,
    button(label, `older-${part}`, () => act.older(part)),
  )
}

function badge(status) {
  return h('span', { class: `badge ${status}` }, status)
}

function card(room, proposal, act) {
  const { proposal_id: id, summary, target, base_version, participant_id, created_at, status } = proposal
  const place = h('div', { class: 'slot' })
  const show = button('Show changes', `show-${id}`, () => act.showProposal(id, place), {
    'aria-label': `Show the changes of: ${summary}`,
  })
  const buttons = [show]
  if (status === 'pending' && may(room, 'approve')) {
    buttons.push(
      button('Approve', `approve-${id}`, () => act.review(id, true), {
        class: 'good',
        'aria-label': `Approve: ${summary}`,
      }),
      button('Reject', `reject-${id}`, () => act.review(id, false), {
        class: 'bad',
        'aria-label': `Reject: ${summary}`,
      }),
    )
  }
  if (status === 'approved' && may(room, 'commit')) {
    buttons.push(
      button('Commit', `commit-${id}`, () => act.commit(id), {
        class: 'good',
        'aria-label': `Commit: ${summary}`,
      }),
    )
  }
  if (base_version < room.status.version) {
    buttons.push(
      button('Rebase', `rebase-${id}`, () => act.rebase(id), { 'aria-label': `Rebase: ${summary}` }),
    )
  }
  return h(
    'li',
    { class: 'card' },
    h('h3', {}, summary),
    h(
      'p',
      { class: 'meta' },
      badge(status),
      ` ${target} on version ${base_version} by ${nameOf(room, participant_id)}, `,
      when(created_at),
    ),
    h('div', { class: 'buttons' }, buttons),
    place,
  )
}

/** The changes of one proposal, read when asked for. */
export function proposalDetail(proposal) {
  if (proposal.diff) {
    return [diffLines(proposal.diff), proposal.diff_truncated && wholeText(proposal)]
  }
  if (proposal.content !== undefined)
    return h('pre', { class: 'diff', tabindex: '0' }, visible(proposal.content))
  return empty('Its text is no longer kept.')
}

/** What a reviewer approves is more than the cut diff shows. */
function wholeText({ proposal_id: id, content }) {
  return h(
    'details',
    {},
    h('summary', { 'data-key': `whole-${id}` }, 'The changes are cut here. Show the whole new text'),
    h('pre', { class: 'diff', tabindex: '0' }, visible(content)),
  )
}

export function leases(room, act) {
  const rows = room.leases.map((lease) =>
    h(
      'li',
      {},
      h('strong', {}, lease.target),
      ` by ${nameOf(room, lease.participant_id)}, until `,
      when(lease.expires_at),
      ' ',
      button('Release', `release-${lease.lease_id}`, () => act.release(lease.lease_id), {
        'aria-label': `Release the lease on ${lease.target}`,
      }),
    ),
  )
  return [
    rows.length === 0 ? empty('Nothing is checked out.') : h('ul', { class: 'rows' }, rows),
    button('Check out the document', 'checkout', () => act.checkout()),
  ]
}

export function participants(room, act) {
  return h(
    'ul',
    { class: 'rows' },
    room.participants.map(({ participant_id: id, name, kind, capabilities, joined_at }) =>
      h(
        'li',
        {},
        h('strong', {}, name),
        ` ${kind}, since `,
        when(joined_at),
        h('br'),
        h('small', {}, capabilities.join(', ')),
        ' ',
        id !== room.status.you.participant_id &&
          may(room, 'admin') &&
          button('Remove', `remove-${id}`, () => act.removeMember(id), {
            class: 'bad',
            'aria-label': `Remove ${name} from the room`,
          }),
      ),
    ),
  )
}

export function sessions(found, room, act) {
  return h(
    'ul',
    { class: 'rows' },
    found.map(({ session_id: id, participant_id, transport, expires_at }) =>
      h(
        'li',
        {},
        `${nameOf(room, participant_id)} (${transport}), until `,
        when(expires_at),
        ' ',
        button('End', `end-${id}`, () => act.endSession(id), {
          'aria-label': `End the session of ${nameOf(room, participant_id)}`,
        }),
      ),
    ),
  )
}

export function invites(room, act) {
  if (!room.invites) return empty('You may not invite.')
  const now = new Date().toISOString()
  const open = room.invites.filter(
    ({ revoked_at, expires_at, used_count, max_uses }) =>
      revoked_at === undefined && expires_at > now && used_count < (max_uses ?? Number.POSITIVE_INFINITY),
  )
  return [
    button('Invite an agent', 'invite', () => act.invite()),
    open.length === 0
      ? empty('No invitation is open.')
      : h(
          'ul',
          { class: 'rows' },
          open.map(({ invite_id: id, capabilities, used_count, max_uses, expires_at }) =>
            h(
              'li',
              {},
              `${capabilities.join(', ')}; used ${used_count} of ${max_uses ?? 'any number'}, until `,
              when(expires_at),
              ' ',
              button('Revoke', `revoke-${id}`, () => act.revoke(id), {
                class: 'bad',
                'aria-label': `Revoke invitation ${id}`,
              }),
            ),
          ),
        ),
    older(room, 'invites', act),
  ]
}

export function handoffs(room, act) {
  if (room.handoffs.length === 0) return empty('No handoff yet.')
  const cards = h(
    'ul',
    { class: 'cards' },
    room.handoffs.map(({ handoff_id: id, title, objective, status, from, to, acceptor, result_summary }) =>
      h(
        'li',
        { class: 'card' },
        h('h3', {}, title),
        h(
          'p',
          { class: 'meta' },
          badge(status),
          ` from ${nameOf(room, from)} to ${acceptor || to ? nameOf(room, acceptor ?? to) : 'anyone'}`,
        ),
        h('p', { class: 'lines' }, visible(objective)),
        result_summary && h('p', {}, h('strong', {}, 'Result: '), result_summary),
        status === 'result_ready' &&
          h(
            'div',
            { class: 'buttons' },
            button('Approve', `ho-approve-${id}`, () => act.reviewHandoff(id, true), {
              class: 'good',
              'aria-label': `Approve the result of: ${title}`,
            }),
            button('Reject', `ho-reject-${id}`, () => act.reviewHandoff(id, false), {
              class: 'bad',
              'aria-label': `Reject the result of: ${title}`,
            }),
          ),
      ),
    ),
  )
  return [cards, older(room, 'handoffs', act)]
}

export function events(list, room) {
  if (list.length === 0) return empty('No event yet.')
  return h(
    'ol',
    { class: 'events', reversed: true, start: list[0].event_id },
    list.slice(0, 60).map((event) => {
      const { summary, target, name, status } = event.payload
      const who = event.actor_id ? nameOf(room, event.actor_id) : ''
      const what = [
        summary ?? (name === who ? '' : name) ?? target ?? '',
        event.version ? `version ${event.version}` : '',
        status ?? '',
      ]
      return h(
        'li',
        { value: event.event_id },
        h('strong', {}, event.event_type),
        ` ${[who, ...what].filter((part) => part !== '').join(' · ')} `,
        h('small', {}, when(event.created_at)),
      )
    }),
  )
}
