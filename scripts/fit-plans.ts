/** Fits the weights by which a plan is compared with an attempt, and writes them: `tsx scripts/fit-plans.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsOf } from '../plugins/handoff/domain/plan-facts.ts'
import { isTurnedFrom } from '../plugins/handoff/domain/plan-likeness.ts'
import { nearness } from '../plugins/handoff/domain/plan-nearness.ts'
import { readAttempt, readPlan } from '../plugins/handoff/domain/plan-reading.ts'
import { isOtherwise } from '../plugins/handoff/domain/plan-values.ts'

/** What may choose weights: the halves that chose words before, and every other triple of the notes of agents. */
const HALVES: readonly (readonly [file: string, half: string, step?: number])[] = [
  ['triples', 'first'],
  ['triples', 'second'],
  ['unseen', 'first'],
  ['threads', 'first'],
  ['work', 'first'],
  ['values', 'first'],
  ['fresh', 'first'],
  ['agents', 'agents', 2],
  ['fields', 'fields', 2],
  ['services', 'services', 2],
]
const DOMAIN = join(import.meta.dirname, '../plugins/handoff/domain')
/** What a term that one attempt has weighs in a lineage. */
const RARE = 1.98
/** How much a large weight costs, of facts that have a spread of 1. */
const PENALTY = 8
const ROUNDS = 12
/** Which other attempts of a half a plan is compared with, and what such an example counts. */
const STRIDES = [1, 2, 3, 5, 7, 11, 13, 17, 19]
const UNRELATED = 1

interface Triple {
  readonly half: string
  readonly attempt: string
  readonly repeat: string
  readonly other: string
}

interface Example {
  readonly facts: readonly number[]
  readonly isRepeat: boolean
  readonly weight: number
}

function triplesOf(file: string, half: string, step = 1): readonly Triple[] {
  const all: readonly Triple[] = JSON.parse(
    readFileSync(join(DOMAIN, `../testdata/plan-${file}.json`), 'utf8'),
  )
  return all.filter((triple) => triple.half === half).filter((_, n) => n % step === 0)
}

let names: readonly string[] = []

/** Plans that turn away or state another value are judged by rules beside the weights. */
function exampleOf(text: string, attempt: string, isRepeat: boolean): readonly Example[] {
  const [plan] = readPlan(text)
  const tried = readAttempt(attempt)
  if (!plan || !tried.terms.some((term) => nearness(term, plan.index()) > 0)) return []
  if (isTurnedFrom(plan, tried) || isOtherwise(plan.stated(), tried.stated())) return []
  const facts = factsOf(plan, tried, (terms) => terms.map(({ weight }) => weight * RARE))
  names = Object.keys(facts)
  return [{ facts: Object.values(facts), isRepeat, weight: 1 }]
}

/** Each plan beside its attempt, and beside some of the others of its half, which have nothing to do with it. */
function examplesOf(triples: readonly Triple[]): readonly Example[] {
  return triples.flatMap(({ attempt, repeat, other }, n) => {
    const others = STRIDES.map((stride) => triples[(n + stride) % triples.length]?.attempt ?? '')
    const beside = [repeat, other].flatMap((plan) => others.flatMap((one) => exampleOf(plan, one, false)))
    return [
      ...exampleOf(repeat, attempt, true),
      ...exampleOf(other, attempt, false),
      ...beside.map((example) => ({ ...example, weight: UNRELATED })),
    ]
  })
}

/** Logistic regression by Newton's method over facts of mean 0 and spread 1; the weights are those of the plain facts. */
function fitted(examples: readonly Example[]): {
  readonly weights: readonly number[]
  readonly bias: number
} {
  const mean = (of: (facts: readonly number[]) => number) =>
    examples.reduce((sum, { facts }) => sum + of(facts), 0) / examples.length
  const means = names.map((_, i) => mean((facts) => facts[i] ?? 0))
  const spreads = names.map(
    (_, i) => Math.sqrt(mean((facts) => ((facts[i] ?? 0) - (means[i] ?? 0)) ** 2)) || 1,
  )
  const rows = examples.map(({ facts, isRepeat, weight }) => ({
    weight,
    x: [1, ...facts.map((fact, i) => (fact - (means[i] ?? 0)) / (spreads[i] ?? 1))],
    y: isRepeat ? 1 : 0,
  }))
  let w: readonly number[] = [0, ...names.map(() => 0)]
  for (let round = 0; round < ROUNDS; round++) {
    const matrix: number[][] = w.map((_, i) => w.map((__, j) => (i === j ? (i === 0 ? 1e-6 : PENALTY) : 0)))
    const slope = w.map((one, i) => (i === 0 ? 0 : PENALTY * one))
    for (const { x, y, weight } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, v, i) => sum + v * (w[i] ?? 0), 0)))
      for (const [i, v] of x.entries()) {
        slope[i] = (slope[i] ?? 0) + weight * (p - y) * v
        const line = matrix[i] ?? []
        for (const [j, u] of x.entries()) line[j] = (line[j] ?? 0) + weight * p * (1 - p) * v * u
      }
    }
    const step = solved(matrix, slope)
    w = w.map((one, i) => one - (step[i] ?? 0))
  }
  const weights = names.map((_, i) => (w[i + 1] ?? 0) / (spreads[i] ?? 1))
  const bias = weights.reduce((sum, weight, i) => sum - weight * (means[i] ?? 0), w[0] ?? 0)
  return { weights, bias }
}

/** Gauss-Jordan elimination; the matrix is positive definite. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const lines = matrix.map((line, i) => [...line, right[i] ?? 0])
  for (const [i, line] of lines.entries()) {
    const by = line[i] ?? 1
    for (const [j, value] of line.entries()) line[j] = value / by
    for (const other of lines) {
      if (other === line) continue
      const times = other[i] ?? 0
      for (const [j, value] of line.entries()) other[j] = (other[j] ?? 0) - times * value
    }
  }
  return lines.map((line) => line.at(-1) ?? 0)
}

const examples = HALVES.flatMap(([file, half, step]) => examplesOf(triplesOf(file, half, step)))
const { weights, bias } = fitted(examples)
const rounded = (value: number) => String(Math.round(value * 100) / 100)
const path = join(DOMAIN, 'plan-weights.ts')
const text = readFileSync(path, 'utf8')
const table = names.map((name, i) => `  ${name}: ${rounded(weights[i] ?? 0)},`).join('\n')
writeFileSync(
  path,
  text
    .replace(/(PlanFacts, number>> = \{\n)[\s\S]*?(\n\})/, `$1${table}$2`)
    .replace(/(BIAS = )\S+/, `$1${rounded(bias)}`),
)
console.log(`${examples.length} plans\n${table}\n  bias ${rounded(bias)}`)
