import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keeps } from '../figure.ts'
import { compare, type Peer, type Side } from './comparison.ts'

type Name = 'wall' | 'rate'
const METRICS = {
  wall: { what: 'time', unit: 'ms', sense: 'at_most' },
  rate: { what: 'work', unit: '/s', sense: 'at_least' },
} as const

describe('a comparison with peers', () => {
  it('is lost against a planted quicker peer and won against a slower one, by every metric', async () => {
    const ours = planted({ wall: 10, rate: 100 })
    const peers = [peer('slower', { wall: 20, rate: 50 }), peer('quicker', { wall: 5, rate: 200 })]

    const { figures, missing } = await compared(ours.side, peers)

    assert.deepEqual(missing, [])
    assert.deepEqual(
      figures.map((figure) => [figure.name, figure.ratio, keeps(figure, 'goal')]),
      [
        ['peers.test.wall.slower', 0.5, true],
        ['peers.test.rate.slower', 2, true],
        ['peers.test.wall.quicker', 2, false],
        ['peers.test.rate.quicker', 0.5, false],
      ],
    )
  })

  it('takes turns, and does not count the first round', async () => {
    const order: string[] = []
    const ours = planted({ wall: 1, rate: 1 }, () => order.push('ours'))
    const other = planted({ wall: 1, rate: 1 }, () => order.push('other'))

    const { figures } = await compared(ours.side, [{ name: 'other', open: async () => other.side }])

    assert.deepEqual(order, ['ours', 'other', 'ours', 'other', 'ours', 'other'])
    assert.deepEqual(figures[0]?.rounds, { ours: [1, 1], against: [1, 1] })
  })

  it('names a peer that cannot be opened or fails later, goes on with the others and closes all', async () => {
    const ours = planted({ wall: 1, rate: 1 })
    const failing = planted({ wall: 1, rate: 1 }, (call) => {
      if (call === 2) throw new Error('it ran out of memory')
    })
    const peers: Peer<Name>[] = [
      { name: 'absent', open: () => Promise.reject(new Error('not installed: E404')) },
      { name: 'failing', open: async () => failing.side },
      peer('sound', { wall: 2, rate: 2 }),
    ]

    const { figures, missing } = await compared(ours.side, peers)

    assert.deepEqual(missing, [
      { peer: 'absent', reason: 'not installed: E404' },
      { peer: 'failing', reason: 'it ran out of memory' },
    ])
    assert.deepEqual(
      figures.map(({ name }) => name),
      ['peers.test.wall.sound', 'peers.test.rate.sound'],
    )
    assert.deepEqual([ours.closed(), failing.closed()], [true, true])
  })

  it('fails if ours fails, and closes the others', async () => {
    const other = planted({ wall: 1, rate: 1 })
    const ours = planted({ wall: 1, rate: 1 }, () => {
      throw new Error('ours is broken')
    })

    await assert.rejects(
      compared(ours.side, [{ name: 'other', open: async () => other.side }]),
      /ours is broken/,
    )
    assert.equal(other.closed(), true)
  })

  it('ends when it is told to stop, without taking that for a failure of a peer', async () => {
    const stop = new AbortController()
    const ours = planted({ wall: 1, rate: 1 }, () => stop.abort(new Error('stopped')))

    await assert.rejects(compared(ours.side, [peer('other', { wall: 1, rate: 1 })], stop.signal), /stopped/)
  })
})

async function compared(
  ours: Side<Name>,
  peers: readonly Peer<Name>[],
  signal = new AbortController().signal,
) {
  return await compare({
    name: 'peers.test',
    rounds: 2,
    metrics: METRICS,
    ours,
    peers,
    signal,
    note: () => {},
  })
}

function peer(name: string, values: Record<Name, number>): Peer<Name> {
  return { name, open: async () => planted(values).side }
}

function planted(values: Record<Name, number>, measured: (call: number) => void = () => {}) {
  let calls = 0
  let isClosed = false
  const side: Side<Name> = {
    async measure() {
      calls += 1
      measured(calls)
      return values
    },
    async close() {
      isClosed = true
    },
  }
  return { side, closed: () => isClosed }
}
