import { diffArrays } from 'diff'
import { diff3Merge } from 'node-diff3'

/** Above this many added and removed lines two texts are not compared: it takes quadratic time, and a caller waits for it. */
export const MAX_EDITS = 2000

export interface MergeConflict {
  readonly base: string
  readonly current: string
  readonly proposed: string
}

export type Merge =
  | { readonly kind: 'clean'; readonly text: string }
  | { readonly kind: 'conflict'; readonly hunks: readonly MergeConflict[] }

/**
 * Three-way merge by lines: `proposed` and `current` both come from `base`. Overlapping changes are returned, never
 * guessed; with more than 2,000 changed lines on one side the whole text is one conflict.
 */
export function merge(base: string, current: string, proposed: string): Merge {
  const parts = mergeParts(base, current, proposed)
  const hunks = parts.filter((part) => typeof part !== 'string')
  return hunks.length > 0 ? { kind: 'conflict', hunks } : { kind: 'clean', text: parts.join('\n') }
}

/** The same as consecutive parts, joined by LF: merged text, and the conflicts between it. */
export function mergeParts(
  base: string,
  current: string,
  proposed: string,
): readonly (string | MergeConflict)[] {
  const lines = base.split('\n')
  const ours = compare(lines, current.split('\n'))
  const theirs = compare(lines, proposed.split('\n'))
  if (!ours || !theirs) return [{ base, current, proposed }]
  const marks = markLines(lines, ours, theirs)
  const regions = diff3Merge(marks.proposed, marks.base, marks.current, { excludeFalseConflicts: true })
  return regions.flatMap(({ ok, conflict }): (string | MergeConflict)[] => {
    if (!conflict) return ok && ok.length > 0 ? [marks.text(ok)] : []
    const { a, o, b } = conflict
    return [{ base: marks.text(o), current: marks.text(b), proposed: marks.text(a) }]
  })
}

/** A line of the later text: its position in the base, or its text when it is new. */
type Line = number | string

/** The three texts as one conflict. */
export function wholeConflict(base: string, current: string, proposed: string): Merge {
  return { kind: 'conflict', hunks: [{ base, current, proposed }] }
}

/** Undefined when too much changed. */
function compare(base: readonly string[], later: readonly string[]): readonly Line[] | undefined {
  const parts = diffArrays([...base], [...later], { maxEditLength: MAX_EDITS })
  if (!parts) return undefined
  const found: Line[] = []
  let at = 0
  for (const { added, removed, value } of parts) {
    if (added) for (const line of value) found.push(line)
    else if (removed) at += value.length
    else for (const _ of value) found.push(at++)
  }
  return found
}

interface Marks {
  readonly base: string[]
  readonly current: string[]
  readonly proposed: string[]
  text(marks: readonly string[]): string
}

/**
 * The three texts with a mark for each changed line and one for each unchanged run. No mark occurs
 * twice in the base: comparing repeated lines costs the cube of them.
 */
function markLines(base: readonly string[], current: readonly Line[], proposed: readonly Line[]): Marks {
  const kept = [new Set(current), new Set(proposed)]
  const isStable = (at: number): boolean => kept.every((lines) => lines.has(at))
  // Where both kept a line and the one before it in one piece, its mark is that of the run.
  const follows = [followers(current), followers(proposed)]
  const starts = base.map(
    (_, at) => !(isStable(at) && isStable(at - 1) && follows.every((set) => set.has(at))),
  )
  const texts = new Map<string, string[]>()
  let mark = ''
  base.forEach((line, at) => {
    if (starts[at]) mark = `=${at}`
    const run = texts.get(mark)
    if (run) run.push(line)
    else texts.set(mark, [line])
  })
  const marked = (lines: readonly Line[]): string[] =>
    lines.flatMap((line) => (typeof line === 'string' ? `+${line}` : starts[line] ? `=${line}` : []))
  return {
    base: marked(base.map((_, at) => at)),
    current: marked(current),
    proposed: marked(proposed),
    text: (marks) => marks.flatMap((one) => texts.get(one) ?? one.slice(1)).join('\n'),
  }
}

/** Places in the base whose line comes right behind the line before it. */
function followers(lines: readonly Line[]): ReadonlySet<Line> {
  return new Set(lines.filter((line, index) => typeof line === 'number' && lines[index - 1] === line - 1))
}
