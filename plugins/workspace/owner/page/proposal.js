import { h } from 'preact'
import { useState } from 'preact/hooks'
import { act } from './actions.js'
import { DiffView, isTooLarge, UnifiedDiff } from './diff-view.js'
import {
  apart,
  badge,
  button,
  empty,
  Field,
  keptField,
  Name,
  older,
  targetName,
  visible,
  when,
} from './dom.js'
import { may, store } from './store.js'

const OPEN = new Set(['pending', 'approved'])
const SETTLED_FIRST = 20

export function isOpen({ status }) {
  return OPEN.has(status)
}

/** What waits for a review first, then what is settled. */
export function Proposals({ room }) {
  const open = room.proposals.filter(isOpen)
  const settled = room.proposals.filter((one) => !isOpen(one))
  return [
    open.length === 0
      ? empty('No proposal is open.')
      : h(
          'ul',
          { class: 'cards' },
          open.map((one) => h(Card, { key: one.proposal_id, room, one })),
        ),
    settled.length > 0 && h(Settled, { room, settled }),
    older(room, 'proposals', act),
  ]
}

function Settled({ room, settled }) {
  const [shown, show] = useState(SETTLED_FIRST)
  return h(
    'details',
    {},
    h('summary', {}, `Settled (${settled.length})`),
    h(
      'ul',
      { class: 'cards' },
      settled.slice(0, shown).map((one) => h(Card, { key: one.proposal_id, room, one })),
    ),
    settled.length > shown && button('Show more settled proposals', () => show(shown + 100)),
  )
}

function Card({ room, one }) {
  const { proposal_id: id, summary, target, base_version, participant_id, created_at, status } = one
  const isShown = store.opened.get(id)?.place === 'queue'
  return h(
    'li',
    { class: 'card', id: `card-${id}`, tabindex: -1 },
    h('h3', { dir: 'auto' }, visible(summary)),
    h(
      'p',
      { class: 'meta' },
      badge(status),
      ' ',
      apart(targetName(target)),
      `, on version ${base_version}, by `,
      h(Name, { room, id: participant_id }),
      ', ',
      when(created_at),
      one.rebased_from && h(Rebased, { room, one }),
    ),
    one.reason && h('p', { class: 'reason' }, h('strong', {}, 'Reason: '), visible(one.reason)),
    h(
      'div',
      { class: 'buttons' },
      button(isShown ? 'Hide the changes' : 'Show the changes', () => act.toggleProposal(one, 'queue'), {
        'aria-label': `${isShown ? 'Hide' : 'Show'} the changes of: ${visible(summary)}`,
        'aria-expanded': String(isShown),
      }),
    ),
    isShown && h(Proposal, { room, one, place: 'queue' }),
    h(Review, { room, one }),
  )
}

/** Who rebases a proposal proposes it; the text may be another's. */
function Rebased({ room, one: { participant_id, rebased_from } }) {
  const author = room.proposals.find(({ proposal_id }) => proposal_id === rebased_from)?.participant_id
  if (author === undefined || author === participant_id) return ', rebased'
  return [', rebased from a proposal by ', h(Name, { room, id: author })]
}

/** What may be done with a proposal, and the comment that a decision takes along as its reason. */
export function Review({ room, one }) {
  const [comment, keep, clear] = keptField(room, `comment:${one.proposal_id}`)
  const [isAsked, ask] = useState(false)
  const { summary: about, status } = one
  const decide = (work) => async () => {
    if (!(await work(one, comment.trim()))) return
    clear(comment)
    ask(false)
  }
  const reject = () => (comment.trim() === '' ? ask(true) : decide(act.reject)())
  const isPending = status === 'pending'
  const mayReview = isPending && may(room, 'approve')
  const mayCommit = may(room, 'commit')
  const isMine = one.participant_id === room.status.you.participant_id
  const isStale = status !== 'committed' && (!isOpen(one) || one.base_version < room.status.version)
  const isShown = store.opened.has(one.proposal_id)
  return [
    mayReview &&
      (isShown || isAsked || comment !== '') &&
      h(Field, {
        label: 'Comment (goes with your decision as its reason)',
        rows: 2,
        value: comment,
        keep,
        maxlength: 2000,
        'data-comment': one.proposal_id,
      }),
    isAsked &&
      comment.trim() === '' &&
      h('p', { class: 'hint', role: 'status' }, 'Say why, then reject again.'),
    h(
      'div',
      { class: 'buttons' },
      mayReview && button('Approve', decide(act.approve), { about, class: 'good' }),
      mayReview &&
        mayCommit &&
        button('Approve and commit', decide(act.approveAndCommit), { about, class: 'good' }),
      mayReview && button('Reject', reject, { about, class: 'bad' }),
      status === 'approved' && mayCommit && button('Commit', decide(act.commit), { about, class: 'good' }),
      isPending && isMine && button('Withdraw', decide(act.withdraw), { about }),
      isStale && may(room, 'propose') && button('Rebase', decide(act.rebase), { about }),
    ),
  ]
}

/** The changes of one opened proposal. */
export function Proposal({ one }) {
  const opened = store.opened.get(one.proposal_id)
  if (!opened?.proposal) return h('p', { class: 'hint' }, 'Reading the changes…')
  const { proposal, before } = opened
  if (proposal.content === undefined) return empty('Its text is no longer kept.')
  if (before === undefined)
    return h('pre', { class: 'diff', dir: 'auto', tabindex: 0 }, visible(proposal.content))
  if (!isTooLarge(before, proposal.content)) return h(DiffView, { before, after: proposal.content })
  return [
    h(UnifiedDiff, { diff: proposal.diff }),
    proposal.diff_truncated &&
      h(
        'details',
        {},
        h('summary', {}, 'The changes are cut here. Show the whole new text'),
        h('pre', { class: 'diff', dir: 'auto', tabindex: 0 }, visible(proposal.content)),
      ),
  ]
}
