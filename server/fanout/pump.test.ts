import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { createJoiner } from './joined-frames.ts'
import { MAILBOX_FRAMES, Mailbox } from './mailbox.ts'
import { createPump } from './pump.ts'
import type { PumpReader } from './pump-reader.ts'
import { manualAfter } from './testing/manual-after.ts'

const LAGGED = Buffer.from('LAGGED')
const frame = (id: number): Buffer => Buffer.from(`${id};`)
const frames = (count: number): Buffer[] => Array.from({ length: count }, (_, at) => frame(at))

/** A sink that keeps what it was sent and takes `room` writes before it is full. */
function recordingSink(room = Number.POSITIVE_INFINITY) {
  const writes: string[] = []
  const buffers: Buffer[] = []
  const sink = {
    room,
    writes,
    buffers,
    destroyed: 0,
    write(joined: { plain(): Buffer }) {
      buffers.push(joined.plain())
      writes.push(joined.plain().toString())
      sink.room -= 1
      return sink.room > 0
    },
    destroy() {
      sink.destroyed += 1
    },
  }
  return sink
}

describe('mailbox', () => {
  it('takes 64 frames and is emptied and lagged by the 65th', () => {
    const mailbox = new Mailbox()
    for (const each of frames(MAILBOX_FRAMES)) mailbox.offer(each)
    assert.deepEqual([mailbox.size, mailbox.lagged], [64, false])

    mailbox.offer(frame(64))

    assert.deepEqual([mailbox.size, mailbox.lagged], [0, true])
  })

  it('drops everything after an overflow until the reader is notified', () => {
    const mailbox = new Mailbox({ maxFrames: 1 })
    for (const each of frames(3)) mailbox.offer(each)
    assert.equal(mailbox.size, 0)

    mailbox.resume()
    mailbox.offer(frame(9))

    assert.deepEqual(mailbox.take().map(String), ['9;'])
  })

  it('limits bytes too, but accepts one larger frame when the queue is empty', () => {
    const mailbox = new Mailbox({ maxBytes: 10 })
    mailbox.offer(Buffer.alloc(100))
    assert.deepEqual([mailbox.size, mailbox.lagged], [1, false])

    mailbox.offer(Buffer.alloc(1))

    assert.equal(mailbox.lagged, true)
  })
})

describe('joined frames', () => {
  it('are shared by readers with the very same frames and by no one else', () => {
    const joiner = createJoiner()
    const [a, b, c] = [frame(1), frame(2), frame(3)]

    assert.equal(joiner.join([a, b]).plain(), joiner.join([a, b]).plain())
    assert.equal(joiner.join([a, b, c]).plain().toString(), '1;2;3;')
    assert.notEqual(joiner.join([a, frame(2), c]).plain(), joiner.join([a, b, c]).plain())
    assert.equal(joiner.join([a, c]).chunk().toString(), '4\r\n1;3;\r\n')
  })
})

describe('pump', () => {
  it('sends all frames of one turn to one reader in one write', async () => {
    const pump = createPump()
    const sink = recordingSink()
    const reader = pump.add({ sink })

    for (const each of frames(3)) reader.offer(each)
    assert.deepEqual(sink.writes, [], 'nothing is written while frames are offered')
    await nextTurn()

    assert.deepEqual(sink.writes, ['0;1;2;'])
  })

  it('gives readers in step the same bytes', async () => {
    const pump = createPump()
    const sinks = [recordingSink(), recordingSink()]
    const readers = sinks.map((sink) => pump.add({ sink }))

    for (const each of frames(2)) for (const reader of readers) reader.offer(each)
    await nextTurn()

    assert.equal(sinks[0]?.buffers[0], sinks[1]?.buffers[0])
  })

  it('serves at most 256 readers a turn and the rest in the next', async () => {
    const pump = createPump()
    const sinks = Array.from({ length: 300 }, () => recordingSink())
    for (const sink of sinks) pump.add({ sink }).offer(frame(1))
    const served = () => sinks.filter((sink) => sink.writes.length === 1).length

    await nextTurn()
    const afterOneTurn = served()
    await nextTurn()
    await nextTurn()

    assert.deepEqual([afterOneTurn, served()], [256, 300])
  })

  it('does not send a frame twice when the sink is full', async () => {
    const pump = createPump()
    const sink = recordingSink(1)
    const reader = pump.add({ sink })
    reader.offer(frame(1))
    await nextTurn()
    reader.offer(frame(2))
    await nextTurn()
    assert.deepEqual([sink.writes, reader.blocked], [['1;'], true])

    sink.room = 5
    reader.drained()
    await nextTurn()

    assert.deepEqual(sink.writes, ['1;', '2;'])
  })

  it('writes a full mailbox of an unblocked reader immediately: a burst of 1,000 loses nothing', async () => {
    const pump = createPump()
    const sink = recordingSink()
    const reader = pump.add({ sink })
    const burst = frames(1000)

    for (const each of burst) reader.offer(each)
    await nextTurn()

    assert.equal(sink.writes.join(''), burst.join(''))
    assert.ok(sink.writes.length <= 16, `${sink.writes.length} writes`)
  })

  it('writes nothing while it is held: a burst after history is reported as lost, not sent before it', async () => {
    const pump = createPump()
    const sink = recordingSink()
    const reader = pump.add({ sink, onLag: () => LAGGED })
    reader.hold()

    for (const each of frames(65)) reader.offer(each)
    await nextTurn()
    const whileHeld = [...sink.writes]
    reader.release()
    await nextTurn()

    assert.deepEqual([whileHeld, sink.writes], [[], ['LAGGED']])
  })

  it('tells a blocked reader once that it lost frames, when there is room again', async () => {
    const pump = createPump()
    const sink = recordingSink(1)
    const reader = pump.add({ sink, onLag: () => LAGGED })
    reader.offer(frame(0))
    await nextTurn()
    for (const each of frames(200)) reader.offer(each)
    await nextTurn()
    assert.deepEqual(sink.writes, ['0;'])

    sink.room = 10
    reader.drained()
    await nextTurn()
    reader.offer(frame(7))
    await nextTurn()

    assert.deepEqual(sink.writes, ['0;', 'LAGGED', '7;'])
  })

  it('cuts a blocked reader off at the 65th frame when it has no word for lost ones', async () => {
    const pump = createPump()
    const sink = recordingSink(1)
    const reader = pump.add({ sink })
    reader.offer(frame(0))
    await nextTurn()

    for (const each of frames(64)) reader.offer(each)
    assert.equal(sink.destroyed, 0)
    reader.offer(frame(64))

    assert.equal(sink.destroyed, 1)
  })

  it('cuts a blocked reader off above its byte bound', async () => {
    const pump = createPump()
    const sink = recordingSink(1)
    const reader = pump.add({ sink, maxBytes: 256 * 1024 })
    reader.offer(frame(0))
    await nextTurn()

    for (let sent = 0; sent < 4; sent++) reader.offer(Buffer.alloc(64 * 1024))
    assert.equal(sink.destroyed, 0)
    reader.offer(Buffer.alloc(1))

    assert.equal(sink.destroyed, 1)
  })

  it('destroys a reader blocked for 30 s, and not one that drained in time', async () => {
    const clock = manualAfter()
    const pump = createPump(clock.after)
    const [dead, back] = [recordingSink(1), recordingSink(1)]
    const readers = [dead, back].map((sink) => pump.add({ sink }))
    for (const reader of readers) reader.offer(frame(0))
    await nextTurn()
    assert.deepEqual(
      [...clock.waiting].map(({ ms }) => ms),
      [30_000, 30_000],
    )

    readers[1]?.drained()
    clock.fire()

    assert.deepEqual([dead.destroyed, back.destroyed], [1, 0])
  })

  it('drops a closed reader and its timer, and returns its queued frames', async () => {
    const clock = manualAfter()
    const pump = createPump(clock.after)
    const reader = pump.add({ sink: recordingSink(1) })
    reader.offer(frame(0))
    await nextTurn()
    reader.offer(frame(1))

    const rest = reader.close()

    assert.deepEqual(rest.map(String), ['1;'])
    assert.deepEqual([pump.size, clock.waiting.size], [0, 0])
    assert.deepEqual(reader.close(), [])
    assert.equal(pump.size, 0)
  })

  it('shows any reader a rising sequence whose only holes follow a lag frame', async () => {
    const step = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.integer({ min: 1, max: 90 }).map((count) => ({ do: 'offer' as const, count })),
      },
      fc.constantFrom(
        { do: 'turn' as const },
        { do: 'drain' as const },
        { do: 'hold' as const },
        { do: 'release' as const },
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, room) => {
          const pump = createPump(manualAfter().after)
          const sink = recordingSink(room)
          const reader = pump.add({ sink, onLag: () => Buffer.from('L;') })
          let id = 0
          const act: Record<string, (count: number) => Promise<void> | void> = {
            offer: (count) => {
              for (let at = 0; at < count; at++) reader.offer(frame(++id))
            },
            turn: () => nextTurn(),
            drain: () => drain(reader, sink, room),
            hold: () => reader.hold(),
            release: () => reader.release(),
          }
          for (const each of steps) await act[each.do]?.('count' in each ? each.count : 0)
          reader.release()
          for (let at = 0; at < 4; at++) {
            drain(reader, sink, 9)
            await nextTurn()
          }

          assertOnlySaidHoles(sink.writes.join(''), id)
        },
      ),
      { numRuns: 150 },
    )
  })
})

function drain(reader: PumpReader, sink: { room: number }, room: number): void {
  sink.room = room
  reader.drained()
}

function assertOnlySaidHoles(sent: string, newest: number): void {
  let last = 0
  let mayJump = false
  for (const word of sent.split(';').slice(0, -1)) {
    if (word === 'L') {
      mayJump = true
      continue
    }
    const id = Number(word)
    assert.ok(mayJump ? id > last : id === last + 1, `${id} after ${last} in ${sent}`)
    last = id
    mayJump = false
  }
  assert.ok(mayJump || last === newest, `ends at ${last} of ${newest}`)
}
