import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestProject, SMALL } from '../testing/fixture.ts'
import type { Handoff } from './record.ts'

const SAID = {
  decisions: [{ decision: 'Compare in constant time', rationale: 'timing tells', evidence_ids: ['E-001'] }],
  evidence: [{ id: 'E-001', type: 'test', claim: 'The helper is tested', ref: 'npm test', result: 'fail' }],
  failed_attempts: [{ approach: 'Signed cookies', reason: 'dropped' }],
  open_items: [{ description: 'Add the fixture', suggested_action: 'Create it' }],
}

for (const [tool, more] of [
  ['handoff_create', (parent: string, said: object) => ({ ...SMALL, ...said, parent })],
  ['handoff_branch', (id: string, overrides: object) => ({ id, relation: 'continue', overrides })],
] as const) {
  test(`${tool} stores nothing twice that a child repeats, and keeps what it changes`, async (t) => {
    const project = await openTestProject(t)
    const parent = await project.call('handoff_create', { ...SMALL, ...SAID })

    const again = {
      decisions: [
        { decision: ' compare in  constant time', rationale: 'and the suite agrees', evidence_ids: ['mine'] },
      ],
      evidence: [
        { id: 'mine', type: 'test', claim: 'The helper is tested', ref: 'npm test', result: 'pass' },
      ],
      failed_attempts: [{ approach: 'Signed cookies' }, { approach: 'Polling' }],
      open_items: [{ description: 'Add the fixture', suggested_action: 'Create it with two callbacks' }],
    }
    const child = await project.call(tool, more(parent.id, again))

    const record: Handoff = JSON.parse(project.read(child.path))
    assert.deepEqual(
      record.decisions.map(({ id, rationale, evidence_ids }) => [id, rationale, evidence_ids]),
      [['D-001', 'and the suite agrees', ['E-001']]],
    )
    assert.deepEqual(
      record.evidence.map(({ id, result }) => [id, result]),
      [['E-001', 'pass']],
    )
    assert.deepEqual(
      record.failed_attempts?.map(({ id, approach, reason }) => [id, approach, reason]),
      [
        ['F-001', 'Signed cookies', 'dropped'],
        ['F-002', 'Polling', null],
      ],
    )
    assert.deepEqual(
      record.open_items.map(({ id, suggested_action }) => [id, suggested_action]),
      [['O-001', 'Create it with two callbacks']],
    )
  })
}
