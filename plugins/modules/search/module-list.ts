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

/** Inputs, outputs, resources and modules with one of these terms in their names. */
function matchedNames(summary: ModuleSummary, terms: ReadonlySet<string>): NamedThing[] {
  const types = [...new Set(summary.resources.map(({ type }) => type))]
  const things: NamedThing[] = [
    ...summary.variables.map(({ name }) => ({ field: 'variables', name }) as const),
    ...summary.outputs.map(({ name }) => ({ field: 'outputs', name }) as const),
    ...types.map((name) => ({ field: 'resources', name }) as const),
    ...summary.modules.map(({ name }) => ({ field: 'modules', name }) as const),
  ]
  const isTerm = (term: string): boolean => terms.has(term)
  const isMatched = ({ name }: NamedThing): boolean => {
    const { words, joined } = nameTokens(name)
    return words.some(isTerm) || joined.some(isTerm)
  }
  return things.filter(isMatched).slice(0, MAX_MATCHED)
}
