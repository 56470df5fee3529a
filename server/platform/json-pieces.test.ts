import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLargeJson, jsonPieces } from './json-pieces.ts'
import { PIECE_LENGTH, pacedBody, slicesOf } from './paced-body.ts'

const LARGE: Readonly<Record<string, unknown>> = {
  text: { version: 3, content: 'a "quoted" line\n\u2028'.repeat(20_000), cut: undefined },
  pairs: [`x${'\u{1f600}'.repeat(PIECE_LENGTH)}`],
  halves: `${'a'.repeat(PIECE_LENGTH - 1)}\ud83d${'b'.repeat(PIECE_LENGTH)}\udc00`,
  rows: {
    rows: Array.from({ length: 9000 }, (_, at) => ({ target: `section:${at}`, line: at, none: null })),
  },
  deep: { a: [{ b: { c: 'é'.repeat(3 * PIECE_LENGTH), d: [] }, e: {} }, undefined, true] },
  names: Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`name "${at}"`, at])),
  absent: { long: 'a'.repeat(PIECE_LENGTH), absent: undefined },
}

for (const [name, value] of Object.entries(LARGE)) {
  test(`pieces of ${name} together are its JSON text`, () => {
    const pieces = [...jsonPieces(value)]

    assert.equal(pieces.join(''), JSON.stringify(value))
    assert.ok(pieces.length > 1)
    assert.ok(pieces.every((piece) => piece.length < 8 * PIECE_LENGTH))
  })
}

test('what is short is one piece', () => {
  for (const value of [{ a: 1 }, [], {}, 'text', null, [undefined]]) {
    assert.deepEqual([...jsonPieces(value)], [JSON.stringify(value)])
    assert.equal(isLargeJson(value), false)
  }
  assert.equal(isLargeJson(LARGE['text']), true)
})

test('of many large bodies one piece is sent in a turn', async () => {
  const bytes = new Uint8Array(20 * PIECE_LENGTH)
  let made = 0
  function* counted(): Generator<Uint8Array> {
    for (const piece of slicesOf(bytes)) {
      made += 1
      yield piece
    }
  }
  const bodies = Array.from({ length: 10 }, () => new Response(pacedBody(counted())).arrayBuffer())
  const perTurn: number[] = []
  const watched = (async () => {
    while (made < 200) {
      const before = made
      await new Promise((resolve) => setImmediate(resolve))
      perTurn.push(made - before)
    }
  })()

  const sizes = (await Promise.all(bodies)).map((body) => body.byteLength)
  await watched

  assert.deepEqual(sizes, Array(10).fill(bytes.length))
  assert.ok(Math.max(...perTurn) <= 2, 'an immediate of the test lies between two turns')
})

test('a client that disconnects ends the making of its pieces', async () => {
  let ended = false
  function* endless(): Generator<string> {
    try {
      for (;;) yield 'more'
    } finally {
      ended = true
    }
  }
  const reader = pacedBody(endless()).getReader()

  await reader.read()
  await reader.cancel()

  assert.equal(ended, true)
})
