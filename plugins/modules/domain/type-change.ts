/** Compares two type constraints of one input. */
import { plainLine } from './hcl-text.ts'
import { type AttributeType, describeType, type TypeConstraint } from './type-constraint.ts'

/**
 * One difference. `narrowed`: some value that fitted no longer does, or loses a part. `stated`: a type is required where
 * anything was taken, any text or any keys, so that the values that made sense most likely still fit. `widened`: every
 * value that fitted still does, by Terraform's conversions where necessary.
 */
export interface TypeDifference {
  readonly effect: 'narrowed' | 'stated' | 'widened'
  /** `settings.disks[*].size`. */
  readonly path: string
  /** What happened there, as the rest of a sentence. */
  readonly what: string
}

/** The differences in the order of the newer constraint; none where only the layout differs. */
export function compareTypes(before: TypeConstraint, after: TypeConstraint, path: string): TypeDifference[] {
  if (after.kind === 'any' || before.kind === 'any') return compareAny(before, after, path)
  if (before.kind === 'object' && after.kind === 'object')
    return compareObjects(before.attributes, after.attributes, path)
  if (before.kind === 'tuple' && after.kind === 'tuple') return compareTuples(before.items, after.items, path)
  if ('of' in before && 'of' in after && isConverted(before.kind, after.kind)) {
    const inner = compareTypes(before.of, after.of, `${path}[*]`)
    return before.kind === after.kind ? inner : [became('widened', path, before, after), ...inner]
  }
  if (before.kind === 'object' && after.kind === 'map') return objectToMap(before.attributes, after.of, path)
  if ('of' in before && before.kind === 'map' && after.kind === 'object')
    return mapToObject(before, after, path)
  return compareKinds(before, after, path)
}

function compareAny(before: TypeConstraint, after: TypeConstraint, path: string): TypeDifference[] {
  if (before.kind !== 'any') return [became('widened', path, before, after)]
  return after.kind === 'any' || before.implied ? [] : [became('stated', path, before, after)]
}

/** Values of `list`, `set` and `tuple` are converted to one another, those of a map only to a map. */
function isConverted(before: string, after: string): boolean {
  return before === after || (before !== 'map' && after !== 'map')
}

function compareKinds(before: TypeConstraint, after: TypeConstraint, path: string): TypeDifference[] {
  if (before.kind === 'unknown' || after.kind === 'unknown') {
    const same =
      before.kind === after.kind && 'text' in before && 'text' in after && before.text === after.text
    return same ? [] : [became('narrowed', path, before, after)]
  }
  if (before.kind === after.kind) return []
  const toText = after.kind === 'string' && (before.kind === 'bool' || before.kind === 'number')
  const tupleToList = before.kind === 'tuple' && (after.kind === 'list' || after.kind === 'set')
  const fromText = before.kind === 'string' && (after.kind === 'bool' || after.kind === 'number')
  if (fromText) return [became('stated', path, before, after)]
  return [became(toText || tupleToList ? 'widened' : 'narrowed', path, before, after)]
}

function became(
  effect: TypeDifference['effect'],
  path: string,
  before: TypeConstraint,
  after: TypeConstraint,
): TypeDifference {
  const [old, now] = [describeType(before), describeType(after)]
  return { effect, path, what: old === now ? 'has another type' : `changed from ${old} to ${now}` }
}

function objectToMap(
  attributes: ReadonlyMap<string, AttributeType>,
  of: TypeConstraint,
  path: string,
): TypeDifference[] {
  const inner = [...attributes].flatMap(([name, { type }]) => compareTypes(type, of, `${path}.${name}`))
  return [{ effect: 'widened', path, what: 'changed from an object to a map' }, ...inner]
}

/** What code reads of a map by name is what it then states as an object: the keys that it needs were needed before. */
function mapToObject(
  before: TypeConstraint & { readonly of: TypeConstraint },
  after: TypeConstraint & { readonly kind: 'object' },
  path: string,
): TypeDifference[] {
  const inner = [...after.attributes].flatMap(([name, { type }]) =>
    compareTypes(before.of, type, `${path}.${name}`),
  )
  const narrowed = inner.filter(({ effect }) => effect === 'narrowed')
  return [became('stated', path, before, after), ...narrowed]
}

function compareTuples(
  before: readonly TypeConstraint[],
  after: readonly TypeConstraint[],
  path: string,
): TypeDifference[] {
  if (before.length !== after.length) {
    return [{ effect: 'narrowed', path, what: `has ${after.length} elements instead of ${before.length}` }]
  }
  return before.flatMap((item, at) => {
    const now = after[at]
    return now === undefined ? [] : compareTypes(item, now, `${path}[${at}]`)
  })
}

function compareObjects(
  before: ReadonlyMap<string, AttributeType>,
  after: ReadonlyMap<string, AttributeType>,
  path: string,
): TypeDifference[] {
  const lost = [...before.keys()].filter((name) => !after.has(name))
  return [
    ...lost.map(
      (name): TypeDifference => ({ effect: 'narrowed', path: `${path}.${name}`, what: 'was removed' }),
    ),
    ...[...after].flatMap(([name, now]) => compareAttributes(before.get(name), now, `${path}.${name}`)),
  ]
}

function compareAttributes(
  old: AttributeType | undefined,
  now: AttributeType,
  path: string,
): TypeDifference[] {
  if (old === undefined) {
    return now.optional
      ? [{ effect: 'widened', path, what: 'is new and optional' }]
      : [{ effect: 'narrowed', path, what: 'is new and required' }]
  }
  const inner = compareTypes(old.type, now.type, path)
  if (old.optional && !now.optional) return [{ effect: 'narrowed', path, what: 'became required' }, ...inner]
  if (!old.optional && now.optional) return [{ effect: 'widened', path, what: 'became optional' }, ...inner]
  if (fallbackOf(old) === fallbackOf(now)) return inner
  return [{ effect: 'widened', path, what: `has ${fallbackOf(now)} as default` }, ...inner]
}

/** `null` is what an attribute without a default is. */
function fallbackOf({ fallback = 'null' }: AttributeType): string {
  return plainLine(fallback)
}
