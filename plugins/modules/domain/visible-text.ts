import { withoutComments } from '../../../server/plugin.ts'

/**
 * Markdown without what its author did not write for readers: front matter, code fences, generated documentation,
 * HTML comments, HTML elements with their contents. Scanners whose time is linear in the length for any input.
 */
export function visibleText(markdown: string): string {
  const text = markdown.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  return withoutElements(withoutComments(writtenLines(withoutFrontMatter(text)).join('\n')))
}

/** Markers of terraform-docs, new and old. */
const GENERATED_START = /BEGIN_TF_DOCS|BEGINNING OF [A-Z-]{1,40} DOCS HOOK/
const GENERATED_END = /END_TF_DOCS|END OF [A-Z-]{1,40} DOCS HOOK/
const TITLE = /^#\s/
const HEADING = /^#{1,6}\s/
const FENCE = /^\s*(`{3,}|~{3,})/

function withoutFrontMatter(text: string): string {
  if (!text.startsWith('---\n')) return text
  const end = text.indexOf('\n---\n', 3)
  return end === -1 ? text : text.slice(end + 5)
}

/** The position of a line in generated documentation: outside, before its first words, under its title, in the rest. */
type Generated = 'no' | 'opening' | 'titled' | 'hidden'

interface Place {
  readonly generated: Generated
  /** What opened the code fence around the line. */
  readonly fence: string | undefined
  readonly isWritten: boolean
}

/**
 * Lines outside code fences and generated documentation; an unterminated part ends with the text. Generated
 * documentation that opens with a title is a whole README made from a template: up to its next heading it is its author's.
 */
function writtenLines(text: string): string[] {
  let at: Place = { generated: 'no', fence: undefined, isWritten: true }
  return text.split('\n').map((line) => {
    at = placeOf(line, at)
    return at.isWritten ? line : ''
  })
}

function placeOf(line: string, { generated, fence }: Place): Place {
  const hidden = { generated, fence: undefined, isWritten: false }
  if (generated !== 'no' && GENERATED_END.test(line)) return { ...hidden, generated: 'no' }
  if (fence !== undefined) return { ...hidden, fence: closesFence(line, fence) ? undefined : fence }
  if (generated === 'no' && GENERATED_START.test(line)) return { ...hidden, generated: 'opening' }
  const now = afterLine(generated, line)
  if (now === 'opening' || now === 'hidden') return { ...hidden, generated: now }
  const opened = FENCE.exec(line)?.[1]
  return { generated: now, fence: opened, isWritten: opened === undefined }
}

function afterLine(at: Generated, line: string): Generated {
  if (at === 'opening') {
    if (TITLE.test(line)) return 'titled'
    return /^\s*(?:$|<!--)/.test(line) ? at : 'hidden'
  }
  return at === 'titled' && HEADING.test(line) ? 'hidden' : at
}

function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text === (fence[0] ?? '').repeat(text.length)
}

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)(?=[\s/>])[^<>]*>/g
/** Inline elements: only their tags are removed. */
const INLINE = new Set(['b', 'strong', 'i', 'em', 'code', 'kbd', 'u', 'sub', 'sup', 'span', 'small', 'br'])

/** Elements are removed with their contents; an unpaired tag is removed alone. */
function withoutElements(text: string): string {
  const open = new Map<string, number[]>()
  const cuts: [start: number, end: number][] = []
  for (const tag of text.matchAll(TAG)) {
    const name = (tag[2] ?? '').toLowerCase()
    const end = tag.index + tag[0].length
    cuts.push([tag.index, end])
    if (INLINE.has(name) || tag[0].endsWith('/>')) continue
    const starts = open.get(name) ?? []
    open.set(name, starts)
    const start = tag[1] === '/' ? starts.pop() : undefined
    if (tag[1] !== '/') starts.push(tag.index)
    else if (start !== undefined) cuts.push([start, end])
  }
  return withoutRanges(text, cuts)
}

function withoutRanges(text: string, cuts: readonly [start: number, end: number][]): string {
  let kept = ''
  let from = 0
  for (const [start, end] of cuts.toSorted((a, b) => a[0] - b[0])) {
    if (start > from) kept += text.slice(from, start)
    from = Math.max(from, end)
  }
  return kept + text.slice(from)
}
