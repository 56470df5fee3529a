/** Guesses where a module that was removed continues. */
import type { ModuleSummary } from './summary.ts'

/** Modules that share less than this of their names are different ones. */
const LEAST_SHARE = 0.6

/** The one candidate that has most of the inputs, outputs and resources of the removed module; undefined where none does. */
export function guessMoved<T extends ModuleSummary>(
  removed: ModuleSummary,
  candidates: readonly T[],
): T | undefined {
  const names = namesOf(removed)
  const shares = candidates
    .map((candidate) => ({ candidate, share: shareOf(names, namesOf(candidate)) }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
  const [first, second] = shares
  return first !== undefined && first.share !== second?.share ? first.candidate : undefined
}

function namesOf({ variables, outputs, resources }: ModuleSummary): ReadonlySet<string> {
  return new Set([
    ...variables.map(({ name }) => `var.${name}`),
    ...outputs.map(({ name }) => `output.${name}`),
    ...resources.map(({ type, name }) => `${type}.${name}`),
  ])
}

function shareOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((name) => b.has(name)).length
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}
