import type { Outline } from './outline.ts'
import { invalidRegion, type Target } from './target.ts'

/** Finds the outline of a text. */
export type OutlineOf = (text: string) => Outline

/**
 * The text of a target.
 * Errors: `invalid`/`invalid_region` when the document has no such section.
 */
export function readTarget(text: string, target: Target, outlineOf: OutlineOf): string {
  if (target.kind === 'workspace') return text
  const { start, end } = existingSection(text, target.path, outlineOf)
  return text.slice(start, end)
}

/**
 * The document with a target's text replaced. A line end is added where the next heading would otherwise stick to
 * the new text, and one more where it would be swallowed by it: an underlined heading by the paragraph before, any by
 * an HTML block. Nothing else changes by a byte.
 * Errors: `invalid`/`invalid_region`.
 */
export function writeTarget(text: string, target: Target, content: string, outlineOf: OutlineOf): string {
  if (target.kind === 'workspace') return content
  const { start, end } = existingSection(text, target.path, outlineOf)
  const before = text.slice(0, start) + content
  const rest = text.slice(end)
  if (rest === '') return before
  const sticks = content !== '' && !/[\n\r]$/.test(content)
  const ended = sticks ? before + lineEndOf(text) : before
  const apart = ended + lineEndOf(text)
  // A code fence or comment that the new text leaves open swallows the rest either way.
  const head = [ended, apart].find((one) => outlineOf(one + rest).startsAt(one.length)) ?? ended
  return head + rest
}

function existingSection(text: string, path: string, outlineOf: OutlineOf) {
  const section = outlineOf(text).find(path)
  if (!section) throw invalidRegion(`section:${path}`)
  return section
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Name, level and size of a section, as `workspace_outline` returns them. */
export interface OutlineRow {
  readonly target: string
  readonly level: number
  readonly line: number
  readonly lines: number
  readonly bytes: number
}

/** The first sections of an outline down to `maxDepth`, at most `limit`; `more` when there are others. */
export function outlineRows(
  outline: Outline,
  { maxDepth, limit }: { readonly maxDepth: number; readonly limit: number },
): { readonly rows: readonly OutlineRow[]; readonly more: boolean } {
  const rows: OutlineRow[] = []
  for (let index = 0; index < outline.size; index += 1) {
    const { path, level, line, lines, bytes } = outline.at(index)
    if (level > maxDepth) continue
    if (rows.length === limit) return { rows, more: true }
    rows.push({ target: `section:${path}`, level, line, lines, bytes })
  }
  return { rows, more: false }
}
