import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { visible } from './dom.js'
import { wordDiff } from './word-diff.ts'

const CONTEXT_LINES = 3
/** Above this the page would be busy for seconds: the server's own diff is shown. */
const MAX_CHARS = 400_000

/** What changed between two texts, where it changed, to the word. */
export function DiffView({ before, after, label = 'Changes' }) {
  const rows = useMemo(() => wordDiff(before, after), [before, after])
  const lost = rows.flatMap((row) => (row.kind === 'changed' ? row.lostHeadings : []))
  const isSame = rows.every(({ kind }) => kind === 'same')
  return h(
    'div',
    {},
    lost.length > 0 &&
      h(
        'p',
        { class: 'failed' },
        `${lost.length === 1 ? 'A heading is' : 'Headings are'} removed: `,
        visible(lost.join(', ')),
      ),
    isSame && h('p', { class: 'hint' }, 'This changes nothing.'),
    h(
      'pre',
      { class: 'diff', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': label },
      rows.map((row, at) => (row.kind === 'same' ? same(row.lines, at, rows.length) : changed(row.pieces))),
    ),
  )
}

export function isTooLarge(before, after) {
  return before.length + after.length > MAX_CHARS
}

function changed(pieces) {
  const tags = { ins: 'ins', del: 'del', same: 'span' }
  return h(
    'span',
    { class: 'changed' },
    pieces.map(({ kind, text }) => h(tags[kind], {}, visible(text))),
  )
}

/** Equal lines next to a change; the others are counted. */
function same(lines, at, count) {
  const head = at === 0 ? 0 : CONTEXT_LINES
  const tail = at === count - 1 ? 0 : CONTEXT_LINES
  if (lines.length <= head + tail + 1) return visible(lines.join(''))
  const left = lines.length - head - tail
  return [
    visible(lines.slice(0, head).join('')),
    h('span', { class: 'place' }, `… ${left} equal lines\n`),
    visible(tail === 0 ? '' : lines.slice(-tail).join('')),
  ]
}

/** A unified diff as the server cut it. */
export function UnifiedDiff({ diff }) {
  const kinds = { '+': 'ins', '-': 'del' }
  return h(
    'pre',
    { class: 'diff', dir: 'auto', tabindex: 0, role: 'region', 'aria-label': 'Changes' },
    diff.split('\n').map((line) => h(kinds[line[0]] ?? 'span', {}, `${visible(line)}\n`)),
  )
}
