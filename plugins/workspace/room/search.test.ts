import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestRoom } from '../testing/test-room.ts'
import { searched } from './search.ts'

test('a word in the content of a proposal is found', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await room.do(ada, 'propose', {
    base_version: 1,
    target: 'section:Plan/Goals',
    summary: 'idem',
    content: '## Goals\ndrink Tea2 daily\n',
  })

  const { matches, unsearched } = await room.look(ada, (view) => searched(view, { query: 'tea2 drink' }))

  assert.deepEqual(matches, [{ kind: 'proposal', ref: proposal_id, text: 'drink Tea2 daily' }])
  assert.equal(unsearched, undefined)
})

test('a line of an older version is found in the last version that had it, and in no other', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  for (const text of ['coffee\nstays\n', 'coffee\nstays\nmore\n', 'stays\n']) await room.write(text)
  const kinds = async (query: string) => {
    const { matches } = await room.look(ada, (view) => searched(view, { query }))
    return matches.map(({ kind, ref, text }) => `${kind} ${ref}: ${text}`)
  }

  assert.deepEqual(await kinds('coffee'), ['version 3: coffee'])
  assert.deepEqual(await kinds('stays'), ['document workspace: stays'])
  assert.deepEqual(await kinds('coffee more'), [])
})

test('a search reads texts up to its budget and says where it stopped', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const long = (mark: string) => `${mark}\n${'x'.repeat(250 * 1024)}\n`
  const proposals: string[] = []
  for (const mark of ['one', 'two', 'three', 'four', 'five']) {
    const { proposal_id } = await room.do(ada, 'propose', {
      base_version: 1,
      summary: 's',
      content: long(mark),
    })
    proposals.push(proposal_id)
  }
  for (const mark of ['six', 'seven', 'eight', 'nine', 'ten']) await room.write(long(mark))
  const found = (query: string) => room.look(ada, (view) => searched(view, { query }))

  const { matches, unsearched } = await found('two')
  assert.deepEqual(
    matches.map(({ ref }) => ref),
    [proposals[1]],
  )
  assert.deepEqual(unsearched, { version: 2, proposal_id: proposals[0] })
  assert.deepEqual((await found('seven')).matches, [{ kind: 'version', ref: '3', text: 'seven' }])
  assert.deepEqual((await found('six')).matches, [])
})

test('older texts beside a document that is longer than the budget are said to be unsearched', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await room.write(`last\n${'x'.repeat(1024 * 1024)}\n`)

  const { matches, unsearched } = await room.look(ada, (view) => searched(view, { query: 'last' }))

  assert.deepEqual(
    matches.map(({ kind }) => kind),
    ['document'],
  )
  assert.deepEqual(unsearched, { version: 1 })
})
