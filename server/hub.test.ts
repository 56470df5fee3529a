import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createHub, type Signal } from './hub.ts'
import { createLog } from './log.ts'

function quietHub() {
  const lines: string[] = []
  return {
    lines,
    hub: createHub(
      createLog(
        'trace',
        (line) => lines.push(line),
        () => new Date(0),
      ),
    ),
  }
}

test('equal signals of one turn arrive once, at the listener of that key and at the one for everything', async () => {
  const { hub } = quietHub()
  const got: Signal[] = []
  const all: Signal[] = []
  hub.on('a://1', (signal) => got.push(signal))
  hub.on('*', (signal) => all.push(signal))

  hub.emit({ kind: 'resource', uri: 'a://1' })
  hub.emit({ kind: 'resource', uri: 'a://1' })
  hub.emit({ kind: 'task', taskId: 'task_1', owners: ['local'] })
  assert.equal(got.length, 0, 'nothing is delivered inside the mutation')
  await turn()

  assert.deepEqual(got, [{ kind: 'resource', uri: 'a://1' }])
  assert.equal(all.length, 2)
})

test('a listener that throws is logged and removed, and the others are called', async () => {
  const { hub, lines } = quietHub()
  let calls = 0
  hub.on('a://1', () => {
    throw new Error('broken listener')
  })
  hub.on('a://1', () => calls++)

  hub.emit({ kind: 'resource', uri: 'a://1' })
  await turn()
  hub.emit({ kind: 'resource', uri: 'a://1' })
  await turn()

  assert.equal(calls, 2)
  assert.equal(lines.filter((line) => line.includes('broken listener')).length, 1)
  assert.equal(hub.listenerCount, 1)
})

test('a listener that ended hears nothing and leaves nothing behind', async () => {
  const { hub } = quietHub()
  let calls = 0
  const end = hub.on('a://1', () => calls++)

  end()
  end()
  hub.emit({ kind: 'resource', uri: 'a://1' })
  await turn()

  assert.equal(calls, 0)
  assert.equal(hub.listenerCount, 0)
})

test('the log is one JSON line per entry at or above its level, without secrets', () => {
  const lines: string[] = []
  const log = createLog(
    'warning',
    (line) => lines.push(line),
    () => new Date(0),
  )

  log.info('not loud enough')
  log.error('failed for https://ada:hunter2@example.test/x', {
    token: 'abc',
    nested: { api_key: 'k', list: ['Bearer ses_abcdefghijkl'] },
    error: new Error('bearer abcdefghijklmnop', { cause: new Error('ses_0123456789abcdef') }),
    big: 1n,
    deep: { a: { b: { c: { d: { e: { f: 1 } } } } } },
  })

  assert.equal(lines.length, 1)
  const [line = ''] = lines
  const entry = JSON.parse(line)
  assert.equal(entry.time, '1970-01-01T00:00:00.000Z')
  assert.equal(entry.level, 'error')
  assert.equal(entry.token, '[redacted]')
  assert.equal(entry.nested.api_key, '[redacted]')
  for (const secret of ['hunter2', 'abcdefghijkl', '0123456789abcdef'])
    assert.ok(!line.includes(secret), secret)
})

test('what throws when it is read, calls itself or is its own cause is a line of the log anyway', () => {
  const lines: string[] = []
  const log = createLog(
    'error',
    (line) => lines.push(line),
    () => new Date(0),
  )
  const own = new Error('own cause')
  own.cause = own
  const broken = (): never => {
    throw new Error('broken')
  }

  log.error('first', { own })
  log.error('second', {
    proxy: new Proxy({}, { getPrototypeOf: broken, ownKeys: broken }),
    stack: Object.defineProperty(new Error('x'), 'stack', { get: broken }),
    called: { toJSON: broken },
    get member() {
      return broken()
    },
    good: 1,
  })

  const [first = '', second = ''] = lines
  assert.match(JSON.parse(first).own, /own cause/)
  const { proxy, stack, member, called, good } = JSON.parse(second)
  assert.deepEqual([proxy, stack, member], Array(3).fill('[unreadable]'))
  assert.deepEqual([called.toJSON, good], ['[function]', 1])
})

test('a message that is not a text is a line of the log', () => {
  const lines: string[] = []
  const log = createLog(
    'error',
    (line) => lines.push(line),
    () => new Date(0),
  )
  const given: readonly unknown[] = [new Error('caught'), undefined, { odd: 1 }]

  for (const message of given) log.error(message as string) // as a plugin in JavaScript may

  const messages = lines.map((line) => JSON.parse(line).message)
  assert.match(messages[0], /^Error: caught/)
  assert.deepEqual(messages.slice(1), ['undefined', '{"odd":1}'])
})
