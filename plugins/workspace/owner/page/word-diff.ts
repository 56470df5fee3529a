import { diffArrays } from 'diff'
import { once } from '../../../../server/plugin.ts'

/** A piece of a changed line. */
export interface Piece {
  readonly kind: 'same' | 'ins' | 'del'
  readonly text: string
}

/** Lines that are equal in both texts, or changed lines as pieces. */
export type DiffRow =
  | { readonly kind: 'same'; readonly lines: readonly string[] }
  | { readonly kind: 'changed'; readonly pieces: readonly Piece[]; readonly lostHeadings: readonly string[] }

/** Above these the comparison would hold the page: the block is shown as removed and added. */
const MAX_LINE_EDITS = 800
const MAX_WORD_CHARS = 20_000
const MAX_WORD_EDITS = 1000
/** A block that keeps less than this part of its characters reads better as removed and added. */
const KEPT_PART = 0.35
const HEADING = /^ {0,3}#{1,6}\s/

/** What changed between two texts: by lines, and inside changed lines by words. */
export function wordDiff(before: string, after: string): readonly DiffRow[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const parts = diffArrays(old, fresh, { maxEditLength: MAX_LINE_EDITS })
  if (!parts) return [changed(old, fresh)]
  const rows: DiffRow[] = []
  let run: { readonly dropped: string[]; readonly inserted: string[] } | undefined
  const endRun = (): void => {
    if (run) rows.push(changed(run.dropped, run.inserted))
    run = undefined
  }
  for (const { added, removed, value } of parts) {
    if (added || removed) {
      run ??= { dropped: [], inserted: [] }
      run[added ? 'inserted' : 'dropped'].push(...value)
    } else {
      endRun()
      rows.push({ kind: 'same', lines: value })
    }
  }
  endRun()
  return rows
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}

function changed(removed: readonly string[], added: readonly string[]): DiffRow {
  const [before, after] = [removed.join(''), added.join('')]
  const kept = new Set(added.filter((line) => HEADING.test(line)).map(titleOf))
  const lostHeadings = removed
    .filter((line) => HEADING.test(line))
    .map(titleOf)
    .filter((title) => !kept.has(title))
  return { kind: 'changed', pieces: pieces(before, after), lostHeadings }
}

function titleOf(line: string): string {
  return line.replace(/^ {0,3}#+\s+/, '').trim()
}

function pieces(before: string, after: string): readonly Piece[] {
  const whole: readonly Piece[] = [
    ...(before === '' ? [] : [{ kind: 'del', text: before } as const]),
    ...(after === '' ? [] : [{ kind: 'ins', text: after } as const]),
  ]
  if (whole.length < 2 || before.length + after.length > MAX_WORD_CHARS) return whole
  const wordsOf = /[\u0080-\uffff]/.test(before + after) ? words : asciiWords
  const compared = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: MAX_WORD_EDITS })
  if (!compared) return whole
  const parts = compared.map(({ added, removed, value }) => ({
    kind: added ? ('ins' as const) : removed ? ('del' as const) : ('same' as const),
    text: value.join(''),
  }))
  const same = parts
    .filter(({ kind }) => kind === 'same')
    .reduce((sum, { text }) => sum + text.trim().length, 0)
  return same < KEPT_PART * Math.min(before.length, after.length) ? whole : parts
}

const segmenter = once(() => new Intl.Segmenter('und', { granularity: 'word' }))

/** The words of any script and what is between them. What is seen as one character, such as a flag or a family, is never cut. */
function words(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment)
}

/** The same without the rules of Unicode, which take a hundred times as long. */
function asciiWords(text: string): string[] {
  return text.match(/\w+|[^\S\r\n]+|\r\n?|\n|[^\w\s]/g) ?? []
}
