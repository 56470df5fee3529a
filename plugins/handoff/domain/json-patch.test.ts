import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PatchOperation, patchText } from './json-patch.ts'
import { pointerOf, pointerTokens } from './json-pointer.ts'
import { readJson } from './json-text.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)

/** A document in any layout that JSON allows, beside the value it holds. */
interface Written {
  readonly text: string
  readonly value: Record<string, unknown>
}

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>('x', 'a"\\b', '{', '[', ',', 1, -2.5, true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    members(tie('value')),
  ),
}))

function members(each: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc.dictionary(fc.constantFrom('a', 'b', 'a/b', '~1', '', '0', 'é"'), each, { maxKeys: 4 })
}

const blank = fc.constantFrom('', '', ' ', '\n', '\r\n  ', '\t')
const written: fc.Arbitrary<Written> = fc
  .tuple(
    members(value),
    fc.infiniteStream(blank),
    fc.constantFrom(undefined, 2, '\t'),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([value, blanks, indent, isOdd, hasMark]) => {
    const text = isOdd ? spread(value, blanks) : JSON.stringify(value, null, indent)
    return { value, text: hasMark ? `\uFEFF${text}` : text }
  })

/** JSON with a blank of its own between any two tokens. */
function spread(value: unknown, blanks: Iterator<string>): string {
  const gap = (): string => String(blanks.next().value)
  const list = (parts: readonly string[]) => parts.map((part) => `${gap()}${part}${gap()}`).join(',') || gap()
  if (Array.isArray(value)) return `[${list(value.map((each) => spread(each, blanks)))}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
  return `{${list(entries.map(([name, each]) => `${JSON.stringify(name)}${gap()}:${gap()}${spread(each, blanks)}`))}}`
}

/** Places that are there, and some that are not. */
const more = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom('/-', '/0', '/1', '/new', '/a~1b', '/01', '/~'),
)
const place = fc.tuple(fc.nat(), more)
const operation = fc.tuple(
  fc.constantFrom('add', 'add', 'add', 'copy', 'copy', 'remove', 'replace', 'replace', 'move', 'test'),
  place,
  place,
  fc.oneof(fc.constantFrom<unknown>(null, 7, 'new'), value),
)

test(`a patched text holds what RFC 6902 makes of its value, or is refused where that says so (seed ${SEED})`, () => {
  const seen = { done: 0, refused: 0 }
  fc.assert(
    fc.property(written, fc.array(operation, { minLength: 1, maxLength: 4 }), ({ text, value }, drawn) => {
      const places = pointersIn(value)
      const at = ([index, more]: readonly [number, string]) => `${places[index % places.length]}${more}`
      const operations = drawn.map(
        ([op, path, from, value]): PatchOperation => ({ op, path: at(path), from: at(from), value }),
      )
      const expected = modelled(value, operations)

      if (expected === undefined) {
        assert.throws(() => patchText(documentOf(text), operations), { reason: 'patch_failed' })
        seen.refused++
        return
      }
      const patched = patchText(documentOf(text), operations)
      assert.deepEqual(JSON.parse(patched.replace(/^\uFEFF/, '')), expected)
      assert.equal(patched.startsWith('\uFEFF'), text.startsWith('\uFEFF'))
      seen.done++
    }),
    { seed: SEED, numRuns: 2_000 },
  )
  assert.ok(seen.done > 200 && seen.refused > 200, JSON.stringify(seen))
})

test(`what a patch does not name keeps its bytes, in any layout (seed ${SEED})`, () => {
  fc.assert(
    fc.property(written, written, value, ({ text: left }, { text: right }, given) => {
      const [kept, other] = [left, right].map((text) => text.replace(/^\uFEFF/, ''))
      const text = `{ "kept" :${kept},"changed":${other}\r\n}`

      const patched = patchText(documentOf(text), [
        { op: 'add', path: '/changed/more', value: given },
        { op: 'remove', path: '/changed/more' },
        { op: 'replace', path: '/changed', value: given },
      ])

      assert.ok(patched.startsWith(`{ "kept" :${kept},"changed":`), patched)
      assert.ok(patched.endsWith('\r\n}'))
    }),
    { seed: SEED, numRuns: 500 },
  )
})

function documentOf(text: string) {
  const reading = readJson(text)
  assert.equal(reading.kind, 'read')
  if (reading.kind !== 'read') throw new TypeError('not JSON')
  return reading.document
}

/** Pointers to everything below a value, the members of its first level first. */
function pointersIn(value: unknown, base: readonly (string | number)[] = []): string[] {
  if (typeof value !== 'object' || value === null) return base.length === 0 ? ['/a'] : []
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  const here = entries.map(([name]) => pointerOf([...base, name]))
  const below = entries.flatMap(([name, each]) => pointersIn(each, [...base, name]))
  return here.length === 0 && base.length === 0 ? ['/a'] : [...here, ...below]
}

/** What the operations make of a value, written down from the RFC; undefined where one of them fails. */
function modelled(start: Record<string, unknown>, operations: readonly PatchOperation[]): unknown {
  const root = { '': structuredClone(start) as unknown }
  try {
    for (const operation of operations) model(root, operation)
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
  return root['']
}

function model(root: { '': unknown }, { op, path, from = '', value }: PatchOperation): void {
  if (op === 'test') {
    try {
      assert.deepEqual(read(root, path), value)
    } catch {
      throw new RangeError('another value')
    }
    return
  }
  if (op === 'move' && path.startsWith(`${from}/`)) throw new RangeError('into itself')
  const given = op === 'move' || op === 'copy' ? structuredClone(read(root, from)) : structuredClone(value)
  if (op === 'replace' || op === 'remove') read(root, path)
  if (op === 'move') take(root, from)
  if (op === 'remove' || op === 'replace') take(root, path)
  if (op !== 'remove') put(root, path, given)
}

function parentOf(root: { '': unknown }, pointer: string): [holder: object, name: string] {
  const tokens = pointerTokens(pointer)
  const name = tokens?.pop()
  if (!tokens || name === undefined) throw new RangeError('no place')
  const holder = tokens.reduce<unknown>((at, token) => own(at, token), root[''])
  if (typeof holder !== 'object' || holder === null) throw new RangeError('no holder')
  return [holder, name]
}

function own(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) throw new RangeError('no holder')
  if (Array.isArray(holder) && !/^(?:0|[1-9]\d*)$/.test(name)) throw new RangeError('no index')
  if (!Object.hasOwn(holder, name)) throw new RangeError('nothing there')
  return Reflect.get(holder, name)
}

function read(root: { '': unknown }, pointer: string): unknown {
  const [holder, name] = parentOf(root, pointer)
  return own(holder, name)
}

function take(root: { '': unknown }, pointer: string): void {
  const [holder, name] = parentOf(root, pointer)
  own(holder, name)
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else Reflect.deleteProperty(holder, name)
}

function put(root: { '': unknown }, pointer: string, value: unknown): void {
  const [holder, name] = parentOf(root, pointer)
  if (!Array.isArray(holder)) {
    Reflect.set(holder, name, value)
    return
  }
  const index = name === '-' ? holder.length : /^(?:0|[1-9]\d*)$/.test(name) ? Number(name) : Number.NaN
  if (!(index <= holder.length)) throw new RangeError('no index')
  holder.splice(index, 0, value)
}
