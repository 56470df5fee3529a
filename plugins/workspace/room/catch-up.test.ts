import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Digest } from '../domain/digest.ts'
import type { RoomEvent } from '../domain/event.ts'
import { freshRoom, LEASE_STATUS, steps } from '../testing/room-model.ts'
import { changesSince } from './catch-up.ts'
import type { Joined } from './members.ts'

const HISTORIES = Number(process.env['HISTORIES'] ?? 25)
const SEED = Number(process.env['SEED'] ?? 20_261_122)

test('what did I miss equals the fold of the events between, for random histories and cursors', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.commands(steps, { maxCommands: 25 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 5 }),
      async (commands, cursors) => {
        const { model, real } = await freshRoom(t)
        await fc.asyncModelRun(() => ({ model, real }), commands)
        const events = await real.room.events()
        const latest = events.at(-1)?.event_id ?? 0
        for (const since of [0, latest, ...cursors.map((cursor) => cursor % (latest + 1))]) {
          const told = await real.room.look(real.people[0] as Joined, (view) =>
            changesSince(view, { since_event_id: since, max_tokens: 8000 }),
          )
          assert.deepEqual(summary(told), plainFold(events, since), `since ${since}`)
          assert.deepEqual([told.to_event_id, told.gap, told.truncated], [latest, false, undefined])
        }
        await real.room.discard()
      },
    ),
    { numRuns: HISTORIES, seed: SEED, endOnFailure: true },
  )
  t.diagnostic(`seed ${SEED}, ${HISTORIES} histories`)
})

function summary(told: Digest) {
  const by = (rows: readonly Readonly<Record<string, unknown>>[], key: string) =>
    rows.map((row) => [row[key], row['status']]).sort()
  return {
    counts: { ...told.counts },
    versions: told.document.map(({ version }) => version).sort(),
    proposals: by(told.proposals, 'proposal_id'),
    leases: by(told.leases, 'lease_id'),
    handoffs: by(told.handoffs, 'handoff_id'),
  }
}

/** The same question answered from the events alone. */
function plainFold(events: readonly RoomEvent[], since: number) {
  const counts: Record<string, number> = {}
  const versions: number[] = []
  const proposals = new Map<string, string>()
  const leases = new Map<string, string>()
  const handoffs = new Map<string, string>()
  for (const { event_type, payload, version } of events.filter(({ event_id }) => event_id > since)) {
    counts[event_type] = (counts[event_type] ?? 0) + 1
    const status = String(payload['status'])
    const family = event_type.slice(0, event_type.indexOf('.'))
    if (family === 'change') versions.push(version ?? 0)
    if (family === 'proposal') proposals.set(String(payload['proposal_id']), status)
    if (family === 'lease') leases.set(String(payload['lease_id']), LEASE_STATUS[event_type] ?? '')
    if (family === 'handoff') handoffs.set(String(payload['handoff_id']), status)
  }
  return {
    counts,
    versions: versions.sort(),
    proposals: [...proposals].sort(),
    leases: [...leases].sort(),
    handoffs: [...handoffs].sort(),
  }
}
