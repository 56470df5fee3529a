import { resolve } from 'node:path'
import { cleanText, isSatchelError, type Searcher } from '../../server/plugin.ts'
import { removedText, repositoryPlace } from './answers/result-rows.ts'
import { refusals } from './reasons.ts'
import type { SearchAnswer, SearchMode } from './search/hybrid-ranking.ts'
import type { ModuleService } from './service/module-service.ts'

/** Finds modules for what is needed: as configured, or by words alone where that is not possible. Starts no ingest. */
export function moduleSearcher(service: ModuleService): Searcher {
  return {
    kind: 'module',
    async search(query, limit, { signal }) {
      const { results, count } = await found(service, { query, limit: limit + 1, signal })
      return {
        results: results.slice(0, limit).map(({ id, metadata, document, removed_since }) => ({
          text: `${placeOf(metadata)} ${metadata.ref}${removedText(removed_since)}: ${firstLine(document)}`,
          open: { tool: 'get_module', args: { id } },
        })),
        more: count > limit,
      }
    },
  }
}

interface Asked {
  readonly query: string
  readonly limit: number
  readonly signal: AbortSignal
}

async function found(service: ModuleService, asked: Asked): Promise<Pick<SearchAnswer, 'results' | 'count'>> {
  const { embedding } = service.config
  const mode = embedding.enable_hybrid_search ? 'hybrid' : 'vector'
  if (!embedding.enabled) return searchBy(service, 'keyword', asked)
  try {
    return await searchBy(service, mode, asked)
  } catch (thrown) {
    // Without vectors, or without the service that makes them, words still find.
    if (!isSatchelError(thrown)) throw thrown
    return searchBy(service, 'keyword', asked)
  }
}

async function searchBy(service: ModuleService, mode: SearchMode, { query, limit, signal }: Asked) {
  const { openSearch } = await import('./search/search-parts.ts')
  const { searchModules } = await import('./search/hybrid-ranking.ts')
  const session = await service.searchSession()
  const { embedding, output_dir } = service.config
  const outputDir = resolve(service.workingDirectory, output_dir)
  await service.followed(outputDir)
  return session.withIndex(
    () => service.storedIndex(outputDir),
    async (index, lexicon) => {
      const parts = await openSearch({ session, mode, signal, lexicon, index })
      if (!parts.store && index.source === '') return nothingIngested(service)
      const answer = await searchModules(parts, {
        query,
        filter: {},
        examples: 'left out',
        allVersions: false,
        limit,
        mode,
        weights: { keyword: embedding.keyword_weight, vector: embedding.vector_weight },
        explain: false,
      })
      return answer.nothing_fits ? { results: [], count: 0 } : answer
    },
  )
}

/** Without repositories nothing is missing. Errors: `not_found`/`no_index` where some are configured. */
function nothingIngested({ config }: ModuleService): Pick<SearchAnswer, 'results' | 'count'> {
  if (config.repositories.length > 0) throw refusals.no_index()
  return { results: [], count: 0 }
}

function placeOf({ repository, path }: { readonly repository: string; readonly path: string }): string {
  const place = repositoryPlace(repository)
  return path === '.' ? place : `${place}//${path}`
}

function firstLine(document: string): string {
  return cleanText(document.replace(/^Description: /, '').split('\n')[0] ?? '').trim()
}
