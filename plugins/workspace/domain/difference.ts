import { structuredPatch } from 'diff'
import { firstBytes } from '../../../server/plugin.ts'
import { MAX_EDITS } from './merge.ts'

/** Above this many changed lines on one side the middle is shown as one block: line comparison degrades on repeated lines. */
const MAX_COMPARED_LINES = 5000
const CONTEXT_LINES = 3

interface Hunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  readonly lines: readonly string[]
}

export interface TextDiff {
  /** Unified, without file header. */
  readonly diff: string
  readonly cut: boolean
  readonly added: number
  readonly removed: number
}

/** What changed between two texts, as a unified diff of at most `maxBytes`. Takes up to a second. */
export function unifiedDiff(before: string, after: string, maxBytes: number): TextDiff {
  return inWhole(hunksBetween(before, after), maxBytes)
}

/** The same with everything between the first and the last change as one block: in time proportional to the texts. */
export function blockDiff(before: string, after: string, maxBytes: number): TextDiff {
  const ends = commonEnds(before.split('\n'), after.split('\n'))
  return inWhole(ends.changed === 0 ? [] : [blockHunk(ends)], maxBytes)
}

function inWhole(hunks: readonly Hunk[], maxBytes: number): TextDiff {
  const lines = hunks.flatMap((hunk) => [hunkHeader(hunk), ...hunk.lines])
  const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`
  const { text: diff, cut } = firstBytes(text, maxBytes)
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  return { diff, cut, added: count('+'), removed: count('-') }
}

function hunkHeader({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`
}

interface Ends {
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  /** Lines that both begin with, and end with. */
  readonly head: number
  readonly tail: number
  /** Lines between them, of the longer text. */
  readonly changed: number
}

function commonEnds(old: readonly string[], fresh: readonly string[]): Ends {
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1
  let tail = 0
  const room = Math.min(old.length, fresh.length) - head
  while (tail < room && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1
  return { old, fresh, head, tail, changed: Math.max(old.length, fresh.length) - head - tail }
}

function hunksBetween(before: string, after: string): readonly Hunk[] {
  const ends = commonEnds(before.split('\n'), after.split('\n'))
  if (ends.changed === 0) return []
  if (ends.changed > MAX_COMPARED_LINES) return [blockHunk(ends)]
  const patch = structuredPatch('', '', before, after, '', '', {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  })
  return patch?.hunks ?? [blockHunk(ends)]
}

function blockHunk({ old, fresh, head, tail }: Ends): Hunk {
  const removed = old.slice(head, old.length - tail)
  const added = fresh.slice(head, fresh.length - tail)
  return {
    oldStart: head + 1,
    oldLines: removed.length,
    newStart: head + 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  }
}
