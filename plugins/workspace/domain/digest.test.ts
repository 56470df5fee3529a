import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { digest, tokensOf } from './digest.ts'
import { type EventType, makeEvent, type RoomEvent } from './event.ts'
import type { Handoff } from './handoff.ts'
import type { Proposal } from './proposal.ts'

const SEED = Number(process.env['SEED'] ?? 20_261_122)

const ME = 'par_me'

const summaries = fc.string({ maxLength: 300, unit: 'grapheme' })

const proposalRow = fc
  .record({ id: fc.uuid(), mine: fc.boolean(), pending: fc.boolean(), summary: summaries })
  .map(
    ({ id, mine, pending, summary: text }): Proposal => ({
      proposal_id: `prop_${id}`,
      participant_id: mine ? ME : 'par_other',
      target: 'workspace',
      base_version: 1,
      base_region_hash: '',
      content_hash: '',
      content_bytes: 0,
      summary: text,
      status: pending ? 'pending' : 'rejected',
      created_at: '',
    }),
  )

const handoffRow = fc.record({ id: fc.uuid(), mine: fc.boolean(), title: summaries }).map(
  ({ id, mine, title }): Handoff => ({
    handoff_id: `ho_${id}`,
    task_id: '',
    from: 'par_other',
    ...(mine && { to: ME }),
    title,
    objective: '',
    base_version: 1,
    has_record: false,
    status: 'created',
    created_at: '',
    updated_at: '',
  }),
)

function eventOf(id: number, type: EventType, payload: RoomEvent['payload']): RoomEvent {
  return makeEvent({ type, payload }, { id, workspaceId: 'ws_1', at: '2026-11-20T13:00:00.000000+00:00' })
}

test('an answer never exceeds its budget, says what it left out, and keeps what matters most first', () => {
  fc.assert(
    fc.property(
      fc.array(proposalRow, { maxLength: 60 }),
      fc.array(handoffRow, { maxLength: 20 }),
      fc.integer({ min: 400, max: 8000 }),
      (proposals, handoffs, budget) => {
        const events = [
          ...proposals.map(({ proposal_id }, n) => eventOf(n + 1, 'proposal.created', { proposal_id })),
          ...handoffs.map(({ handoff_id }, n) =>
            eventOf(proposals.length + n + 1, 'handoff.created', { handoff_id }),
          ),
        ]
        const latest = events.length
        const told = digest(
          {
            since: 0,
            events,
            latest,
            oldest: 1,
            version: 1,
            me: ME,
            versions: [],
            proposals,
            leases: [],
            participants: [],
            handoffs,
          },
          budget,
        )

        assert.ok(tokensOf(told) <= budget, `${tokensOf(told)} of ${budget}`)
        assert.equal((told.counts['proposal.created'] ?? 0) + (told.counts['handoff.created'] ?? 0), latest)
        const complete =
          told.proposals.length === proposals.length && told.handoffs.length === handoffs.length
        assert.equal(told.truncated === undefined, complete)
        const toMe = handoffs.filter(({ to }) => to === ME).length
        if (told.proposals.length > 0) assert.equal(told.handoffs.filter((row) => row['to_me']).length, toMe)
      },
    ),
    { numRuns: Number(process.env['HISTORIES'] ?? 300) },
  )
})

test('what is cut of the current state is read on from the oldest event that is kept', () => {
  const proposals = fc.sample(
    proposalRow.map((row) => ({ ...row, status: 'pending' as const })),
    {
      seed: SEED,
      numRuns: 60,
    },
  )
  const base = { me: ME, version: 7, versions: [], proposals, leases: [], participants: [], handoffs: [] }

  const lost = digest({ ...base, since: 5, events: [], latest: 5000, oldest: 3001 }, 400)
  const ahead = digest({ ...base, since: 9000, events: [], latest: 5000, oldest: 3001 }, 400)

  assert.deepEqual(lost.truncated?.next.args, { since_event_id: 5 })
  assert.deepEqual(ahead.truncated?.next.args, { since_event_id: 3000 })
})

test('nothing new costs at most 120 tokens, and a lost range is the current state, said as a gap', () => {
  const base = { me: ME, version: 7, versions: [], proposals: [], leases: [], participants: [], handoffs: [] }
  const quiet = digest({ ...base, since: 2_000_000, events: [], latest: 2_000_000, oldest: 1_998_001 }, 800)
  const lost = digest({ ...base, since: 5, events: [], latest: 5000, oldest: 3001 }, 800)
  const ahead = digest({ ...base, since: 9000, events: [], latest: 5000, oldest: 3001 }, 800)

  assert.ok(tokensOf(quiet) <= 120, `${tokensOf(quiet)}`)
  assert.deepEqual([quiet.gap, lost.gap, ahead.gap], [false, true, true])
  assert.equal(lost.version.from, undefined)
})
