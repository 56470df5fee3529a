import type { SatchelError } from './contract/errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { didYouMean, nearest } from './platform/nearest.ts'
import { refusals } from './refusals.ts'
import { innermost, shapeOf } from './schema-shape.ts'

/** A key that a schema does not take, dotted, and those that it takes there. */
export interface UnknownKey {
  readonly key: string
  readonly known: readonly string[]
}

/** The first key of a value that its schema would drop silently. `prefix` is that of all keys, with the last dot. */
export function findUnknownKey(schema: unknown, value: unknown, prefix = ''): UnknownKey | undefined {
  const inner = innermost(schema)
  if (Array.isArray(value) && inner.def?.element !== undefined) {
    const { element } = inner.def
    return firstOf(value.entries(), ([index, entry]) => findUnknownKey(element, entry, `${prefix}${index}.`))
  }
  const shape = shapeOf(schema)
  // A schema with a catchall says itself what else it takes; that of a strict one takes nothing.
  const more = innermost(inner.def?.catchall).def?.type ?? 'never'
  if (!shape || more !== 'never' || !isJsonObject(value)) return undefined
  return firstOf(Object.entries(value), ([name, entry]) =>
    Object.hasOwn(shape, name)
      ? findUnknownKey(shape[name], entry, `${prefix}${name}.`)
      : { key: `${prefix}${name}`, known: Object.keys(shape) },
  )
}

function firstOf<T, R>(all: Iterable<T>, find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The refusal of a key, with the nearest known one. `place` begins the message. */
export function unknownKey({ key, known }: UnknownKey, place = '', line?: number): SatchelError {
  const near = nearest(key.slice(key.lastIndexOf('.') + 1), known)
  return refusals.unknown_key(
    { place, key, hint: didYouMean(near, known) },
    { details: { key, ...(line !== undefined && { line }), ...(near && { nearest: near }) } },
  )
}
