import { ProtocolError } from '@modelcontextprotocol/server'
import { argumentsOf } from '../contract/advanced/prompt.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { findPrompt } from './prompts.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { contextFor } from './resources.ts'

const MAX_VALUES = 100 // mcp, section 3

export interface CompletionParams {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string }
  readonly argument: { readonly name: string; readonly value: string }
}

/** Answers `completion/complete`. Errors: -32602 for an unknown prompt, template, argument or variable. */
export async function complete(exchange: Exchange, params: CompletionParams): Promise<WireResult> {
  const raw = await exchange.catalog.raw?.complete({ ...params })
  const values = raw ?? (await completionsFor(exchange, params))
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  }
}

async function completionsFor(
  exchange: Exchange,
  { ref, argument }: CompletionParams,
): Promise<readonly string[]> {
  if (ref.type === 'ref/resource') return variableCompletions(exchange, ref.uri, argument)
  const known = argumentsOf(findPrompt(exchange, ref.name).prompt).find(({ name }) => name === argument.name)
  if (!known) throw new ProtocolError(INVALID_PARAMS, 'Unknown argument')
  return (await known.complete?.(callContextOf(exchange), argument.value)) ?? []
}

async function variableCompletions(
  exchange: Exchange,
  uri: string,
  argument: CompletionParams['argument'],
): Promise<readonly string[]> {
  const owned = exchange.catalog.host.registry.resources.find(({ resource }) => resource.uri === uri)
  const ctx = owned && (await contextFor(exchange.catalog, callContextOf(exchange), owned))
  if (!owned || !ctx) throw new ProtocolError(INVALID_PARAMS, 'Unknown resource template')
  if (!uri.includes(`{${argument.name}}`)) throw new ProtocolError(INVALID_PARAMS, 'Unknown variable')
  return (await owned.resource.complete?.(ctx, argument.name, argument.value)) ?? []
}
