import * as z from 'zod'
import type { Completed, Completer } from '../contract/advanced/verb.ts'

/** The type to which a typed text is converted. */
export type FlagKind = 'switch' | 'text' | 'number' | 'json' | 'json-or-text'

/** The flag of one input field of a tool. */
export interface Flag {
  /** The input field. */
  readonly field: string
  /** Kebab-case, without dashes: `max-tokens`. */
  readonly long: string
  readonly short?: string
  readonly kind: FlagKind
  readonly repeatable: boolean
  readonly nullable: boolean
  readonly choices?: readonly string[]
  /** Values that a shell completes although others are accepted: the `examples` of the schema. */
  readonly examples?: readonly string[]
  readonly description: string
  readonly default?: unknown
  readonly required: boolean
}

/** A positional argument: an input field, or a name that only the verb's `arrange` uses. */
export interface Positional {
  readonly name: string
  readonly required: boolean
  readonly repeatable: boolean
  /** Absent: not an input field. */
  readonly flag?: Flag
}

/** The parts of a verb that determine its flags. */
export interface Typing {
  readonly positional?: readonly string[]
  readonly arguments?: Readonly<Record<string, string>>
  readonly completes?: Readonly<Record<string, Completed | Completer>>
  readonly short?: Readonly<Record<string, string>>
  readonly long?: Readonly<Record<string, string>>
  readonly preset?: Readonly<Record<string, unknown>>
  /** Present: `arrange` builds the input later, so no argument is required yet. */
  readonly arrange?: unknown
}

/** Flags of every verb; an input field of the same name is set by the flag or by `--input`. */
export const GLOBAL_FLAGS: readonly string[] = [
  'json',
  'quiet',
  'input',
  'config',
  'project',
  'storage',
  'help',
  'output',
]

/**
 * Returns the flags and positionals of `schema` under `typing`: a flag for every field that is neither positional nor preset.
 * `flagless` are the fields that only `--input` sets, because a global flag or an earlier field has their flag. Reads the JSON Schema, because a plugin may bring its own version of zod.
 */
export function flagsOf(
  schema: z.ZodObject,
  typing: Typing,
): {
  readonly flags: readonly Flag[]
  readonly positionals: readonly Positional[]
  readonly flagless: readonly string[]
} {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as FieldSchema // an object schema
  const required = new Set(json.required ?? [])
  const all = Object.entries(json.properties ?? {}).map(([field, fieldSchema]) =>
    flagOf(field, fieldSchema, required.has(field), typing),
  )
  const positionals = (typing.positional ?? []).map((written) => positionalOf(written, all))
  const taken = new Set([...positionals.map(({ name }) => name), ...Object.keys(typing.preset ?? {})])
  const names = new Set(GLOBAL_FLAGS)
  const [flags, flagless]: [Flag[], string[]] = [[], []]
  for (const flag of all) {
    if (taken.has(flag.field)) continue
    const own = namesOf(flag)
    if (own.some((name) => names.has(name))) flagless.push(flag.field)
    else flags.push(flag)
    for (const name of own) names.add(name)
  }
  return { flags, positionals, flagless }
}

/**
 * Converts one typed text to the input value.
 * Errors: `TypeError` with a sentence if the text does not fit the flag.
 */
export function typedValue(flag: Flag, text: string): unknown {
  if (flag.nullable && text === 'null') return null
  if (flag.choices && !flag.choices.includes(text)) {
    throw new TypeError(`Allowed: ${flag.choices.join(', ')}.`)
  }
  if (flag.kind === 'number') return numberOf(text)
  if (flag.kind === 'json') return jsonOf(text)
  if (flag.kind === 'json-or-text') return /^\s*[[{"]/.test(text) ? jsonOf(text) : text
  if (flag.kind === 'switch') return text === 'true'
  return text
}

/** A switch is typed as `--x` and as `--no-x`. */
function namesOf({ long, kind, repeatable }: Flag): readonly string[] {
  return kind === 'switch' && !repeatable ? [long, `no-${long}`] : [long]
}

/** The parts of zod's JSON Schema that flags use. */
interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly examples?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

function flagOf(field: string, schema: FieldSchema, required: boolean, typing: Typing): Flag {
  const { schema: plain, nullable } = withoutNull(schema)
  const repeatable = plain.type === 'array' && plain.items !== undefined
  const element = repeatable ? withoutNull(plain.items ?? {}).schema : plain
  const choices = choicesOf(element)
  const short = typing.short?.[field]
  return {
    field,
    long: typing.long?.[field] ?? kebabCase(field),
    ...(short && { short }),
    kind: kindOf(element),
    repeatable,
    nullable,
    ...(choices && { choices }),
    ...(element.examples && { examples: element.examples }),
    description: schema.description ?? '',
    ...(schema.default !== undefined && { default: schema.default }),
    required,
  }
}

function withoutNull(schema: FieldSchema): { schema: FieldSchema; nullable: boolean } {
  if (Array.isArray(schema.type)) {
    const types = (schema.type as readonly string[]).filter((type) => type !== 'null')
    return { schema: { ...schema, type: types[0] ?? 'null' }, nullable: schema.type.includes('null') }
  }
  const kept = schema.anyOf?.filter(({ type }) => type !== 'null')
  const [only] = kept ?? []
  if (schema.anyOf && kept?.length === 1 && only) return { schema: only, nullable: true }
  return { schema, nullable: kept !== undefined && kept.length < (schema.anyOf?.length ?? 0) }
}

function choicesOf(schema: FieldSchema): readonly string[] | undefined {
  if (schema.enum?.every((value) => typeof value === 'string')) return schema.enum as readonly string[]
  return typeof schema.const === 'string' ? [schema.const] : undefined
}

function kindOf(schema: FieldSchema): FlagKind {
  if (schema.type === 'boolean') return 'switch'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  if (schema.type === 'string') return 'text'
  // A field of any type takes texts too.
  const { type, anyOf = [{}] } = schema
  return type === undefined && anyOf.some((each) => (each.type ?? 'string') === 'string')
    ? 'json-or-text'
    : 'json'
}

function positionalOf(written: string, all: readonly Flag[]): Positional {
  const name = written.replace(/[[\]<>]|\.\.\./g, '')
  const flag = all.find(({ field }) => field === name)
  return {
    name,
    required: !written.startsWith('['),
    repeatable: written.includes('...'),
    ...(flag && { flag }),
  }
}

function numberOf(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number)) throw new TypeError('It must be a number.')
  return number
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('It must be JSON.')
  }
}

function kebabCase(field: string): string {
  return field
    .replaceAll('_', '-')
    .replace(/([a-z0-9])([A-Z])/g, (_, low: string, up: string) => `${low}-${up.toLowerCase()}`)
}
