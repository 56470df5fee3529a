import { providerNames } from '../domain/providers.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { documentVector, queryVector } from '../search/dense-features.ts'
import { fuse, type Weights } from '../search/fusion.ts'
import { keywordDocument } from '../search/keyword-document.ts'
import { buildKeywordIndex } from '../search/keyword-index.ts'
import { createLexicon, type Lexicon } from '../search/lexicon.ts'
import { moduleFields } from '../search/module-fields.ts'
import { otherProviderShare, preferRoots } from '../search/preferences.ts'

/** A corpus ranked by one arm of the ladder: which parts of the search take part. */
export interface Arm {
  readonly name: string
  rank(query: string): string[]
}

interface Corpus {
  readonly ids: readonly string[]
  readonly summaries: readonly ModuleSummary[]
}

/** The ladder of `search.md` 8 over one corpus: keyword, keyword with concepts, vector, hybrid, hybrid without lexicon. */
export function ladder(corpus: Corpus, lexicon: Lexicon): Arm[] {
  const plain = engine(corpus, createLexicon([], 'none'))
  const full = engine(corpus, lexicon)
  const arm = (name: string, { rank }: ReturnType<typeof engine>, keyword: number, vector: number): Arm => ({
    name,
    rank: (query) => rank(query, { keyword, vector }),
  })
  return [
    arm('keyword', plain, 1, 0),
    arm('keyword + concepts', full, 1, 0),
    arm('vector', full, 0, 1),
    arm('hybrid', full, 0.5, 0.5),
    arm('hybrid without lexicon', plain, 0.5, 0.5),
  ]
}

function engine({ ids, summaries }: Corpus, lexicon: Lexicon) {
  const keyword = buildKeywordIndex(
    summaries.map((summary, at) => keywordDocument(ids[at] ?? '', summary)),
    lexicon,
  )
  const vectors = summaries.map((summary) => documentVector(moduleFields(summary), lexicon))
  const rank = (query: string, weights: Weights): string[] => {
    const plan = keyword.plan(query)
    const { scores } = keyword.score(plan)
    const wanted = queryVector(plan, keyword.frequencies)
    const near = Float64Array.from(vectors, (vector) => dot(wanted, vector))
    const fused = fuse(scores, near, weights).scores
    const wantedProviders = plan.provider?.providers
    for (const [at, summary] of summaries.entries()) {
      const isOther =
        wantedProviders && !providerNames(summary).some((name) => wantedProviders.includes(name))
      if (isOther) fused[at] = otherProviderShare(plan) * (fused[at] ?? 0)
    }
    preferRoots(fused, [...summaries.keys()], (at) => summaries[at] ?? NOWHERE, plan)
    return ids
      .map((id, at) => ({ id, score: fused[at] ?? 0 }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
  }
  return { rank }
}

const NOWHERE = { repository: '', path: '', kind: '' }

function dot(a: Float32Array, b: Float32Array | undefined): number {
  return a.reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0)
}
