import { isDeepStrictEqual } from 'node:util'
import { isSatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { editText, type JsonEdit, rawAt } from './json-edit.ts'
import { pointerTokens, resolvePointer } from './json-pointer.ts'
import { bodyOf, type JsonDocument } from './json-text.ts'
import { quoted } from './secrets.ts'

/** One operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string | undefined
  readonly value?: unknown
}

/**
 * Applies the operations in order, all or none. Other bytes stay unchanged.
 * Errors: `invalid`/`patch_failed` with the operation's index, `invalid`/`duplicate_keys`.
 */
export function patchText(document: JsonDocument, operations: readonly PatchOperation[]): string {
  let current = document
  for (const [index, operation] of operations.entries()) {
    try {
      current = { ...current, text: applied(current, operation) }
    } catch (thrown) {
      throw failed(index, operation, thrown)
    }
  }
  return current.text
}

function applied(document: JsonDocument, operation: PatchOperation): string {
  const { text } = document
  const { op, path, from = '' } = operation
  const needsValue = op === 'add' || op === 'replace' || op === 'test'
  if (needsValue && operation.value === undefined) throw new RangeError('it has no value')
  if ((op === 'move' || op === 'copy') && operation.from === undefined) throw new RangeError('it has no from')
  const edit = (...edits: JsonEdit[]) => editText(document, edits)
  switch (op) {
    case 'add':
      return edit(added(text, path, { value: operation.value }))
    case 'remove':
      return edit({ op: 'remove', pointer: path })
    case 'replace':
      rawAt(text, path)
      return edit({ op: 'set', pointer: path, value: operation.value })
    case 'test':
      if (isDeepStrictEqual(valueAt(text, path), operation.value)) return text
      throw new RangeError('the value differs')
    case 'copy':
      return edit(added(text, path, { raw: rawAt(text, from) }))
    case 'move': {
      if (path.startsWith(`${from}/`)) throw new RangeError('a value cannot move into itself')
      const raw = rawAt(text, from)
      const without = edit({ op: 'remove', pointer: from })
      return editText({ ...document, text: without }, [added(without, path, { raw })])
    }
  }
}

/** `add` inserts into a list and sets a member of an object. */
function added(text: string, path: string, json: { value: unknown } | { raw: string }): JsonEdit {
  const tokens = pointerTokens(path)
  const last = tokens?.at(-1)
  if (!tokens || last === undefined) throw new RangeError('the whole record cannot be replaced')
  const parent = valueAt(text, path.slice(0, path.lastIndexOf('/')))
  if (typeof parent !== 'object' || parent === null)
    throw new RangeError('the parent is neither an object nor a list')
  return { op: Array.isArray(parent) ? 'insert' : 'set', pointer: path, ...json }
}

function valueAt(text: string, pointer: string): unknown {
  const found = resolvePointer(JSON.parse(bodyOf(text)), pointer)
  if (found.kind === 'missing') throw new RangeError('there is no value')
  return found.value
}

function failed(index: number, { op, path }: PatchOperation, thrown: unknown): unknown {
  const known =
    thrown instanceof RangeError || (isSatchelError(thrown) && thrown.reason === 'pointer_not_found')
  if (!known) return thrown
  const why = thrown instanceof RangeError ? thrown.message : 'there is no value'
  return refusals.patch_failed(
    { index, op, path: quoted(path, 120), why },
    { details: { index }, errors: [{ pointer: `/patch/${index}`, message: why }] },
  )
}
