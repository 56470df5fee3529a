import type { ModuleSummary } from '../domain/summary.ts'
import { nameFromUrl } from '../git/url.ts'
import type { TextTerms } from '../segments/text-writer.ts'
import type { Lexicon } from './lexicon.ts'
import { type ModuleFields, moduleFields } from './module-fields.ts'
import { type Tokens, tokenize } from './tokens.ts'

/** The document of one module in the index: the searched fields under its record id. */
export type KeywordDocument = { readonly id: string; readonly name: string } & Omit<ModuleFields, 'title'>

/** Fields that words are looked up in, by their numbers. */
export const FIELDS = [
  'name',
  'description',
  'readme',
  'varnames',
  'variables',
  'outputs',
  'resources',
] as const

/** Fields of a module that hold names: its own, and those of its parts. */
export const NAMED_FIELDS: ReadonlySet<string> = new Set(['name', 'varnames', 'outputs', 'resources'])

/** Fields whose phrases are looked up in the lexicon; `varnames` is part of `variables`. */
const CONCEPT_FIELDS = ['name', 'description', 'readme', 'variables', 'outputs', 'resources'] as const

/** Names of concepts are indexed in fields of their own, whose numbers follow, so that no word of a query matches them. */
export const ALL_FIELDS: readonly string[] = [
  ...FIELDS,
  ...CONCEPT_FIELDS.map((field) => `concepts_${field}`),
]

/** Raise it when the fields or their terms change: a stored index of another format is built again. */
export const FIELDS_FORMAT = 5

/** The searched document of a summary; `names` of its repository that its URL does not say are searched too. */
export function keywordDocument(
  id: string,
  summary: ModuleSummary,
  names: readonly string[] = [summary.name],
): KeywordDocument {
  const { title, ...fields } = moduleFields(summary)
  const given = names.filter((name) => name !== nameFromUrl(summary.repository))
  return { id, name: [title, ...given].join(' '), ...fields }
}

/** The terms of a document: words and joined names by field, and the concepts found in them. */
export function documentTerms(document: KeywordDocument, lexicon: Lexicon): TextTerms {
  const terms = new Map<string, number[]>()
  const lengths = new Array<number>(ALL_FIELDS.length).fill(0)
  const note = (term: string, field: number): void => {
    let counts = terms.get(term)
    if (!counts) {
      counts = new Array<number>(ALL_FIELDS.length).fill(0)
      terms.set(term, counts)
    }
    if (counts[field] === 0) lengths[field] = (lengths[field] ?? 0) + 1
    counts[field] = (counts[field] ?? 0) + 1
  }
  const tokens = new Map<string, Tokens>()
  for (const [field, name] of FIELDS.entries()) {
    const found = tokenize(document[name])
    tokens.set(name, found)
    for (const word of found.words) note(word, field)
    for (const word of found.joined) note(word, field)
  }
  for (const [at, name] of CONCEPT_FIELDS.entries()) {
    const found = tokens.get(name)
    if (found) for (const group of lexicon.match(found).keys()) note(group, FIELDS.length + at)
  }
  return { terms, lengths }
}
