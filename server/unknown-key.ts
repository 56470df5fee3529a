import type { z } from 'zod'
import type { SatchelError } from './contract/errors.ts'
import { pointerOf } from './field-errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { didYouMean, nearest } from './platform/nearest.ts'
import { refusals } from './refusals.ts'
import { innermost, shapeOf } from './schema-shape.ts'

/** A key that a schema does not take, and those that it takes there. */
export interface UnknownKey {
  /** Dotted. */
  readonly key: string
  /** Without what it is in. */
  readonly name: string
  readonly known: readonly string[]
}

/** The first key of a value that its schema would drop silently or refuse. `prefix` is that of all keys, with the last dot. */
export function findUnknownKey(schema: unknown, value: unknown, prefix = ''): UnknownKey | undefined {
  const inner = innermost(schema)
  // What the first schema passes on unchanged is what the second one reads.
  if (shapeOf(inner.def?.in)) return findUnknownKey(inner.def?.out, value, prefix)
  if (Array.isArray(value) && inner.def?.element !== undefined) {
    const { element } = inner.def
    return firstOf(value.entries(), ([index, entry]) => findUnknownKey(element, entry, `${prefix}${index}.`))
  }
  const taking = inner.def?.options?.find((option) => takes(option, value))
  if (taking !== undefined) return findUnknownKey(taking, value, prefix)
  const shape = shapeOf(schema)
  // A schema with a catchall says itself what else it takes; that of a strict one takes nothing.
  const more = innermost(inner.def?.catchall).def?.type ?? 'never'
  if (!shape || more !== 'never' || !isJsonObject(value)) return undefined
  return firstOf(Object.entries(value), ([name, entry]) =>
    Object.hasOwn(shape, name)
      ? findUnknownKey(shape[name], entry, `${prefix}${name}.`)
      : { key: `${prefix}${name}`, name, known: Object.keys(shape) },
  )
}

/** Whether a union reads the value by this option: the first that takes it. */
function takes(option: unknown, value: unknown): boolean {
  const { safeParse } = option as Partial<z.ZodType> // of a plugin's own zod, perhaps one that has no such method
  return safeParse?.(value).success === true
}

function firstOf<T, R>(all: Iterable<T>, find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Refuses an input with a member that its schema does not take, at any depth.
 * Errors: `invalid`/`unknown_argument`; `invalid`/`invalid_arguments` for a member of a part.
 */
export function requireKnownArguments(schema: unknown, input: unknown): void {
  const unknown = findUnknownKey(schema, input)
  if (unknown === undefined) return
  const { key, name, known } = unknown
  if (key === name) throw unknownArgument(name, known)
  const pointer = pointerOf([...key.slice(0, -name.length - 1).split('.'), shortened(name)])
  const fault = `is unknown. ${didYouMean(nearest(name, known), known)}`
  throw refusals.invalid_arguments({ field: pointer, fault }, { errors: [{ pointer, message: fault }] })
}

/** The refusal of an argument that is not one of `known`, with the nearest. */
export function unknownArgument(name: string, known: readonly string[]): SatchelError {
  const near = nearest(name, known)
  const shown = shortened(name)
  return refusals.unknown_argument(
    { name: shown, hint: didYouMean(near, known) },
    {
      details: { argument: shown, ...(near && { nearest: near }) },
      errors: [{ pointer: pointerOf([shown]), message: 'unknown argument' }],
    },
  )
}

function shortened(name: string): string {
  return name.slice(0, 80)
}

/** The refusal of a key, with the nearest known one. `place` begins the message. */
export function unknownKey({ key, name, known }: UnknownKey, place = '', line?: number): SatchelError {
  const near = nearest(name, known)
  return refusals.unknown_key(
    { place, key, hint: didYouMean(near, known) },
    { details: { key, ...(line !== undefined && { line }), ...(near && { nearest: near }) } },
  )
}
