import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRecord } from '../testing/sample-record.ts'
import { mergeVersions } from './git-merge.ts'
import { documentOf } from './json-text.ts'
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

  assert.equal(conflicts.length, 1)
  assert.deepEqual(record.flags, ['conflicted'])
  assert.equal(record.work.objective, 'Ours wants this')
})

test('equal versions, and a side without changes, give the other side byte by byte', () => {
  const theirs = later({ ...BASE, status: 'resumed' }, 1)

  assert.equal(merged(BASE, BASE).text, version(BASE).document.text)
  assert.deepEqual(merged(BASE, theirs).record, theirs)
  assert.equal(merged(theirs, BASE).text, version(theirs).document.text)
})
