import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FIGURES } from '../../scripts/pictures/figures.ts'
import { barPlot } from '../../scripts/pictures/plots.ts'
import { once } from '../../server/plugin.ts'
import { isMustKeep } from './facts.ts'
import { type Channel, measureRetention } from './measure.ts'
import { plant } from './planted.ts'
import type { Scenario } from './played.ts'
import { SCENARIOS } from './scenarios.ts'

/** All scenarios, played once for all tests. */
const measured = once(() => measureRetention(process.env))

test('no compaction, resume or restart loses a fact that must be kept', async () => {
  const { must_keep, all, lost, rows } = await measured()

  assert.deepEqual(lost, [])
  assert.equal(must_keep.kept, must_keep.of)
  assert.ok(must_keep.of > 700, `${must_keep.of} facts`)
  assert.ok(all.kept / all.of > 0.95, `${all.kept} of ${all.of}`)
  const cut = rows.filter((row) => row.all.kept < row.all.of).map(({ scenario }) => scenario)
  // The one is over the bound; a child begins with nothing completed.
  assert.deepEqual(
    [...new Set(cut)],
    ['40 attempts and 20 constraints', 'continued with a next action of its own'],
  )
  const described = rows.filter(({ scenario }) => scenario !== 'nothing described')
  assert.ok(described.every(({ must_keep: { of } }) => of >= 10))
})

test('each scenario is measured in each way in which a session is given a record', async () => {
  const { rows } = await measured()
  const scenariosOf = (channel: Channel) =>
    rows.filter((row) => row.channel === channel).map(({ scenario }) => scenario)

  for (const channel of ['resume_text', 'resume_data', 'resource'] as const)
    assert.deepEqual(scenariosOf(channel), Object.keys(SCENARIOS))
  const hook = new Set(scenariosOf('hook'))
  assert.deepEqual(
    Object.keys(SCENARIOS).filter((scenario) => !hook.has(scenario)),
    ['a fresh session the next morning', 'notes of an ended session, the next morning'],
    'at startup a hook gives one line',
  )
})

test('the plot of what a session is given in docs/handoffs.md is what the measurement prints today', async () => {
  const drawn = FIGURES['retention.svg']
  assert.ok(drawn)

  const svg = barPlot(drawn.plot(await measured()))

  const kept = readFileSync(new URL('../../docs/pictures/retention.svg', import.meta.url), 'utf8')
  assert.equal(svg, kept, 'npm run pictures draws it again')
})

/** A scenario in which a fault of the program is played by an edit of the record. */
function faulty(fault: (data: Call, made: Made) => Promise<unknown>): Scenario {
  return async (stage) => {
    const planted = plant('one')
    const session = await stage.session('A')
    const { id, etag } = await session.data('handoff_create', planted.input)
    await fault(session.data, { id: String(id), etag: String(etag) })
    return { session, source: 'compact', facts: planted.facts }
  }
}
interface Made {
  readonly id: string
  readonly etag: string
}
type Call = (tool: string, input: Record<string, unknown>) => Promise<unknown>

for (const [name, pointer, missing] of [
  ['constraints', '/work/constraints', 3],
  ['criteria', '/work/definition_of_done', 2],
  ['attempts', '/failed_attempts', 2],
  ['next action', '/open_items', 2],
] as const) {
  test(`the meter bites: lost ${name} are found in every channel`, async () => {
    const patch = [{ op: 'replace', path: pointer, value: [] }]
    const emptied = faulty((call, { id, etag }) => call('handoff_update', { id, if_match: etag, patch }))

    const { lost } = await measureRetention(process.env, { [name]: emptied })

    assert.equal(lost.length, missing * 4)
    assert.equal(new Set(lost.map(({ channel }) => channel)).size, 4)
  })
}

test('the meter bites: a record that is no longer given loses everything', async () => {
  const archived = faulty((call, { id }) => call('handoff_transition', { id, to: 'archived' }))

  const { must_keep } = await measureRetention(process.env, { archived })

  const planted = plant('one').facts.filter(isMustKeep).length
  assert.deepEqual(must_keep, { kept: 0, of: planted * 4 })
})
