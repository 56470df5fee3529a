import type { Body } from './body.ts'
import { type Cursor, doubt } from './cursor.ts'

/** The lines of the items of a body. */
export interface Spacing {
  /** Of the block's header; undefined at the top level. */
  readonly ownerLine: number | undefined
  endLine: number
  items: number
  compact: boolean
}

/** Before the first item; `owner`: the block's header, undefined at the top level. */
export function createSpacing(owner: { readonly line: number } | undefined): Spacing {
  return { ownerLine: owner?.line, endLine: owner?.line ?? 0, items: 0, compact: false }
}

/** Terraform wants one item a line; `{ a = 1 }` is the only block on one line that may hold something. */
export function noteSpacing(c: Cursor, spacing: Spacing): void {
  if (spacing.items === 0 && spacing.ownerLine === c.line) spacing.compact = true
  else if (spacing.endLine === c.line) doubt(c, 'two items on one line')
  spacing.items += 1
}

/** Ends a body at its brace. */
export function closeBlock(c: Cursor, spacing: Spacing, body: Body): void {
  const misplaced = spacing.items > 0 && spacing.compact !== (spacing.endLine === c.line)
  if (misplaced || (spacing.compact && body.blocks.length > 0)) {
    doubt(c, 'the closing brace is not where its block needs it')
  }
  c.at += 1
}
