/** A tool's size in the list a model sees, in tokens: bytes / 4 (quality, section 2). */
export interface ToolPrice {
  readonly name: string
  readonly description_chars: number
  /** Name, title, description and input schema. */
  readonly tokens: number
  readonly output_tokens: number
}

/** What one entry of `tools/list` costs a model. */
export function priceOf(descriptor: Readonly<Record<string, unknown>>): ToolPrice {
  const { name, title, description, inputSchema, outputSchema } = descriptor
  return {
    name: String(name),
    description_chars: String(description).length,
    tokens: tokensOf({ name, title, description, inputSchema }),
    output_tokens: tokensOf(outputSchema),
  }
}

/** Tokens of a value as JSON, or of a text as it is. */
export function tokensOf(value: unknown): number {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return Math.ceil(Buffer.byteLength(text) / 4)
}
