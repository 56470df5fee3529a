import { z } from 'zod'

/** Key of the schema annotation that marks text others wrote. Keys of this prefix never reach a listed schema. */
export const UNTRUSTED_KEY = 'x-satchel-untrusted'

/** Key of the annotation of a schema below which text of others may stand anywhere. */
export const QUOTING_KEY = 'x-satchel-quoting'

export interface UntrustedMark {
  /** `README of the module`: said beside the fence. */
  readonly label: string
  /** Longest text, in characters, that the MCP door passes on; absent: uncut. */
  readonly mcpMaxChars?: number
}

/**
 * Output text that somebody else wrote. The MCP door cleans, cuts, fences and labels it; REST and the
 * command line give it raw.
 */
export function untrusted(label: string, options: { readonly mcpMaxChars?: number } = {}): z.ZodString {
  return z.string().meta({ [UNTRUSTED_KEY]: { label, ...options } satisfies UntrustedMark })
}

/**
 * Output in which text that somebody else wrote may stand anywhere, also in keys: names, types, defaults. The MCP door
 * cleans all of it, without a fence around each text; REST and the command line give it raw.
 */
export function quoting<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ [QUOTING_KEY]: true })
}
