/** The type of an input as a list: every place that a value can have, with its type. */
import { type AttributeType, describeType, parseType, type TypeConstraint } from './type-constraint.ts'

/** One place in a value. */
export interface TypePath {
  /** `rules[].port`, `node_groups.*.labels`; the input's own name for the whole. */
  readonly path: string
  /** Without the attributes of objects: those have places of their own. */
  readonly type: string
  readonly required: boolean
  /** The source text of the second argument of `optional()`. */
  readonly fallback?: string
}

/** A type with more places than this is a mistake of its author; the rest is left out. */
const MAX_PATHS = 5_000

/** The places below an input, in source order; none for a type without objects. */
export function typePaths(name: string, type: string): readonly TypePath[] {
  const found: TypePath[] = []
  collect(parseType(type), name, found)
  return found
}

function collect(type: TypeConstraint, path: string, found: TypePath[]): void {
  if (found.length >= MAX_PATHS) return
  if (type.kind === 'object') {
    for (const [name, attribute] of type.attributes) addAttribute(attribute, `${path}.${name}`, found)
  } else if (type.kind === 'tuple') {
    for (const [at, item] of type.items.entries()) collect(item, `${path}[${at}]`, found)
  } else if ('of' in type) collect(type.of, type.kind === 'map' ? `${path}.*` : `${path}[]`, found)
}

function addAttribute({ type, optional, fallback }: AttributeType, path: string, found: TypePath[]): void {
  if (found.length >= MAX_PATHS) return
  found.push({
    path,
    type: describeType(type),
    required: !optional,
    ...(fallback !== undefined && { fallback }),
  })
  collect(type, path, found)
}
