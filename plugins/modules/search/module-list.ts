import type { RegistryAliases } from '../domain/module-source.ts'
import { compare } from '../domain/order.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { IndexRecord } from '../output/module-index.ts'
import { NEAREST, rankByWords } from './hybrid-ranking.ts'
import type { SearchRecord } from './record-columns.ts'
import type { SearchIndex } from './search-index.ts'
import { filterOf } from './search-parts.ts'
import { nameTokens } from './tokens.ts'

const MAX_MATCHED = 8

interface ListFilter {
  readonly provider?: string | undefined
  readonly repository?: string | undefined
  readonly kind?: IndexRecord['kind'] | undefined
  readonly aliases?: RegistryAliases | undefined
}

/** One module of a list. */
export interface ListedModule {
  readonly row: number
  readonly score: number
  readonly words: readonly string[]
}

/** The latest versions that pass the filter: by words of the query, the nearest three where none fits, or without one by name. */
export async function listModules(index: SearchIndex, query: string, filter: ListFilter, needed: number) {
  const equalities = { ...filterOf(index, filter), latestOnly: true }
  const { rows, isNone } =
    query === ''
      ? { rows: listedByName(index, Array.from(index.select(equalities))), isNone: false }
      : await rankByWords(index, { query, filter: equalities, limit: needed, examples: 'less' })
  return {
    rows: isNone ? rows.slice(0, NEAREST) : rows,
    isNone,
    /** A row as the list shows it; `load` reads its summary to say which of its parts matched. */
    async result(
      { row, score, words }: ListedModule,
      load: (record: SearchRecord) => Promise<ModuleSummary>,
    ) {
      const record = index.record(row)
      const { id, repository, name, ref, path, kind, provider, description } = record
      const since = index.removedSince(row)
      const matched = words.length === 0 ? [] : matchedNames(await load(record), new Set(words))
      return {
        id,
        repository,
        name,
        ref,
        path,
        kind,
        provider,
        description,
        score,
        matched,
        ...(since !== undefined && { removed_since: since }),
      }
    },
  }
}

function listedByName(index: SearchIndex, rows: readonly number[]): ListedModule[] {
  return rows
    .map((row) => ({ row, record: index.record(row), isGone: index.removedSince(row) !== undefined }))
    .sort(
      ({ record: a, isGone: aGone }, { record: b, isGone: bGone }) =>
        Number(aGone) - Number(bGone) ||
        compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
        compare(a.repository, b.repository) ||
        compare(a.path, b.path),
    )
    .map(({ row }) => ({ row, score: 0, words: [] }))
}

interface NamedThing {
  readonly field: 'variables' | 'outputs' | 'resources' | 'modules'
  readonly name: string
}

/**
 * Inputs, outputs, resources and modules with these terms in their names: those with the most terms first, of equal ones
 * those whose terms fewer names have. A name with less than half as many terms as the first one has some by chance.
 */
function matchedNames(summary: ModuleSummary, terms: ReadonlySet<string>): NamedThing[] {
  const types = [...new Set(summary.resources.map(({ type }) => type))]
  const things: NamedThing[] = [
    ...summary.variables.map(({ name }) => ({ field: 'variables', name }) as const),
    ...summary.outputs.map(({ name }) => ({ field: 'outputs', name }) as const),
    ...types.map((name) => ({ field: 'resources', name }) as const),
    ...summary.modules.map(({ name }) => ({ field: 'modules', name }) as const),
  ]
  const matched = things
    .map((thing) => ({ thing, had: termsOf(thing.name, terms) }))
    .filter(({ had }) => had.length > 0)
  const namesWith = new Map<string, number>()
  for (const term of matched.flatMap(({ had }) => had)) namesWith.set(term, (namesWith.get(term) ?? 0) + 1)
  const rarity = (had: readonly string[]): number =>
    had.reduce((sum, term) => sum + 1 / (namesWith.get(term) ?? 1), 0)
  const ranked = matched
    .map(({ thing, had }) => ({ thing, count: had.length, rarity: rarity(had) }))
    .sort((a, b) => b.count - a.count || b.rarity - a.rarity)
  const least = (ranked[0]?.count ?? 0) / 2
  return ranked
    .slice(0, MAX_MATCHED)
    .filter(({ count }) => count >= least)
    .map(({ thing }) => thing)
}

/** The terms that a name has; a name that is written as one term has that one, too. */
function termsOf(name: string, terms: ReadonlySet<string>): string[] {
  const { words, joined } = nameTokens(name)
  return [...new Set([...words, ...joined])].filter((term) => terms.has(term))
}
