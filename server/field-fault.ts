import type { z } from 'zod'
import { didYouMean, nearest } from './platform/nearest.ts'

type Issue = z.core.$ZodIssue

/** How messages begin that zod words itself; those of a schema's author say what is wrong in their own way. */
const GENERIC = /^(?:Invalid|Too small|Too big|Unrecognized key)/
/** A message about a long list of values names its nearest value alone. */
const MAX_VALUES_CHARS = 200
const MUST_BE = 'must be '

/** Says what a field must be. `given` is its value. */
export function faultOf(issue: Issue, given: unknown): string {
  return (GENERIC.test(issue.message) && wordsOf(issue, given)) || issue.message
}

function wordsOf(issue: Issue, given: unknown): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typed(issue.expected)}, not ${kindOf(given)}`
    case 'too_small':
      return bound(issue, issue.minimum, 'least')
    case 'too_big':
      return bound(issue, issue.maximum, 'most')
    case 'invalid_value':
      return oneOf(issue.values.map(String), given)
    case 'invalid_format':
      return issue.format === 'regex'
        ? `must match ${issue.pattern}`
        : `must be a ${formatName(issue.format)}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'unrecognized_keys':
      return `has unknown members: ${issue.keys.map((key) => `"${key.slice(0, 80)}"`).join(', ')}`
    case 'invalid_union':
      return unionWords(issue, given)
    default:
      return 'is not valid'
  }
}

function bound(
  {
    origin,
    inclusive = true,
    exact = false,
  }: { readonly origin: string; readonly inclusive?: boolean; readonly exact?: boolean },
  limit: number | bigint,
  side: 'least' | 'most',
): string {
  const unit =
    origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'entry' : undefined
  if (unit === undefined)
    return inclusive
      ? `must be at ${side} ${limit}`
      : `must be ${side === 'least' ? 'more' : 'less'} than ${limit}`
  if (side === 'least' && Number(limit) === 1) return 'must not be empty'
  const many = unit === 'entry' ? 'entries' : 'characters'
  return `must have ${exact ? 'exactly' : `at ${side}`} ${limit} ${Number(limit) === 1 ? unit : many}`
}

function oneOf(values: readonly string[], given: unknown): string {
  const all = values.join(', ')
  if (values.length === 1) return `must be ${all}`
  const near = typeof given === 'string' ? nearest(given, values) : undefined
  if (all.length > MAX_VALUES_CHARS && near !== undefined) return `is unknown. ${didYouMean(near, values)}`
  return `must be one of ${all}${near === undefined ? '' : `. ${didYouMean(near, values)}`}`
}

/** A value of a kind that some alternatives take has the faults of those. */
function unionWords(issue: z.core.$ZodIssueInvalidUnion, given: unknown): string | undefined {
  const { options } = issue as { readonly options?: readonly unknown[] } // those of a member that tells the alternatives
  if (options) return oneOf(options.map(String), given)
  const fitting = issue.errors.filter(
    (errors) => !errors.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  )
  const faults = fitting.map(([error]) => (error?.path.length === 0 ? faultOf(error, given) : ''))
  if (faults.length > 1 && faults.every((fault) => fault.startsWith(MUST_BE)))
    return faults.map((fault, at) => (at === 0 ? fault : fault.slice(MUST_BE.length))).join(' or ')
  const [first] = fitting.length === 1 ? (fitting[0] ?? []) : []
  if (first) {
    const at = first.path.join('.')
    return `${at === '' ? '' : `${at} `}${faultOf(first, valueIn(given, first.path))}`
  }
  const expected = issue.errors.flatMap(([error]) =>
    error?.code === 'invalid_type' && error.path.length === 0 ? [typed(error.expected)] : [],
  )
  return expected.length === issue.errors.length && expected.length > 0
    ? `must be ${[...new Set(expected)].join(' or ')}, not ${kindOf(given)}`
    : undefined
}

/** The value at a path; undefined where there is none. */
export function valueIn(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (value: unknown, key) => (value as Record<PropertyKey, unknown> | undefined | null)?.[key],
    input,
  )
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  boolean: 'true or false',
}

function typed(expected: string): string {
  return TYPES[expected] ?? `a ${expected}`
}

function kindOf(given: unknown): string {
  if (given === undefined) return 'absent'
  if (given === null) return 'null'
  if (Array.isArray(given)) return 'a list'
  if (typeof given === 'number' || typeof given === 'boolean') return `${given}`
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'time such as 2026-09-02T14:30:00Z',
  uuid: 'UUID',
  url: 'URL',
  ipv4: 'valid IPv4 address',
  ipv6: 'valid IPv6 address',
  cidrv4: 'range such as 10.0.0.0/8',
  cidrv6: 'range such as 2001:db8::/32',
}

function formatName(format: string): string {
  return FORMATS[format] ?? `valid ${format}`
}
