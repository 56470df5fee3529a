import { changedRange } from './edit.ts'
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

/** A target with its text. */
export interface TargetText {
  readonly target: string
  readonly content: string
}

/** A change of the whole document as one of the smallest section that holds it; `outline` is that of `before`. */
export function narrowedTo(outline: Outline, before: string, after: string): TargetText {
  const { from, to } = changedRange(before, after)
  const section = outline.around(from, to)
  if (!section) return { target: 'workspace', content: after }
  const { path, start, end } = section
  return { target: `section:${path}`, content: after.slice(start, end + after.length - before.length) }
}

function existingSection(text: string, path: string, outlineOf: OutlineOf) {
  const outline = outlineOf(text)
  const section = outline.find(path)
  if (!section) throw invalidRegion(`section:${path}`, likeTargets(outline, path))
  return section
}

const SHOWN_TARGETS = 20
const COMPARED_SECTIONS = 2000

/** At most 20 targets to choose from: those whose heading reads like the wanted one, then the first of the document. */
export function likeTargets(outline: Outline, path: string): readonly string[] {
  const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const paths = Array.from(
    { length: Math.min(outline.size, COMPARED_SECTIONS) },
    (_, at) => outline.at(at).path,
  )
  const like = paths.filter((one) => one.toLowerCase().includes(last))
  return [...new Set([...like, ...paths])].slice(0, SHOWN_TARGETS).map((one) => `section:${one}`)
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
