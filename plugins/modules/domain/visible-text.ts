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
const FENCE = /^\s*(`{3,}|~{3,})/

function withoutFrontMatter(text: string): string {
  if (!text.startsWith('---\n')) return text
  const end = text.indexOf('\n---\n', 3)
  return end === -1 ? text : text.slice(end + 5)
}

/** Lines outside code fences and generated documentation; what has no end goes on to the end of the text. */
function writtenLines(text: string): string[] {
  const written: string[] = []
  let until: ((line: string) => boolean) | undefined
  for (const line of text.split('\n')) {
    if (until !== undefined) {
      if (until(line)) until = undefined
      continue
    }
    const fence = FENCE.exec(line)?.[1]
    if (fence !== undefined) until = (other) => closesFence(other, fence)
    else if (GENERATED_START.test(line)) until = (other) => GENERATED_END.test(other)
    written.push(until === undefined ? line : '')
  }
  return written
}

function closesFence(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text === (fence[0] ?? '').repeat(text.length)
}

function withoutComments(text: string): string {
  let kept = ''
  let from = 0
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    kept += text.slice(from, start)
    const end = text.indexOf('-->', start)
    if (end === -1) return kept
    from = end + 3
  }
  return kept + text.slice(from)
}

const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)(?=[\s/>])[^<>]*>/g
/** Elements of running text: only their tags go. */
const INLINE = new Set(['b', 'strong', 'i', 'em', 'code', 'kbd', 'u', 'sub', 'sup', 'span', 'small', 'br'])

/** Elements go with their contents; a tag without its partner goes alone. */
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
