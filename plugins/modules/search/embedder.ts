/** What is embedded: a stored text or a question about it. Some services treat them differently. */
export type EmbedRole = 'document' | 'query'

/** The outcome for one text: its L2-normalised vector, or why there is none. */
export type Embedding = { readonly vector: Float32Array } | { readonly failed: string }

/** One strategy, opened. `close` releases models and sockets. */
export interface Embedder {
  readonly strategy: string
  /** Model name, as written in the store's header; `""` where there is none. */
  readonly model: string
  /** Known after the first answer where the model decides it. */
  readonly dims: number | undefined
  /**
   * Vectors in the order of `texts`. A failed batch fails only its texts.
   * Errors: `unavailable`/`transformers_missing`, `model_unavailable`; `invalid`/`embedding_key_missing`.
   */
  embed(texts: readonly string[], role: EmbedRole, signal: AbortSignal): Promise<readonly Embedding[]>
  close(): Promise<void>
}

/** The vector with length 1; all zeros stay zeros. Undefined when a component is not finite. */
export function normalized(values: ArrayLike<number>): Float32Array | undefined {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += (values[i] ?? 0) ** 2
  if (!Number.isFinite(sum)) return undefined
  const norm = Math.sqrt(sum)
  return Float32Array.from(values, (value) => (norm === 0 ? 0 : value / norm))
}
