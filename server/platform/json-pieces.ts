import { isJsonObject } from './json-object.ts'
import { PIECE_LENGTH } from './paced-body.ts'

/** Reports whether the JSON text of plain data is long enough to be made in pieces; looks no further than needed. */
export function isLargeJson(value: unknown): boolean {
  return weighed(value, 2 * PIECE_LENGTH) < 0
}

/** Subtracts the approximate length of the JSON text of `value` from `room`; negative if the text is longer. */
function weighed(value: unknown, room: number): number {
  if (typeof value === 'string') return room - value.length
  if (typeof value !== 'object' || value === null) return room - 8
  let left = room
  for (const [name, member] of Object.entries(value)) {
    left = weighed(member, left - name.length)
    if (left < 0) return left
  }
  return left
}

/** The JSON text of plain data in pieces that together are what `JSON.stringify` gives. */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = ''
  for (const part of partsOf(value)) {
    piece += part
    if (piece.length < PIECE_LENGTH) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

function* partsOf(value: unknown): Generator<string> {
  if (weighed(value, PIECE_LENGTH) >= 0) yield JSON.stringify(value) ?? 'null'
  else if (typeof value === 'string') yield* stringParts(value)
  else if (Array.isArray(value)) yield* listParts(value)
  else if (isJsonObject(value)) yield* objectParts(value)
  else yield JSON.stringify(value) ?? 'null'
}

function* stringParts(text: string): Generator<string> {
  yield '"'
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_LENGTH
    // Half of a surrogate pair would be escaped.
    const isSplit = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
    const next = isSplit && end < text.length ? end - 1 : end
    yield JSON.stringify(text.slice(at, next)).slice(1, -1)
    at = next
  }
  yield '"'
}

function* listParts(list: readonly unknown[]): Generator<string> {
  let before = '['
  for (const member of list) {
    yield before
    yield* partsOf(member)
    before = ','
  }
  yield ']'
}

function* objectParts(object: Readonly<Record<string, unknown>>): Generator<string> {
  let before = '{'
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue
    yield `${before}${JSON.stringify(name)}:`
    yield* partsOf(member)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
