import type { TextDiff } from './difference.ts'
import type { Edit, Edited } from './edit.ts'
import type { Merge } from './merge.ts'
import type { Outline } from './outline.ts'
import type { FoundLine } from './search.ts'

/** Questions about texts that may take long: up to a second for the largest document. */
export interface Analysis {
  outline(text: string): Outline
  /** What changed, as a unified diff of at most `maxBytes`. */
  difference(before: string, after: string, maxBytes: number): TextDiff
  merge(base: string, current: string, proposed: string): Merge
  edited(text: string, edits: readonly Edit[]): Edited
  patched(text: string, patch: string): Edited
  /** The first lines that hold every word of `query`. */
  lines(text: string, query: string, limit: number): readonly FoundLine[]
}
