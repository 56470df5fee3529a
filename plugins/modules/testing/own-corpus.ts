import type { ModuleSummary } from '../domain/summary.ts'
import judged from '../testdata/search-judged.json' with { type: 'json' }
import { EMPTY_SUMMARY } from './empty-summary.ts'
import { type JudgedQuery, relevantOnly } from './evaluation.ts'

/** The made-up modules and judged queries that ship with satchel: what `bench retrieval` measures when nothing else is named. */
export const OWN_QUERIES: readonly JudgedQuery[] = judged.queries.map(({ query, kind, relevant }) => ({
  query,
  kind,
  grades: relevantOnly(relevant),
}))

export const OWN_IDS: readonly string[] = judged.modules.map(
  ({ repository, path }) => `${repository}//${path}`,
)

export const OWN_SUMMARIES: readonly ModuleSummary[] = judged.modules.map((module) => ({
  ...EMPTY_SUMMARY,
  repository: module.repository,
  path: module.path,
  description: module.description,
  variables: module.variables.map((one) => ({ ...one, default: null, required: true })),
  outputs: module.outputs.map((one) => ({ ...one, value: null, sensitive: false })),
  providers: [{ name: module.provider, source: `hashicorp/${module.provider}`, version: '' }],
  name: 'sample',
  resources: module.resources.map((type) => ({ type, name: 'this' })),
}))
