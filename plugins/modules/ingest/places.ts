import { join } from 'node:path'
import { storePath } from '../git/store.ts'
import { stateDir } from '../output/module-index.ts'
import type { Plan, RepositoryPlan } from './plan.ts'

/** Where the clone of a repository lies. */
export function storePathOf(plan: RepositoryPlan, cloneDir: string): string {
  const name = (plan.entries[0]?.name ?? '').replace(/[^A-Za-z0-9._+-]/g, '_').slice(0, 100)
  return storePath(cloneDir, name, plan.remote.url)
}

/** The names of all clones of a plan. */
export function storeNames(plan: Plan, cloneDir: string): ReadonlySet<string> {
  return new Set(plan.repositories.map((of) => storePathOf(of, cloneDir).slice(cloneDir.length + 1)))
}

/** The parse cache that belongs to a clone. */
export function cachePath(outputDir: string, store: string): string {
  const name = store.slice(store.lastIndexOf('/') + 1).replace(/\.git$/, '')
  return join(stateDir(outputDir), 'parse', `${name}.ndjson`)
}
