/** Literal arguments against the simplest `validation` rules of an input. */
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import type { Json, Variable } from './summary.ts'

/**
 * What to say of each rule that a literal breaks for sure. Only `contains([…literals…], var.x)`, a comparison of `var.x` or
 * `length(var.x)` with a number, and these joined by `&&` are understood; `var.x == null ||` before them is. Any other
 * rule breaks nothing here.
 */
export function brokenRules(
  { name, validations = [] }: Pick<Variable, 'name' | 'validations'>,
  value: GivenValue,
): readonly string[] {
  if (value.kind !== 'literal' || value.value === null) return []
  const literal = value.value
  const broken = validations.filter(({ condition }) => breaks(condition, name, literal))
  return broken.map(({ condition, error_message }) => {
    const said = plainLine(error_message) || plainLine(condition)
    return `The value of "${plainLine(name)}" breaks a rule of the module: ${said}`
  })
}

function breaks(condition: string, name: string, value: Json): boolean {
  const text = condition.replace(/\s+/g, ' ').trim()
  const whole = /^\((.*)\)$/.exec(text)?.[1]
  const nullFirst = `var.${name} == null || `
  const free = [text, whole].find((one) => one?.startsWith(nullFirst))?.slice(nullFirst.length) ?? text
  if (/\|\||\?/.test(free.replace(QUOTED, '""'))) return false
  return splitAnd(free).some((part) => failsPart(part, name, value))
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** `a && b`, where no string holds the signs. */
function splitAnd(text: string): readonly string[] {
  return text.replace(QUOTED, '""').includes('&&') && !QUOTED_AND.test(text) ? text.split(' && ') : [text]
}

const QUOTED_AND = /"[^"]*&&[^"]*"/

function failsPart(part: string, name: string, value: Json): boolean {
  const list = new RegExp(`^contains\\( ?\\[([^\\]]*)\\], ?var\\.${name} ?\\)$`).exec(part)?.[1]
  if (list !== undefined) return failsList(list, value)
  const compared = new RegExp(`^(length\\( ?)?var\\.${name}( ?\\))? (<=|>=|<|>) (-?\\d+(?:\\.\\d+)?)$`).exec(
    part,
  )
  if (compared === null || (compared[1] === undefined) !== (compared[2] === undefined)) return false
  const size = compared[1] === undefined ? value : sizeOf(value)
  if (typeof size !== 'number') return false
  const bound = Number(compared[4])
  return !COMPARE[compared[3] as keyof typeof COMPARE](size, bound) // one of the four, by the expression
}

const COMPARE = {
  '<=': (a: number, b: number) => a <= b,
  '>=': (a: number, b: number) => a >= b,
  '<': (a: number, b: number) => a < b,
  '>': (a: number, b: number) => a > b,
} as const

/** The list has to be literals of one kind, the value of the same kind: Terraform converts others. */
function failsList(list: string, value: Json): boolean {
  try {
    const items: unknown = JSON.parse(`[${list.replace(/, ?$/, '')}]`)
    if (!Array.isArray(items) || items.length === 0 || typeof value === 'object') return false
    const isPlain = items.every((item) => typeof item === typeof value && !String(item).includes('${'))
    return isPlain && !items.includes(value)
  } catch {
    return false // an expression, or a list of one
  }
}

/** As Terraform counts: characters of a string (only plain ones are counted here), elements of a list or object. */
function sizeOf(value: Json): number | undefined {
  if (typeof value === 'string') return /^[\x20-\x7e]*$/.test(value) ? value.length : undefined
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined
}
