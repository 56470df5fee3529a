import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ANSWER_DEFAULTS } from '../../server/answer/bounds.ts'
import { readerOf } from '../../server/answer/reader.ts'
import { missingFacts, probesOf } from './probes.ts'
import { buildProject } from './project.ts'
import { recordedMeasurements } from './recorded.ts'
import { replay } from './replay.ts'

const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-replay-')))
after(() => rm(folder, { recursive: true, force: true }))
const probes = probesOf(await buildProject(folder))

for (const client of recordedMeasurements())
  test(`every planted fact reaches the model of ${client.harness} in the channel that it hands on`, async (t) => {
    const given = await replay(t, folder, client, probes)

    const missing = probes.flatMap((probe, at) =>
      missingFacts(probe, given[at]).map((name) => `${probe.tool}: ${name}`),
    )
    assert.deepEqual(missing, [])
  })

test('the channel that satchel assumes of each client is the one that was measured', () => {
  for (const { harness, initialize, channel } of recordedMeasurements()) {
    const reader = readerOf(initialize.clientInfo.name, ANSWER_DEFAULTS)
    assert.equal(reader.channel ?? 'both', channel, harness)
  }
})

test('a model loses nothing when its client hands on another channel than its name says', async (t) => {
  for (const [assumed, taken] of [
    ['data', 'text'],
    ['text', 'data'],
  ] as const) {
    const client = recordedMeasurements().find(({ channel }) => channel === assumed)
    assert.ok(client)

    const given = await replay(t, folder, { ...client, channel: taken, channel_on_error: taken }, probes)

    assert.deepEqual(
      probes.flatMap((probe, at) => missingFacts(probe, given[at])),
      [],
      client.harness,
    )
  }
})

test('the comparison finds a fact that is missing', () => {
  for (const probe of probes) {
    const all = probe.facts.map(({ name }) => name)
    assert.deepEqual(missingFacts(probe, 'nothing of it'), all, probe.tool)
    assert.deepEqual(missingFacts(probe, undefined), all, probe.tool)
  }
})
