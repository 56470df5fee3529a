/** Where a removed module probably is now. */
import { guessMoved } from '../domain/moved-module.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import type { ModuleService } from './module-service.ts'

/** More new directories than this are a new layout, which is not guessed. */
const MAX_CANDIDATES = 40

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

/** What is said about it; empty where there is no guess. */
export function movedHint(path: string | undefined): string {
  return path === undefined
    ? ''
    : ` Perhaps it is ${path} now (a guess: most of its inputs, outputs and resources are there).`
}
