/** Literal arguments against the simplest `validation` rules of an input. */
import type { GivenValue } from './given-value.ts'
import { plainLine } from './hcl-text.ts'
import { exactSize, type Size, sizeIn } from './literal-size.ts'
import type { Json, Variable } from './summary.ts'
import type { TypeConstraint } from './type-constraint.ts'

/**
 * What to say of each rule that a literal breaks for sure. Only `contains([…literals…], var.x)`, a comparison of `var.x` or
 * `length(var.x)` with a number, and these joined by `&&` are understood; `var.x == null ||` before them is. Any other
 * rule breaks nothing here.
 */
export function brokenRules(
  { name, validations = [] }: Pick<Variable, 'name' | 'validations'>,
  type: TypeConstraint,
  value: GivenValue,
): readonly string[] {
  if (value.kind !== 'literal' || value.value === null) return []
  const literal = value.value
  const broken = validations.filter(({ condition }) => breaks(condition, { name, type, value: literal }))
  return broken.map(({ condition, error_message }) => {
    const said = plainLine(error_message) || plainLine(condition)
    return `The value of "${plainLine(name)}" breaks a rule of the module: ${said}`
  })
}

interface Given {
  readonly name: string
  readonly type: TypeConstraint
  readonly value: Json
}

function breaks(condition: string, given: Given): boolean {
  const text = condition.replace(/\s+/g, ' ').trim()
  const whole = /^\((.*)\)$/.exec(text)?.[1]
  const nullFirst = `var.${given.name} == null || `
  const free = [text, whole].find((one) => one?.startsWith(nullFirst))?.slice(nullFirst.length) ?? text
  if (/\|\||\?/.test(free.replace(QUOTED, '""'))) return false
  return splitAnd(free).some((part) => failsPart(part, given))
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/** `a && b`, where no string holds the signs. */
function splitAnd(text: string): readonly string[] {
  return text.replace(QUOTED, '""').includes('&&') && !QUOTED_AND.test(text) ? text.split(' && ') : [text]
}

const QUOTED_AND = /"[^"]*&&[^"]*"/

function failsPart(part: string, { name, type, value }: Given): boolean {
  const list = new RegExp(`^contains\\( ?\\[([^\\]]*)\\], ?var\\.${name} ?\\)$`).exec(part)?.[1]
  if (list !== undefined) return failsList(list, value)
  const compared = new RegExp(`^(length\\( ?)?var\\.${name}( ?\\))? (<=|>=|<|>) (-?\\d+(?:\\.\\d+)?)$`).exec(
    part,
  )
  if (compared === null || (compared[1] === undefined) !== (compared[2] === undefined)) return false
  const size = compared[1] === undefined ? numberIn(value) : sizeIn(value, type)
  if (size === undefined) return false
  const compare = COMPARE[compared[3] as keyof typeof COMPARE] // one of the four, by the expression
  const bound = Number(compared[4])
  return !compare(size.least, bound) && !compare(size.most, bound)
}

function numberIn(value: Json): Size | undefined {
  return typeof value === 'number' ? exactSize(value) : undefined
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
