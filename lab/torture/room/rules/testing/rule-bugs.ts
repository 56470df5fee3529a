import type { EventDraft } from '../../../../../plugins/workspace/domain/event.ts'
import type { Params } from '../../../../../plugins/workspace/domain/rows.ts'
import type { RuleBug } from '../rule-bug.ts'

const without = (name: string, is: (draft: EventDraft) => boolean): RuleBug => ({
  name,
  emit: (draft) => (is(draft) ? [] : [draft]),
})
const unstored = (name: string, is: (statement: string, params: Params) => boolean): RuleBug => ({
  name,
  run: (statement, params) => (is(statement, params) ? undefined : params),
})
const idOf = ({ payload }: EventDraft): string => String(payload['proposal_id'])

export const RULE_BUGS: readonly RuleBug[] = [
  without(
    'no proposal.superseded for ids ending in 0',
    (draft) => draft.type === 'proposal.superseded' && idOf(draft).endsWith('0'),
  ),
  unstored(
    'a superseded proposal stays pending',
    (statement, { status }) => statement === 'proposal_put' && status === 'superseded',
  ),
  without(
    'a proposal for a section is superseded without a word',
    ({ type, payload }) => type === 'proposal.superseded' && payload['target'] !== 'workspace',
  ),
  {
    name: 'a stale commit says change.committed',
    emit: (draft) =>
      draft.type === 'proposal.conflicted' ? [{ ...draft, type: 'change.committed' }, draft] : [draft],
  },
  unstored(
    'a conflicted proposal stays approved',
    (statement, { status }) => statement === 'proposal_put' && status === 'conflicted',
  ),
  {
    name: 'a rejection says proposal.approved',
    emit: (draft) => [draft.type === 'proposal.rejected' ? { ...draft, type: 'proposal.approved' } : draft],
  },
  unstored('the fence does not rise', (statement) => statement === 'fence_set'),
  without(
    'a renewed lease is not told',
    ({ type, payload }) => type === 'lease.acquired' && payload['renewed'] === true,
  ),
  unstored(
    'an expired lease stays active',
    (statement, { status }) => statement === 'lease_put' && status === 'expired',
  ),
  without(
    'the leases of a participant who left are released without a word',
    ({ type, payload }) => type === 'lease.released' && payload['reason'] === 'left',
  ),
  without(
    'a finished task is not told',
    ({ type, payload }) => type === 'task.updated' && payload['status'] === 'approved',
  ),
  {
    name: 'a cancelled handoff says handoff.rejected',
    emit: (draft) => [draft.type === 'handoff.cancelled' ? { ...draft, type: 'handoff.rejected' } : draft],
  },
  unstored(
    'a rebased proposal is told, but not stored',
    (statement, { json }) => statement === 'proposal_put' && String(json).includes('"rebased_from"'),
  ),
  unstored(
    'who left stays a member',
    (statement, { is_left }) => statement === 'participant_put' && is_left === 1,
  ),
  unstored(
    'a revoked session stays open',
    (statement, { json }) => statement === 'session_put' && String(json).includes('"ended_at"'),
  ),
  without('a revoked session ends without a word', ({ type }) => type === 'session.expired'),
]
