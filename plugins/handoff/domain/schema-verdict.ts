import { type SchemaError, validate } from '../../../generated/handoff-validate.js'
import { atOnce, isJsonObject, nearest, type Pieces } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { resolvePointer } from './json-pointer.ts'
import type { Handoff } from './record.ts'
import { redactText } from './secrets.ts'

/** One rule of the schema that a value breaks. */
export interface SchemaFault {
  /** Where; a missing member is reported at the object that lacks it. */
  readonly pointer: string
  readonly keyword: string
  readonly message: string
  /** What the schema allows: values, types, or the missing member's name. */
  readonly expected: readonly string[]
  /** The present value as JSON, cut at 80 characters; `absent` for a missing member. */
  readonly actual: string
  /** The nearest allowed value, or the present member that may be a misspelling. */
  readonly suggestion?: string
}

// design handoff, section 7
const ACTUAL_MAX_CHARS = 80
/** Members that are compared with a missing one; a record has far fewer. */
const MAX_COMPARED = 200
/** Faults that one answer lists; their total is given beside them. */
export const MAX_ERRORS = 100

/** Every rule of the schema that a value breaks; empty for a valid record. */
export function schemaVerdict(value: unknown): readonly SchemaFault[] {
  return atOnce(judgingSchema(value))
}

/** `schemaVerdict` in pieces: a large record may break some ten thousand rules. */
export function* judgingSchema(value: unknown): Pieces<readonly SchemaFault[]> {
  if (validate(value)) return []
  const errors = validate.errors ?? []
  const names = createNames()
  const wrongType = new Set(errors.filter(isTypeError).map((error) => error.instancePath))
  const faults: SchemaFault[] = []
  for (const error of errors) {
    if (!isTypeError(error) && wrongType.has(error.instancePath)) continue
    faults.push(fault(error, value, names))
    yield
  }
  return faults
}

/** The value as a record. Errors: `invalid`/`schema_invalid` with every error. */
export function validRecord(value: unknown): Handoff {
  const errors = schemaVerdict(value)
  const [first] = errors
  if (first === undefined) return value as Handoff // it breaks no rule
  throw refusals.schema_invalid(
    { place: first.pointer || 'the record', fault: first.message },
    { errors: errors.slice(0, MAX_ERRORS), details: { errors_total: errors.length } },
  )
}

function isTypeError(error: SchemaError): boolean {
  return error.keyword === 'type'
}

function fault(error: SchemaError, root: unknown, names: Names): SchemaFault {
  const { instancePath: pointer, keyword } = error
  const found = resolvePointer(root, pointer)
  const value = found.kind === 'found' ? found.value : undefined
  const expected = expectation(error)
  const actual = keyword === 'required' ? 'absent' : shown(value)
  const suggestion = suggest(error, { expected, value }, names)
  return {
    pointer,
    keyword,
    message: sentence(keyword, expected, actual),
    expected,
    actual,
    ...(suggestion !== undefined && { suggestion }),
  }
}

function expectation({ keyword, params }: SchemaError): string[] {
  switch (keyword) {
    case 'required':
      return [String(params['missingProperty'])]
    case 'enum':
      return strings(params['allowedValues'])
    case 'const':
      return strings([params['allowedValue']])
    case 'type':
      return [params['type']].flat().map(String)
    case 'format':
      return [String(params['format'])]
    case 'pattern':
      return [String(params['pattern'])]
    case 'minLength':
      return [`at least ${params['limit']} character`]
    default:
      return [`${params['comparison']} ${params['limit']}`]
  }
}

function strings(values: unknown): string[] {
  return Array.isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : String(value)))
    : []
}

function sentence(keyword: string, expected: readonly string[], actual: string): string {
  const [first = ''] = expected
  if (keyword === 'required') return `the member "${first}" is missing`
  if (keyword === 'enum' || keyword === 'const') return `must be one of ${expected.join(', ')}, not ${actual}`
  if (keyword === 'type') return `must be ${expected.join(' or ')}, not ${actual}`
  if (keyword === 'pattern') return `must match ${first}, not ${actual}`
  if (keyword === 'minLength') return 'must not be empty'
  return `must be ${first}, not ${actual}`
}

function suggest(
  error: SchemaError,
  { expected, value }: { readonly expected: readonly string[]; readonly value: unknown },
  names: Names,
): string | undefined {
  if (error.keyword === 'required' && isJsonObject(value)) return misspelled(expected[0] ?? '', names(value))
  if (error.keyword !== 'enum' && error.keyword !== 'const') return undefined
  return typeof value === 'string' ? nearest(value, expected) : undefined
}

/** A present member that may be a misspelling of the missing one; the first letter must match. */
function misspelled(missing: string, present: readonly string[]): string | undefined {
  const alike = present.filter((key) => key !== missing && key[0]?.toLowerCase() === missing[0])
  return nearest(missing, alike.slice(0, MAX_COMPARED))
}

type Names = (value: object) => readonly string[]

/** The names of an object, listed once: an object may lack twenty members and have many thousands. */
function createNames(): Names {
  const known = new Map<object, readonly string[]>()
  return (value) => {
    const names = known.get(value) ?? Object.keys(value)
    known.set(value, names)
    return names
  }
}

/** A value as short JSON without secrets. */
function shown(value: unknown): string {
  const text = redactText(shortJson(value))
  return text.length > ACTUAL_MAX_CHARS ? `${text.slice(0, ACTUAL_MAX_CHARS - 1)}…` : text
}

function shortJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 2000))
  if (Array.isArray(value)) return `array of ${value.length}`
  if (isJsonObject(value)) return 'object'
  return String(value)
}
