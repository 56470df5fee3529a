import * as z from 'zod'

/** Key of the schema annotation that marks text of another author. Keys of this prefix never reach a listed schema. */
export const UNTRUSTED_KEY = 'x-satchel-untrusted'

export interface UntrustedMark {
  /** Shown beside the fence: `README of the module`. */
  readonly label: string
  /** Maximum length in characters that the MCP door passes on; absent: unlimited. */
  readonly mcpMaxChars?: number
  /** True: the MCP door passes it on as one line, because its line ends say nothing. */
  readonly line?: true
  /** True: a caller may send it back, so the data has it byte for byte; only text for a model is fenced. */
  readonly exact?: true
}

/**
 * Output text of another author. The MCP door cleans, shortens and fences it; REST and `--json` return it unchanged.
 */
export function untrusted(label: string, options: Omit<UntrustedMark, 'label'> = {}): z.ZodString {
  return z.string().meta({ [UNTRUSTED_KEY]: { label, ...options } satisfies UntrustedMark })
}
