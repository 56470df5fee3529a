import { ProtocolError } from '@modelcontextprotocol/server'
import { limited } from '../call.ts'
import { argumentsOf, type Prompt } from '../contract/advanced/prompt.ts'
import { isSatchelError } from '../contract/errors.ts'
import { firstBytes } from '../platform/first-bytes.ts'
import { labelledLog } from '../plugin-log.ts'
import type { Owned } from '../registry.ts'
import { requireScope } from '../tokens/scopes.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { refusals } from './refusals.ts'

/** The largest text of one prompt: that of a body, so that a link can pass it on. */
const PROMPT_MAX_BYTES = 4 * 1024 * 1024

/**
 * Answers `prompts/get`: one user message. Errors: -32602 for an unknown prompt or wrong arguments;
 * `internal`/`prompt_answer` naming the prompt if the plugin gives no text; `too_large`/`prompt_too_large`; those of
 * `limited`.
 */
export async function getPrompt(
  exchange: Exchange,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<WireResult> {
  const { catalog, sdk } = exchange
  const raw = catalog.raw?.prompts.find(({ descriptor }) => descriptor.name === name)
  if (raw && sdk) return raw.get(args, sdk)
  const owned = findPrompt(exchange, name)
  const { prompt } = owned
  checkArguments(prompt, args)
  const text = await rendered(owned, exchange, args)
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

async function rendered(
  { prompt, plugin }: Owned<'prompt', Prompt>,
  exchange: Exchange,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const failed = (cause: unknown) =>
    refusals.prompt_answer({ prompt: prompt.name, plugin }, { details: { prompt: prompt.name }, cause })
  const ctx = callContextOf(exchange)
  let text: unknown
  try {
    const own = { ...ctx, log: labelledLog(ctx.log, { plugin }) }
    text = await limited({ prompt: prompt.name }, own, exchange.catalog.host.limits, async (inTime) =>
      prompt.render(inTime, args),
    )
  } catch (thrown) {
    if (isSatchelError(thrown) || ctx.signal.aborted) throw thrown
    throw failed(thrown ?? String(thrown))
  }
  if (typeof text !== 'string') throw failed(new TypeError('render gave no text'))
  // Cut, it would lose what it asks for.
  if (firstBytes(text, PROMPT_MAX_BYTES).cut)
    throw refusals.prompt_too_large({ prompt: prompt.name, bytes: PROMPT_MAX_BYTES })
  return text
}

/** Finds a prompt; a session can use only those of its own plugin. Errors: -32602 `Unknown prompt`; `forbidden`/`scope_missing`. */
export function findPrompt({ catalog, caller }: Exchange, name: string): Owned<'prompt', Prompt> {
  const { principal } = caller
  const found = catalog.host.registry.prompts.find(
    ({ prompt, plugin }) =>
      prompt.name === name && (principal.kind !== 'session' || principal.plugin === plugin),
  )
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Unknown prompt')
  requireScope(principal, found.plugin, 'read')
  return found
}

function checkArguments(prompt: Prompt, args: Readonly<Record<string, string>>): void {
  const taken = argumentsOf(prompt)
  const missing = taken.filter(({ name, required }) => required && !args[name])
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new ProtocolError(INVALID_PARAMS, `Missing required argument: ${names}`)
  }
  const known = taken.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const shown = unknown.slice(0, 80)
  throw new ProtocolError(
    INVALID_PARAMS,
    `Unknown argument "${shown}". Known: ${known.join(', ') || 'none'}.`,
  )
}
