import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRecord } from '../testing/sample-record.ts'
import { mergeVersions } from './git-merge.ts'
import { documentOf } from './json-text.ts'
import type { MergeConflict } from './merge-conflicts.ts'
import type { Handoff } from './record.ts'

const BASE = { ...sampleRecord(1, 1300), x_satchel: { history: [], session: 'one' }, number: 1.0 }

function version(record: object) {
  const document = documentOf(`${JSON.stringify(record, null, 2)}\n`)
  return { document, record: document.value as Handoff }
}

const merged = (ours: object, theirs: object) => {
  const { text, conflicts } = mergeVersions(version(BASE), version(ours), version(theirs))
  return { record: JSON.parse(text), text, conflicts }
}

const later = (record: object, hours: number) => ({
  ...record,
  updated_at: new Date(Date.parse(BASE.updated_at) + hours * 3_600_000).toISOString(),
})

test('two sessions that resumed one record on two branches merge without a conflict', () => {
  const ours = later({ ...BASE, status: 'resumed' }, 1)
  const theirs = later({ ...BASE, status: 'superseded' }, 2)

  const { record, conflicts } = merged(ours, theirs)

  assert.deepEqual(conflicts, [])
  assert.equal(record.status, 'superseded')
  assert.deepEqual(record, theirs)
})

test('what each side added is in the result, and bytes that only ours has stay', () => {
  const ours = {
    ...BASE,
    decisions: [...BASE.decisions, { ...BASE.decisions[0], id: 'D-050', decision: 'Ours decides' }],
    extra_ours: { a: 1 },
  }
  const theirs = later(
    {
      ...BASE,
      decisions: [...BASE.decisions, { ...BASE.decisions[0], id: 'D-050', decision: 'Theirs decides' }],
      summary: { ...BASE.summary, completed: [...BASE.summary.completed, 'Theirs is done'] },
    },
    3,
  )

  const { record, conflicts } = merged(ours, theirs)

  const decisions = record.decisions.map(({ decision }: { decision: string }) => decision)
  assert.ok(decisions.includes('Ours decides') && decisions.includes('Theirs decides'))
  assert.equal(new Set(record.decisions.map(({ id }: { id: string }) => id)).size, record.decisions.length)
  assert.ok(record.summary.completed.includes('Theirs is done'))
  assert.deepEqual(record.extra_ours, { a: 1 })
  assert.deepEqual(conflicts, [])
})

test('a contradiction is flagged in a readable record', () => {
  const ours = { ...BASE, work: { ...BASE.work, objective: 'Ours wants this' } }
  const theirs = { ...BASE, work: { ...BASE.work, objective: 'Theirs wants that' } }

  const { record, conflicts } = merged(ours, theirs)

  assert.deepEqual(conflicts, [
    {
      id: 'C-001',
      kind: 'scalar',
      field: 'objective',
      subject: 'objective',
      positions: [
        { parent: 'ours', text: 'Ours wants this' },
        { parent: 'theirs', text: 'Theirs wants that' },
      ],
    },
  ])
  assert.deepEqual(record.x_satchel.conflicts, conflicts)
  assert.deepEqual(record.flags, ['conflicted'])
  assert.equal(record.work.objective, 'Ours wants this')
})

test('a reason and a free member that both sides changed keep both texts, behind conflicts of an earlier merge', () => {
  const kept = { id: 'C-004', kind: 'scalar', field: 'title', subject: 'title', positions: [] }
  const ours = {
    ...BASE,
    summary: { ...BASE.summary, why_it_matters: 'ours' },
    x_satchel: { ...BASE.x_satchel, conflicts: [kept] },
    number: 2,
  }
  const theirs = { ...BASE, summary: { ...BASE.summary, why_it_matters: 'theirs' }, number: 3 }

  const { record } = merged(ours, theirs)

  assert.deepEqual(
    record.x_satchel.conflicts.map(({ id, kind, field, positions }: MergeConflict) => [
      ...[id, kind, field],
      positions.map(({ text }) => text),
    ]),
    [
      ['C-004', 'scalar', 'title', []],
      ['C-005', 'scalar', 'why_it_matters', ['ours', 'theirs']],
      ['C-006', 'member', '/number', ['2', '3']],
    ],
  )
  assert.equal(record.number, 2)
})

test('of what a machine captured on both sides the later counts, without a conflict', () => {
  const captured = (session: string) => ({ history: [], session, content_sha256: `sha256:${session}` })
  const ours = later({ ...BASE, x_satchel: captured('two') }, 1)
  const theirs = later({ ...BASE, x_satchel: captured('three') }, 2)

  assert.deepEqual(merged(ours, theirs).conflicts, [])
  assert.equal(merged(ours, theirs).record.x_satchel.session, 'three')
  assert.equal(merged(theirs, ours).record.x_satchel.session, 'three')
})

test('equal versions, and a side without changes, give the other side byte by byte', () => {
  const theirs = later({ ...BASE, status: 'resumed' }, 1)

  assert.equal(merged(BASE, BASE).text, version(BASE).document.text)
  assert.deepEqual(merged(BASE, theirs).record, theirs)
  assert.equal(merged(theirs, BASE).text, version(theirs).document.text)
})
