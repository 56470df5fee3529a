import fc from 'fast-check'
import type { ModuleSummary } from '../domain/summary.ts'
import { recordOf } from '../ingest/summary-output.ts'
import {
  emptyIndex,
  type IndexRecord,
  type ModuleIndex,
  moduleId,
  type Reading,
  type RepositoryRow,
} from '../output/module-index.ts'
import { OWN_SUMMARIES } from './own-corpus.ts'

const REPOSITORIES = 5
const PATHS = ['.', 'modules/a'] as const
const REFS = ['v1.0.0', 'v1.1.0', 'v2.0.0', 'v2.1.0-rc1', 'main', 'next'] as const

/** One change of an index: of which repository, path and ref, and how. */
interface Change {
  readonly repository: number
  readonly path: number
  readonly ref: number
  readonly how: 'change' | 'touch' | 'remove' | 'default' | 'read'
  readonly words: number
}

/** Changes of a few runs, one list for each of them. */
export const indexChanges: fc.Arbitrary<readonly (readonly Change[])[]> = fc.array(
  fc.array(
    fc.record({
      repository: fc.nat(REPOSITORIES - 1),
      path: fc.nat(PATHS.length - 1),
      ref: fc.nat(REFS.length - 1),
      how: fc.constantFrom('change', 'change', 'touch', 'remove', 'default', 'read'),
      words: fc.nat(3),
    }),
    { maxLength: 8 },
  ),
  { minLength: 2, maxLength: 5 },
)

/** An index and its summaries after a run: what did not change is the same object as before. */
export interface IndexState {
  readonly index: ModuleIndex
  readonly summaries: ReadonlyMap<string, ModuleSummary>
  /** Ids that the run saw. */
  readonly touched: ReadonlySet<string>
}

/** The states after each run. */
export function statesAfter(runs: readonly (readonly Change[])[]): IndexState[] {
  const records = new Map<string, IndexRecord>()
  const rows = new Map<string, RepositoryRow>()
  const summaries = new Map<string, ModuleSummary>()
  return runs.map((changes, run) => {
    const touched = new Set<string>()
    const at = `2026-01-0${run + 1}T00:00:00.000Z`
    for (const change of changes) apply({ records, rows, summaries, touched, at }, change)
    const index = { ...emptyIndex(), repositories: [...rows.values()], records: [...records.values()] }
    return { index, touched, summaries: new Map(summaries) }
  })
}

interface Stage {
  readonly records: Map<string, IndexRecord>
  readonly rows: Map<string, RepositoryRow>
  readonly summaries: Map<string, ModuleSummary>
  readonly touched: Set<string>
  readonly at: string
}

function apply({ records, rows, summaries, touched, at }: Stage, change: Change): void {
  const sample = OWN_SUMMARIES[change.repository]
  const [path = '.', ref = ''] = [PATHS[change.path], REFS[change.ref]]
  if (!sample) return
  const { repository } = sample
  const id = moduleId(repository, ref, path)
  const held = records.get(id)
  const row = rows.get(repository) ?? { repository, name: sample.name, default_branch: null, readings: [] }
  if (change.how === 'default') rows.set(repository, { ...row, default_branch: ref })
  if (change.how === 'read') rows.set(repository, { ...row, readings: [...row.readings, readingOf(change)] })
  if (change.how === 'touch' && held) records.set(id, { ...held, last_updated: at })
  if (change.how === 'remove') records.delete(id)
  if (change.how !== 'remove' && held) touched.add(id)
  if (change.how !== 'change') return
  const description = `${sample.description} ${'zeppelin quantum lattice'.split(' ')[change.words] ?? ''}`
  const ref_kind = ref.startsWith('v') ? 'tag' : 'branch'
  const summary: ModuleSummary = { ...sample, path, ref, ref_kind, description }
  const written = { summary_file: `${id}.json`, options_digest: '', last_updated: at, embedded: false }
  summaries.set(id, summary)
  records.set(id, recordOf(id, summary, { ...written, summary_sha256: `${change.words}` }))
  touched.add(id)
}

function readingOf({ ref, path }: Change): Reading {
  const name = REFS[ref] ?? ''
  return {
    ref: name,
    ref_kind: name.startsWith('v') ? 'tag' : 'branch',
    path: '.',
    commit: '',
    options_digest: '',
    directories: PATHS.slice(0, path + 1),
  }
}
