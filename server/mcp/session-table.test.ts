import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SESSION_IDLE_MS } from './session-limits.ts'
import { createSessionTable } from './session-table.ts'

interface Entry {
  readonly name: string
  busy?: boolean
}

function open(t: TestContext) {
  const clock = { now: 0 }
  const ended: string[] = []
  const table = createSessionTable<Entry>({
    clock: () => clock.now,
    hasStream: ({ busy }) => busy === true,
    end: async ({ name }) => void ended.push(name),
  })
  t.after(() => table.close())
  const add = (name: string, principal = 'ada', busy = false): Promise<void> => {
    clock.now += 1
    return table.add(name, principal, { name, busy })
  }
  return { clock, ended, table, add }
}

test('a session is found by its principal only', async (t) => {
  const { table, add } = open(t)

  await add('one')

  assert.equal(table.find('one', 'ada')?.name, 'one')
  assert.equal(table.find('one', 'bob'), undefined)
  assert.equal(table.find('two', 'ada'), undefined)
})

test('the 257th session ends the idlest of all, and one with a stream stays', async (t) => {
  const { table, add, ended } = open(t)
  await add('first', 'p0', true)
  for (let count = 1; count < 256; count++) await add(`s${count}`, `p${count % 16}`)
  table.find('s1', 'p1')

  await add('last', 'p15')

  assert.deepEqual(ended, ['s2'])
})

test('when every session has a stream the next one is refused', async (t) => {
  const { add } = open(t)
  for (let count = 0; count < 32; count++) await add(`s${count}`, 'ada', true)

  await assert.rejects(add('more'), { code: 'rate_limited', reason: 'session_limit' })
  await add('other', 'bob')
})

test('idle for 30 minutes ends a session; a request starts the time again', async (t) => {
  const { table, add, clock, ended } = open(t)
  await add('used')
  await add('idle')
  clock.now += SESSION_IDLE_MS - 10
  table.find('used', 'ada')

  clock.now += 20

  assert.equal(table.find('used', 'ada')?.name, 'used')
  assert.equal(table.find('idle', 'ada'), undefined)
  assert.deepEqual(ended, ['idle'])
})

test('closing ends every session once', async (t) => {
  const { table, add, ended } = open(t)
  await add('one')
  await add('two')

  await table.remove('one')
  await table.close()
  await table.close()

  assert.deepEqual(ended, ['one', 'two'])
})
