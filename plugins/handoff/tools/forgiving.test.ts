import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Handoff } from '../domain/record.ts'
import { type Answer, openTestProject, SMALL } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'

const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
const textOf = (n: number) => `${JSON.stringify({ ...VALID, id: idOf(n) }, null, 2)}\n`

test('a mere text is an item, JSON text is what it holds, and null is an absent member', async (t) => {
  const project = await openTestProject(t, { repository: true })

  const { path, warnings } = await project.call('handoff_create', {
    ...SMALL,
    constraints: 'Keep the URL',
    decisions: '[{"decision": "Compare in constant time", "rationale": null, "evidence_ids": "[]"}]',
    evidence: [{ type: 'command', claim: 'the suite passes', ref: 'npm test', result: null }],
    failed_attempts: ['Signed cookies'],
    open_items: ['Write the fixture'],
    artifacts: null,
    risks: ['The provider changes'],
    why_it_matters: null,
  })

  const record: Handoff = JSON.parse(project.read(path))
  assert.deepEqual(record.work.constraints, ['Keep the URL'])
  assert.equal(record.decisions[0]?.decision, 'Compare in constant time')
  assert.deepEqual([record.evidence[0]?.ref, record.evidence[0]?.result], ['npm test', null])
  assert.equal(record.failed_attempts?.[0]?.approach, 'Signed cookies')
  assert.equal(record.open_items[0]?.description, 'Write the fixture')
  assert.equal(record.risks[0]?.description, 'The provider changes')
  assert.deepEqual(warnings, [
    'open_items: no open item has a suggested_action; the brief shows the description of O-001 as the next action.',
  ])
})

test('a create names references to evidence that the record does not have, and keeps them', async (t) => {
  const project = await openTestProject(t)

  const { path, warnings } = await project.call('handoff_create', {
    ...SMALL,
    evidence: [{ id: 'E-001', type: 'observation', claim: 'it replays' }],
    decisions: [
      { decision: 'Compare in constant time', evidence_ids: ['E-001', 'E-404'] },
      { decision: 'Keep the URL', evidence_ids: ['E-001'] },
    ],
    failed_attempts: [{ approach: 'Signed cookies', evidence_ids: ['absent'] }],
  })

  const record: Handoff = JSON.parse(project.read(path))
  assert.deepEqual(record.decisions[0]?.evidence_ids, ['E-001', 'E-404'])
  const named = warnings.filter((line: string) => /E-404|absent/.test(line))
  assert.equal(named.length, 2, warnings.join('\n'))
  assert.match(named[0], /^\/decisions\/0\/evidence_ids/)
  assert.equal(warnings.filter((line: string) => line.includes('/decisions/1')).length, 0)
})

test('overrides of a child and lists of an update are as forgiving', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', SMALL)
  const child = await project.call('handoff_branch', {
    id,
    relation: 'continue',
    overrides: JSON.stringify({ open_items: ['Run the suite'] }),
  })
  const updated = await project.call('handoff_update', {
    id: child.id,
    if_match: child.etag,
    append: { failed_attempts: ['Polling'], decisions: [{ decision: 'x', evidence_ids: ['E-404'] }] },
  })

  const record: Handoff = JSON.parse(project.read(child.path))
  assert.ok(record.open_items.some(({ description }) => description === 'Run the suite'))
  assert.equal(record.failed_attempts?.at(-1)?.approach, 'Polling')
  assert.deepEqual(updated.warnings, [
    '/decisions/0/evidence_ids/0: "E-404" is not the id of an evidence item.',
  ])
})

test('an unknown member with a near neighbour stays as sent and is named', async (t) => {
  const project = await openTestProject(t, { repository: true })

  const { path, warnings } = await project.call('handoff_create', {
    ...SMALL,
    open_items: [
      { description: 'Add the fixture', action: 'Create it', acceptence_check: 'npm test', ticket: 'A-1' },
      { description: 'Run it', action: 'Now', suggested_action: 'npm test' },
    ],
    decisions: [{ decision: 'x', alternatives: ['y'], evidence_ids: ['proof'] }],
  })

  const record = JSON.parse(project.read(path))
  assert.equal(record.open_items[0].action, 'Create it')
  assert.deepEqual(warnings, [
    'decisions: "alternatives" is kept, but no reader knows it; did you mean "alternatives_considered"?',
    'open_items: "action" is kept, but no reader knows it; did you mean "suggested_action"?',
    'open_items: "acceptence_check" is kept, but no reader knows it; did you mean "acceptance_check"?',
    '/decisions/0/evidence_ids/0: "proof" is not the id of an evidence item.',
  ])
})

test('a patch that writes an unknown member with a near neighbour is told so, and no other change is', async (t) => {
  const project = await openTestProject(t)
  const { id, etag } = await project.call('handoff_create', {
    ...SMALL,
    open_items: [
      { description: 'Add the fixture', action: 'Create it' },
      { description: 'Run it', suggested_action: 'npm test' },
    ],
  })
  const patch = (if_match: string, path: string) =>
    project.call('handoff_update', { id, if_match, patch: [{ op: 'add', path, value: 'npm test' }] })

  const near = await patch(etag, '/open_items/1/acceptence_check')
  const known = await patch(near.etag, '/open_items/1/acceptance_check')
  const other = await patch(known.etag, '/summary/completed/-')

  assert.deepEqual(near.warnings, [
    'open_items: "acceptence_check" is kept, but no reader knows it; did you mean "acceptance_check"?',
  ])
  assert.deepEqual([known.warnings, other.warnings], [[], []])
  assert.equal(
    JSON.parse(project.read(`.handoffs/records/${id}.json`)).open_items[1].acceptence_check,
    'npm test',
  )
})

test('what is in no form that is harmless is refused', async (t) => {
  const project = await openTestProject(t)
  for (const wrong of [
    { open_items: [3] },
    { open_items: [null] },
    { constraints: [['a']] },
    { decisions: '{"decision": "x"}' },
    { title: null },
  ]) {
    await assert.rejects(project.call('handoff_create', { ...SMALL, ...wrong }), {
      reason: 'invalid_arguments',
    })
  }
})

test('a link, a folder and a damaged file do not stop the import of the others', async (t) => {
  const project = await openTestProject(t)
  project.write('from/1.json', textOf(1))
  project.write('from/2.json', '{')
  symlinkSync('/etc/hostname', join(project.root, 'from/3.json'))
  symlinkSync(join(project.root, 'nowhere.json'), join(project.root, 'from/4.json'))
  mkdirSync(join(project.root, 'from/5.json'))
  project.write('from/6.json', textOf(6))

  const { results } = await project.call('handoff_import', { path: 'from' })

  assert.deepEqual(
    results.map(({ outcome, reason }: { outcome: string; reason?: string }) => reason ?? outcome),
    ['imported', 'bad_json', 'path_refused', 'path_refused', 'not_a_file', 'imported'],
  )
})

test('a record that moved on here since its import is the same; one with another text is not', async (t) => {
  const project = await openTestProject(t)
  const given = textOf(1)
  await project.call('handoff_import', { content: given })
  project.advance(60)
  await project.call('handoff_transition', { id: idOf(1), to: 'archived' })

  const again = await project.call('handoff_import', { content: given })
  const other = await project.call('handoff_import', {
    content: given.replace('"title": "', '"title": "Not '),
  })

  assert.equal(JSON.parse(project.read(`.handoffs/records/${idOf(1)}.json`)).status, 'archived')
  assert.deepEqual(again.results[0], {
    source: 'content',
    id: idOf(1),
    outcome: 'same',
    detail: 'its status here is archived',
  })
  assert.equal(other.results[0].outcome, 'conflict')
})

test('a record that came in redacted is the same when it comes again', async (t) => {
  const project = await openTestProject(t)
  const secret = `ghp_${'a1B2'.repeat(9)}`
  const content = textOf(1).replace('"title": "', `"title": "${secret} `)

  const outcomes = []
  for (let n = 0; n < 2; n++) {
    const { results } = await project.call('handoff_import', { content, secrets: 'redact' })
    outcomes.push(results[0].outcome)
  }

  assert.deepEqual(outcomes, ['imported', 'same'])
})

test('an item without what it is about says so, and names what was meant', async (t) => {
  const project = await openTestProject(t)
  const items = [
    [
      { open_items: [{ priority: 'high', descripton: 'x' }] },
      '/open_items/0: the member "description" is missing',
      'descripton',
    ],
    [{ evidence: [{ type: 'test', claims: 'x' }] }, '/evidence/0: the member "claim" is missing', 'claims'],
    [{ artifacts: [{ role: 'read' }] }, '/artifacts/0: the member "path" is missing', undefined],
  ] as const
  for (const [given, message, suggestion] of items) {
    await assert.rejects(project.call('handoff_create', { ...SMALL, ...given }), (thrown: Answer) => {
      assert.ok(thrown.message.includes(message), thrown.message)
      assert.equal(thrown.details.errors[0].suggestion, suggestion)
      return true
    })
  }
})
