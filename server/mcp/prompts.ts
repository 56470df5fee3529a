import { ProtocolError } from '@modelcontextprotocol/server'
import type { Prompt } from '../contract/advanced/prompt.ts'
import { requireScope } from '../tokens/scopes.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'

/** Answers `prompts/get`: one user message. Errors: -32602 for an unknown prompt or wrong arguments. */
export async function getPrompt(
  exchange: Exchange,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<WireResult> {
  const { catalog, sdk } = exchange
  const raw = catalog.raw?.prompts.find(({ descriptor }) => descriptor.name === name)
  if (raw && sdk) return raw.get(args, sdk)
  const prompt = findPrompt(exchange, name)
  checkArguments(prompt, args)
  const text = await prompt.render(callContextOf(exchange), args)
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}

/** Finds a prompt; a session can use only those of its own plugin. Errors: -32602 `Unknown prompt`; `forbidden`/`scope_missing`. */
export function findPrompt({ catalog, caller }: Exchange, name: string): Prompt {
  const { principal } = caller
  const found = catalog.host.registry.prompts.find(
    ({ prompt, plugin }) =>
      prompt.name === name && (principal.kind !== 'session' || principal.plugin === plugin),
  )
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Unknown prompt')
  requireScope(principal, found.plugin, 'read')
  return found.prompt
}

function checkArguments(prompt: Prompt, args: Readonly<Record<string, string>>): void {
  const missing = prompt.arguments.filter(({ name, required }) => required && !args[name])
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw new ProtocolError(INVALID_PARAMS, `Missing required argument: ${names}`)
  }
  const known = prompt.arguments.map(({ name }) => name)
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const shown = unknown.slice(0, 80)
  throw new ProtocolError(
    INVALID_PARAMS,
    `Unknown argument "${shown}". Known: ${known.join(', ') || 'none'}.`,
  )
}
