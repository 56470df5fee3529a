import type { CallContext } from '../../../server/plugin.ts'
import type { EmbeddingOptions } from '../config.ts'
import { refusals } from '../reasons.ts'
import { callerPath, type ModuleService } from './module-service.ts'

/** Options that name where vectors, texts and keys are sent. */
const ENDPOINTS = ['vectordb_host', 'vectordb_port', 'hosted_a_base_url', 'hosted_b_base_url'] as const

/**
 * The embedding options of a configuration that a caller of REST or MCP named: its folders are confined, and it sends
 * texts and keys only to the services of the operator's own configuration, because the keys may come from the environment.
 * Where it names no base URL, the operator's counts: a key made for that service is sent to no other.
 * Errors: `forbidden`/`path_refused`; `forbidden`/`host_refused` for another server or base URL.
 */
export async function callerEmbedding(
  service: ModuleService,
  ctx: CallContext,
  options: EmbeddingOptions,
): Promise<EmbeddingOptions> {
  const own = service.config.embedding
  for (const field of ENDPOINTS) {
    const asked = options[field] ?? undefined
    if (asked === undefined || asked === own[field]) continue
    if (field === 'vectordb_port' && !options.vectordb_host) continue
    throw refusals.service_refused({ field })
  }
  const model = options.sentence_transformers_model
  return {
    ...options,
    hosted_a_base_url: options.hosted_a_base_url ?? own.hosted_a_base_url,
    hosted_b_base_url: options.hosted_b_base_url ?? own.hosted_b_base_url,
    vectordb_path: await callerPath(service, ctx, options.vectordb_path),
    ...(model &&
      namesFolder(model) && { sentence_transformers_model: await callerPath(service, ctx, model) }),
  }
}

/** Anything but `name` and `owner/name` of a model collection. */
function namesFolder(model: string): boolean {
  return !/^[A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9][\w.-]*)?$/.test(model)
}
