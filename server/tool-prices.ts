/** The size of a tool in `tools/list`, in tokens: bytes / 4 (quality, section 2). */
export interface ToolPrice {
  readonly name: string
  readonly description_chars: number
  /** Name, title, description and input schema. */
  readonly tokens: number
  readonly output_tokens: number
}

/** Returns the size of one entry of `tools/list`. */
export function priceOf(descriptor: Readonly<Record<string, unknown>>): ToolPrice {
  const { name, title, description, inputSchema, outputSchema } = descriptor
  return {
    name: String(name),
    description_chars: String(description).length,
    tokens: tokensOf({ name, title, description, inputSchema }),
    output_tokens: tokensOf(outputSchema),
  }
}

/** Returns the tokens of a text, or of another value as JSON. */
export function tokensOf(value: unknown): number {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return Math.ceil(Buffer.byteLength(text) / 4)
}
