import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts, type Draft, type DraftStorage } from './drafts.ts'

function storageOf(rows: Map<string, string>, isFull = () => false): DraftStorage {
  return {
    get length() {
      return rows.size
    },
    key: (index) => [...rows.keys()][index] ?? null,
    getItem: (key) => rows.get(key) ?? null,
    setItem(key, value) {
      if (isFull()) throw new Error('QuotaExceededError')
      rows.set(key, value)
    },
    removeItem: (key) => void rows.delete(key),
  }
}

const DRAFT: Draft = {
  id: 'a',
  target: 'workspace',
  base: 'one',
  base_version: 1,
  text: 'two',
  why: '',
  at: 0,
}

function draftsIn(rows: Map<string, string>, workspaceId = 'ws_1', isFull = () => false) {
  let moment = 0
  return createDrafts({ storage: storageOf(rows, isFull), workspaceId, now: () => ++moment })
}

test('drafts of one room are listed newest first, and never those of another room', () => {
  const rows = new Map<string, string>()
  const drafts = draftsIn(rows)
  drafts.keep(DRAFT)
  drafts.keep({ ...DRAFT, id: 'b', text: 'three' })

  assert.deepEqual(
    drafts.list().map(({ id }) => id),
    ['b', 'a'],
  )
  assert.deepEqual(draftsIn(rows, 'ws_2').list(), [])
})

test('a draft that changes nothing is not kept, and one with only a reason is', () => {
  const rows = new Map<string, string>()
  const drafts = draftsIn(rows)
  drafts.keep(DRAFT)
  drafts.keep({ ...DRAFT, text: 'one' })
  const afterUndo = rows.size
  drafts.keep({ ...DRAFT, text: 'one', why: 'because' })

  assert.deepEqual([afterUndo, drafts.find('a')?.why], [0, 'because'])
})

test('a full storage is reported and leaves the draft that was there', () => {
  const rows = new Map<string, string>()
  let full = false
  const drafts = draftsIn(rows, 'ws_1', () => full)
  const kept = drafts.keep(DRAFT)
  full = true
  const refused = drafts.keep({ ...DRAFT, text: 'a longer text' })

  assert.deepEqual([kept, refused, drafts.find('a')?.text], [true, false, 'two'])
})

test('what another program wrote under the same name is not a draft', () => {
  for (const json of ['', '{', 'null', '[]', '{"id":"a"}', JSON.stringify({ ...DRAFT, at: 'now' })]) {
    assert.deepEqual(draftsIn(new Map([['satchel:draft:ws_1:a', json]])).list(), [], json)
  }
})
