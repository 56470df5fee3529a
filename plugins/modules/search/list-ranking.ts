import MiniSearch, { type SearchResult } from 'minisearch'
import { compare } from '../domain/order.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { IndexRecord } from '../output/module-index.ts'

/** A found module: its latest version, and why it was found. */
export interface FoundModule {
  readonly record: IndexRecord
  readonly score: number
  readonly matched: readonly { readonly field: string; readonly name: string }[]
}

/** Ranked keyword search over the latest version of every module. */
export interface ListRanking {
  /** The modules among `records` that match, best first; the same order on every run. */
  rank(query: string, records: readonly IndexRecord[]): FoundModule[]
}

/** Examples are rarely what is wanted, so their scores count less. */
const EXAMPLE_SHARE = 0.4

const FIELDS = ['name', 'description', 'readme', 'variables', 'outputs', 'resources', 'modules'] as const
type Field = (typeof FIELDS)[number]

const BOOST: Readonly<Partial<Record<Field, number>>> = {
  name: 4,
  description: 2.5,
  resources: 1.5,
  outputs: 0.7,
}
const README_CHARS = 4000
const MAX_TOKENS = 20_000
/** Parts of one name that are indexed; the rest is ignored. */
const MAX_PARTS = 50
const MAX_MATCHED = 8

const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by can do for from how i in is it its me my of on or our that the this to we what which with you'.split(
    ' ',
  ),
)

/** Builds the ranking from summaries, which are read one at a time and not kept. */
export async function buildListRanking(
  records: readonly IndexRecord[],
  load: (record: IndexRecord) => Promise<ModuleSummary>,
): Promise<ListRanking> {
  const index = new MiniSearch({
    fields: [...FIELDS],
    tokenize: words,
    processTerm: (term) => term,
    searchOptions: { combineWith: 'OR', boost: { ...BOOST }, tokenize: queryWords },
  })
  const namesOf = new Map<string, readonly NamedThing[]>()
  for (const record of records) {
    const summary = await load(record)
    index.add({ id: record.id, ...textsOf(record, summary) })
    namesOf.set(record.id, namedThings(summary))
  }
  return {
    rank(query, among) {
      const byId = new Map(among.map((record) => [record.id, record]))
      const options = { filter: (hit: SearchResult) => byId.has(hit.id) }
      const exact = index.search(query, options)
      const hits = exact.length > 0 ? exact : index.search(query, { ...options, prefix: true, fuzzy: 0.2 })
      return hits.flatMap((hit) => foundModule(hit, byId.get(hit.id), namesOf)).sort(byScore)
    },
  }
}

function foundModule(
  { id, score, match }: SearchResult,
  record: IndexRecord | undefined,
  namesOf: ReadonlyMap<string, readonly NamedThing[]>,
): FoundModule[] {
  if (record === undefined) return []
  const rounded = Math.round(score * 1000) / 1000
  const matched = matchedNames(namesOf.get(id) ?? [], new Set(Object.keys(match)))
  return [{ record, matched, score: record.kind === 'example' ? rounded * EXAMPLE_SHARE : rounded }]
}

function byScore(a: FoundModule, b: FoundModule): number {
  return (
    b.score - a.score ||
    compare(a.record.repository, b.record.repository) ||
    compare(a.record.path, b.record.path)
  )
}

/** The words of a query without stop words, unless it has no others. */
function queryWords(query: string): string[] {
  const all = words(query)
  const telling = all.filter((word) => !STOP_WORDS.has(word))
  return telling.length > 0 ? telling : all
}

/** Lower-case words; a name split at `_`, `-` and case changes is kept whole as well. */
function words(text: string): string[] {
  const found: string[] = []
  for (const [run] of text.matchAll(/[\p{L}\p{N}]+(?:[_-][\p{L}\p{N}]+)*/gu)) {
    if (found.length >= MAX_TOKENS) break
    const parts = run.split(/[_-]|(?<=\p{Ll})(?=\p{Lu})/u).map((part) => part.toLowerCase())
    found.push(...parts.slice(0, MAX_PARTS).filter((part) => part.length <= 40))
    if (parts.length > 1 && run.length <= 80) found.push(run.toLowerCase())
  }
  return found
}

interface NamedThing {
  readonly field: 'variables' | 'outputs' | 'resources' | 'modules'
  readonly name: string
}

function namedThings(summary: ModuleSummary): NamedThing[] {
  return [
    ...summary.variables.map(({ name }) => ({ field: 'variables', name }) as const),
    ...summary.outputs.map(({ name }) => ({ field: 'outputs', name }) as const),
    ...unique(summary.resources.map(({ type }) => type)).map(
      (name) => ({ field: 'resources', name }) as const,
    ),
    ...summary.modules.map(({ name }) => ({ field: 'modules', name }) as const),
  ]
}

function matchedNames(things: readonly NamedThing[], terms: ReadonlySet<string>): NamedThing[] {
  return things.filter(({ name }) => words(name).some((word) => terms.has(word))).slice(0, MAX_MATCHED)
}

function textsOf(record: IndexRecord, summary: ModuleSummary): Record<Field, string> {
  return {
    name: `${record.name} ${record.path === '.' ? '' : record.path} ${record.providers.join(' ')}`,
    description: summary.description,
    readme: summary.readme_content.slice(0, README_CHARS),
    variables: summary.variables.map(({ name, description }) => `${name} ${description}`).join('\n'),
    outputs: summary.outputs.map(({ name, description }) => `${name} ${description}`).join('\n'),
    resources: unique([...summary.resources, ...summary.data].map(({ type }) => type)).join('\n'),
    modules: summary.modules.map(({ name, source }) => `${name} ${source}`).join('\n'),
  }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
