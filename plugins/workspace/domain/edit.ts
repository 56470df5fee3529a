import { applyPatch, parsePatch, type StructuredPatch } from 'diff'
import { placeBeforeLf, withLineEndsOf } from './line-ends.ts'

/** Replaces a text that occurs once. */
export interface Edit {
  readonly old: string
  readonly new: string
}

export type Edited =
  | { readonly kind: 'edited'; readonly text: string }
  /** `edit` counts from 1; its old text occurs that many times, 2 for more than one. */
  | { readonly kind: 'misplaced'; readonly edit: number; readonly times: 0 | 2 }
  | { readonly kind: 'unfit' }

/**
 * The text after every edit, each made on what the one before left. A text that does not occur is looked for again
 * with all kinds of line ends, and what replaces it has those of the text.
 */
export function withEdits(text: string, edits: readonly Edit[]): Edited {
  let edited = text
  for (const [index, { old, new: fresh }] of edits.entries()) {
    const found = placeOf(edited, old)
    if (typeof found === 'number') return { kind: 'misplaced', edit: index + 1, times: found }
    edited = edited.slice(0, found.from) + withLineEndsOf(text, fresh) + edited.slice(found.to)
  }
  return { kind: 'edited', text: edited }
}

/** Where the text occurs, or how often if not once. */
function placeOf(text: string, old: string): { readonly from: number; readonly to: number } | 0 | 2 {
  const from = soleIndexOf(text, old)
  if (from >= 0) return { from, to: from + old.length }
  if (from === SEVERAL) return 2
  if (!text.includes('\r\n') && !old.includes('\r\n')) return 0
  const lf = old.replaceAll('\r\n', '\n')
  const at = soleIndexOf(text.replaceAll('\r\n', '\n'), lf)
  if (at < 0) return at === SEVERAL ? 2 : 0
  return { from: placeBeforeLf(text, at), to: placeBeforeLf(text, at + lf.length) }
}

const SEVERAL = -2

/** As `indexOf`; -2 for a text that occurs more than once. */
function soleIndexOf(text: string, old: string): number {
  const at = text.indexOf(old)
  return at >= 0 && (old === '' || text.indexOf(old, at + 1) >= 0) ? SEVERAL : at
}

/** The text after a unified diff of one file, whose lines must be there exactly; the numbers of its hunks may be off. */
export function withPatch(text: string, patch: string): Edited {
  const parsed = parsedPatch(patch) ?? parsedPatch(recounted(patch))
  const patched = parsed && applyPatch(text, withinText(parsed, text), { fuzzFactor: 0 })
  return typeof patched === 'string' ? { kind: 'edited', text: patched } : { kind: 'unfit' }
}

function parsedPatch(patch: string): StructuredPatch | undefined {
  try {
    const [file, ...others] = parsePatch(patch)
    return others.length === 0 && (file?.hunks.length ?? 0) > 0 ? file : undefined
  } catch {
    return undefined // said with the refusal
  }
}

const HUNK = /^@@ -(\d+)(,\d+)? \+(\d+)(?:,\d+)? @@/

/**
 * With the numbers of lines that each hunk has: models count them wrong. One that should have lines of the text and has
 * none is left as it is: only they tell its place.
 */
function recounted(patch: string): string {
  const lines = patch.split('\n')
  while (/^\r?$/.test(lines.at(-1) ?? 'none')) lines.pop()
  const heads = [...lines.keys()].filter((at) => HUNK.test(lines[at] ?? ''))
  heads.forEach((head, index) => {
    const body = lines.slice(head + 1, heads[index + 1])
    const count = (mark: string): number =>
      body.filter((line) => !/^[-+\\]/.test(line) || line.startsWith(mark)).length
    const [old, fresh] = [count('-'), count('+')]
    lines[head] = (lines[head] ?? '').replace(HUNK, (stated, from, length, to) =>
      old === 0 && length !== ',0' ? stated : `@@ -${from},${old} +${to},${fresh} @@`,
    )
  })
  return `${lines.join('\n')}\n`
}

/** The library searches the place of a hunk line by line from the stated one, however far behind the end that is. */
function withinText(patch: StructuredPatch, text: string): StructuredPatch {
  const last = text.split('\n').length + 1
  return {
    ...patch,
    hunks: patch.hunks.map((hunk) => ({ ...hunk, oldStart: Math.min(hunk.oldStart, last) })),
  }
}

/** What differs: from the first to behind the last character that is not the same, in the earlier text. */
export function changedRange(before: string, after: string): { readonly from: number; readonly to: number } {
  const length = Math.min(before.length, after.length)
  let from = 0
  while (from < length && before.charCodeAt(from) === after.charCodeAt(from)) from += 1
  let same = 0
  while (
    same < length - from &&
    before.charCodeAt(before.length - 1 - same) === after.charCodeAt(after.length - 1 - same)
  )
    same += 1
  return { from, to: before.length - same }
}
