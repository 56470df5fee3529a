import { forgetSession, get, newKey, post, Refused, remove } from './api.js'
import { attempt, confirmed, note, readOlder } from './attempt.js'
import { noteVersion, tick } from './document-change.js'
import { targetName } from './dom.js'
import * as editing from './editing.js'
import { createReadOrder } from './read-order.ts'
import { nameOf, store, update } from './store.js'

async function commitOf(proposal_id, summary) {
  const { version } = await post('/workspace/commit', { proposal_id })
  noteVersion(version, summary)
}

const proposalActs = {
  approve: (one, reason) =>
    attempt(
      () => reviewOf(one.proposal_id, true, reason).then(() => note(`Approved: ${one.summary}`)),
      'proposals',
    ),
  approveAndCommit: (one, reason) =>
    attempt(
      async () => {
        await reviewOf(one.proposal_id, true, reason)
        await commitOf(one.proposal_id, one.summary)
      },
      'proposals',
      'document',
    ),
  reject: (one, reason) =>
    attempt(async () => {
      await reviewOf(one.proposal_id, false, reason)
      note(`Rejected: ${one.summary}`, () => proposalActs.rebase(one))
    }, 'proposals'),
  withdraw: (one) =>
    attempt(async () => {
      await post('/workspace/proposal/withdraw', { proposal_id: one.proposal_id })
      note(`Withdrawn: ${one.summary}`, () => proposalActs.rebase(one))
    }, 'proposals'),
  commit: (one) => attempt(() => commitOf(one.proposal_id, one.summary), 'proposals', 'document'),
  /** What cannot be merged is opened in the editor: the author's text beside the newest one. */
  rebase: (one) =>
    attempt(async () => {
      try {
        await post('/workspace/proposal/rebase', { proposal_id: one.proposal_id })
        note(`On version ${store.room.status.version}: ${one.summary}`)
      } catch (thrown) {
        const why = NOT_REBASED[thrown.reason]
        if (why === undefined) throw thrown
        await editProposal(one)
        note(why)
      }
    }, 'proposals'),
}

const NOT_REBASED = {
  merge_conflict: 'Both sides changed the same lines: choose in the editor.',
  invalid_region: 'The document has no such section any more. The text is in the editor.',
}

const reviewOf = (proposal_id, approve, reason) =>
  post('/workspace/proposal/review', { proposal_id, approve, ...(reason && { reason }) })

async function editProposal(one) {
  const { proposal, before = '' } = await readProposal(one)
  if (proposal.content === undefined) throw new Refused(410, { detail: 'Its text is no longer kept.' })
  await editing.openEditor(one.target, {
    base: before.replaceAll('\r\n', '\n'),
    base_version: one.base_version,
    text: proposal.content.replaceAll('\r\n', '\n'),
    why: one.summary,
  })
}

/** A proposal with the text that it changes; that may no longer be kept. */
async function readProposal({ proposal_id, target, base_version }) {
  const proposal = await get(`/workspace/proposal?proposal_id=${proposal_id}`)
  const path = `/workspace/read?section=${encodeURIComponent(target)}&version=${base_version}`
  const before = await get(path).then(
    ({ content }) => content,
    () => undefined,
  )
  return { proposal, before }
}

/** Opens the changes of a proposal at a place, or closes them. */
async function toggleProposal(one, place) {
  const { proposal_id: id } = one
  const opened = new Map(store.opened)
  if (opened.get(id)?.place === place) {
    opened.delete(id)
    return update({ opened })
  }
  opened.set(id, { ...opened.get(id), place })
  update({ opened })
  if (opened.get(id).proposal) return undefined
  return attempt(async () => {
    const found = await readProposal(one)
    const now = new Map(store.opened)
    if (now.has(id)) now.set(id, { ...now.get(id), ...found })
    update({ opened: now })
  })
}

const draftActs = {
  edit: (target) => attempt(() => editing.openEditor(target)),
  editDraft: ({ id }) => attempt(() => editing.openDraft(id)),
  switchTarget: (id, target) => attempt(() => editing.switchTarget(id, target)),
  retarget: (id) => attempt(() => editing.retarget(id)),
  propose: (id) =>
    attempt(async () => {
      const sent = await editing.send(id)
      if (!sent) return
      note(`Proposed: ${sent.summary ?? 'your change'}`, () =>
        proposalActs.withdraw({ summary: '', ...sent }),
      )
    }, 'proposals'),
  commitDraft: (id) =>
    attempt(
      async () => {
        const { why } = store.editors.find(({ draft }) => draft.id === id).draft
        const sent = await editing.send(id)
        if (!sent) return
        await reviewOf(sent.proposal_id, true)
        await commitOf(sent.proposal_id, why)
      },
      'proposals',
      'document',
    ),
  discard: (id) => sayDiscarded(editing.discard(id)),
  discardClosed: (id) => attempt(async () => sayDiscarded(await editing.discardClosed(id))),
}

function sayDiscarded(draft) {
  if (!draft) return
  note('The draft is discarded.', () => attempt(() => editing.restore(draft)))
}

const memberActs = {
  async release({ lease_id, participant_id: holder, target }) {
    const question = `${targetName(target)}: end the lease of ${nameOf(store.room, holder)}? Others can change it then.`
    const isMine = holder === store.room.status.you.participant_id
    if (!isMine && !(await confirmed(question, 'Release'))) return
    await attempt(() => post('/workspace/release', { lease_id }), 'leases')
  },
  checkout: (target) => attempt(() => post('/workspace/checkout', { target }), 'leases'),
  async removeMember({ participant_id, name }) {
    const question = `Remove ${name} from the room? Its sessions end, and it needs a new invitation.`
    if (!(await confirmed(question, 'Remove'))) return
    await attempt(() => post('/workspace/leave', { participant_id }), 'participants')
  },
  async leave() {
    const question = 'Leave the room? Your sessions end, and you need a new invitation to come back.'
    if (!(await confirmed(question, 'Leave'))) return
    await attempt(async () => {
      await post('/workspace/leave', {})
      forgetSession()
    }, 'participants')
  },
  async endSession(session_id, name) {
    if (
      !(await confirmed(`End this session of ${name}? Only a new link or invitation opens another.`, 'End'))
    )
      return
    await attempt(() => remove(`/workspace/sessions/${session_id}`), 'participants')
    await readSessions()
  },
  /** A key for each click: the answer to the repeat of an invitation has no secret. */
  invite: (wish) =>
    attempt(async () => {
      const invited = await post('/workspace/invite', { ...wish, idempotency_key: newKey() })
      update({ invited })
    }, 'invites'),
  async revoke(invite_id, end_sessions) {
    const question = end_sessions
      ? 'Revoke this invitation and end the sessions of those who used it?'
      : 'Revoke this invitation? Those who used it stay.'
    if (!(await confirmed(question, 'Revoke'))) return
    await attempt(
      () => post('/workspace/invite/revoke', { invite_id, ...(end_sessions && { end_sessions }) }),
      'invites',
      'participants',
    )
  },
}

const handoffActs = {
  handOff: (wish) =>
    attempt(async () => {
      await post('/workspace/handoff', wish)
      note(`Handed off: ${wish.title}`)
    }, 'handoffs'),
  acceptHandoff: (handoff_id) => attempt(() => post('/workspace/handoff/accept', { handoff_id }), 'handoffs'),
  finishHandoff: (handoff_id, summary) =>
    attempt(() => post('/workspace/handoff/result', { handoff_id, summary }), 'handoffs'),
  async cancelHandoff({ handoff_id, title }) {
    if (!(await confirmed(`Cancel “${title}”? It cannot be taken up again.`, 'Cancel it'))) return
    await attempt(() => post('/workspace/handoff/cancel', { handoff_id }), 'handoffs')
  },
  async reviewHandoff({ handoff_id, title }, approve, reason) {
    if (!approve && !(await confirmed(`Reject the result of “${title}”? That is final.`, 'Reject')))
      return false
    return attempt(
      () => post('/workspace/handoff/review', { handoff_id, approve, ...(reason && { reason }) }),
      'handoffs',
    )
  },
}

const sessionReads = createReadOrder()

/** Sessions are shown to an admin only; those that cannot be read for the moment stay as they were. */
export async function readSessions() {
  const read = sessionReads.begin()
  const found = await get('/workspace/sessions?live=true&limit=200').catch(() => undefined)
  if (found && sessionReads.shows('sessions', read)) update({ sessions: found.sessions })
}

const EVENTS_STEP = 200

/** Shows events before those that are shown, as far back as the room keeps them. */
async function olderEvents() {
  const all = [...store.events, ...store.older]
  if (store.shownEvents < all.length) return update({ shownEvents: store.shownEvents + EVENTS_STEP })
  const oldest = all.at(-1)?.event_id ?? 0
  return attempt(async () => {
    const since = Math.max(0, oldest - 1 - EVENTS_STEP)
    const { events, oldest_event_id } = await get(
      `/workspace/events?since_event_id=${since}&limit=${EVENTS_STEP}`,
    )
    const found = events.filter(({ event_id }) => event_id < oldest).reverse()
    update({
      older: [...store.older, ...found],
      shownEvents: store.shownEvents + EVENTS_STEP,
      room: { ...store.room, oldest_event_id },
    })
  })
}

/** Everything that a control of the page does. */
export const act = {
  ...proposalActs,
  ...draftActs,
  ...memberActs,
  ...handoffActs,
  toggleProposal,
  tick,
  olderEvents,
  older: readOlder,
}
