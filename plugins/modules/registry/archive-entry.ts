/** One entry; its content is read before the next one is asked for, or not at all. */
export interface ArchiveEntry {
  /** As the archive has it. */
  readonly path: string
  /** `hard_link`: the content is that of an earlier entry, `target`. */
  readonly kind: 'file' | 'directory' | 'link' | 'hard_link' | 'other'
  readonly size: number
  readonly target: string
  content(): AsyncIterable<Uint8Array>
}
