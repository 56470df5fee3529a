/** Where a removed module probably is now. */
import type { ModuleSummary } from '../domain/summary.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import type { ModuleService } from './module-service.ts'

/** More new directories than this are a new layout, which is not guessed. */
const MAX_CANDIDATES = 40
/** Modules that share less than this of their names are different ones. */
const LEAST_SHARE = 0.6

/** A guess: the directory that is new in the release `since` and has most of what `last` had. */
export async function guessMovedPath(
  service: ModuleService,
  outputDir: string,
  { index, last, since }: { readonly index: ModuleIndex; readonly last: IndexRecord; readonly since: string },
): Promise<string | undefined> {
  const own = index.records.filter(({ repository }) => repository === last.repository)
  const earlier = new Set(own.filter(({ ref }) => ref === last.ref).map(({ path }) => path))
  const fresh = own.filter(({ ref, path }) => ref === since && !earlier.has(path))
  if (fresh.length === 0 || fresh.length > MAX_CANDIDATES) return undefined
  const load = (record: IndexRecord) => service.summary(outputDir, record)
  return guessMoved(await load(last), await Promise.all(fresh.map(load)))?.path
}

/** The one candidate that has most of the inputs, outputs and resources of the removed module; undefined where none does. */
function guessMoved<T extends ModuleSummary>(
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

/** What is said about it; empty where there is no guess. */
export function movedHint(path: string | undefined): string {
  return path === undefined
    ? ''
    : ` Perhaps it is ${path} now (a guess: most of its inputs, outputs and resources are there).`
}
