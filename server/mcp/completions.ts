import { ProtocolError } from '@modelcontextprotocol/server'
import { limited } from '../call.ts'
import { argumentsOf } from '../contract/advanced/prompt.ts'
import type { CallContext } from '../contract/context.ts'
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

/** Answers `completion/complete`. Errors: -32602 for an unknown prompt, template, argument or variable; those of `limited`. */
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
  return inTime(exchange, { prompt: ref.name }, callContextOf(exchange), (ctx) =>
    known.complete?.(ctx, argument.value),
  )
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
  return inTime(exchange, { resource: uri }, ctx, (within) =>
    owned.resource.complete?.(within, argument.name, argument.value),
  )
}

/** Errors: those of `limited`. */
async function inTime(
  { catalog }: Exchange,
  named: Readonly<Record<string, string>>,
  ctx: CallContext,
  complete: (ctx: CallContext) => Promise<readonly string[]> | undefined,
): Promise<readonly string[]> {
  return limited(named, ctx, catalog.host.limits, async (within) => (await complete(within)) ?? [])
}
