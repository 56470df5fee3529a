import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { homeFolder } from '../../../server/plugin.ts'
import type { EmbeddingOptions } from '../config.ts'
import { refusals } from '../reasons.ts'
import type { Lexicon } from './lexicon.ts'
import { builtInEmbedder, type ModuleEmbedder, modelEmbedder } from './module-embedder.ts'

export interface EmbedderParts {
  readonly lexicon: Lexicon
  /** Where relative model folders start. */
  readonly workingDirectory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Defaults of the hosted services (search, section 7). */
const HOSTED = {
  'hosted-a': { url: 'https://api.openai.com/v1', model: 'text-embedding-3-small' },
  'hosted-b': { url: 'https://api.voyageai.com/v1', model: 'voyage-3.5' },
} as const
const DEFAULT_MODEL = 'Xenova/all-MiniLM-L6-v2'

/**
 * Opens the configured strategy; the caller closes it. Heavy packages load only for the strategy that uses them.
 * Errors: `invalid`/`embedding_key_missing`, `embedding_url_refused`; `unavailable`/`transformers_missing`,
 * `model_unavailable`.
 */
export async function openEmbedder(options: EmbeddingOptions, parts: EmbedderParts): Promise<ModuleEmbedder> {
  if (options.strategy === 'vectordb-default') return builtInEmbedder(parts.lexicon)
  if (options.strategy === 'local-transformers') return openLocal(options, parts)
  const { hostedEmbedder } = await import('./hosted.ts')
  return modelEmbedder(hostedEmbedder(hostedService(options, options.strategy)))
}

/** Refuses what is known to fail before any git work. Errors: `invalid`/`embedding_key_missing`. */
export function requireKey(options: EmbeddingOptions): void {
  if (options.strategy === 'hosted-a' || options.strategy === 'hosted-b')
    hostedService(options, options.strategy)
}

function hostedService(options: EmbeddingOptions, strategy: 'hosted-a' | 'hosted-b') {
  const isA = strategy === 'hosted-a'
  const apiKey = isA ? options.hosted_a_api_key : options.hosted_b_api_key
  const [field, variable] = isA
    ? ['embedding.hosted_a_api_key', 'HOSTED_A_API_KEY']
    : ['embedding.hosted_b_api_key', 'HOSTED_B_API_KEY']
  if (!apiKey) {
    throw refusals.embedding_key_missing({ strategy, field, variable })
  }
  const baseUrl = (isA ? options.hosted_a_base_url : options.hosted_b_base_url) ?? HOSTED[strategy].url
  const model = (isA ? options.hosted_a_model : options.hosted_b_model) ?? HOSTED[strategy].model
  return { strategy, apiKey, baseUrl: baseUrl.replace(/\/+$/, ''), model }
}

async function openLocal(options: EmbeddingOptions, parts: EmbedderParts): Promise<ModuleEmbedder> {
  const model = options.sentence_transformers_model ?? DEFAULT_MODEL
  const { openLocalTransformers } = await import('./local-transformers.lazy.ts').catch((cause: unknown) => {
    throw refusals.transformers_missing({ cause })
  })
  return modelEmbedder(await openLocalTransformers(placeOf(model, parts), model))
}

/** A path or an existing folder is used offline only; a bare name means the library's own collection. */
function placeOf(model: string, { workingDirectory, env }: EmbedderParts) {
  const folder = resolve(workingDirectory, model)
  if (/^[./]/.test(model) || existsSync(folder)) {
    return { kind: 'folder', parent: dirname(folder), name: basename(folder) } as const
  }
  const cache = env['XDG_CACHE_HOME'] ?? join(homeFolder(), '.cache')
  return {
    kind: 'name',
    id: model.includes('/') ? model : `Xenova/${model}`,
    cacheDir: join(cache, 'satchel', 'models'),
  } as const
}
