import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { excessOfYaml, yamlFault } from '../platform/yaml-document.ts'
import {
  ConfigFault,
  type ConfigFormat,
  edited,
  ended,
  LayoutFault,
  lineBreakOf,
  lineNumber,
  lineStart,
  nextLine,
  type Place,
} from './config-format.ts'

/** YAML, as Continue reads it: items of a list that is a member of the document. */
export const yamlFormat: ConfigFormat = {
  read: contentOf,
  put(text, place, value) {
    const [name = '', index = 0] = itemPlace(place)
    const { contents } = documentOf(text)
    if (contents !== null && !isMap(contents)) throw fault(text, contents, 'a map is expected here')
    const pair = contents?.items.find(({ key }) => keyText(key) === name)
    if (!pair) return withList(text, contents, { name: String(name), value })
    const list = pair.value
    if (isSeq(list)) {
      if (Number(index) < list.items.length) return replaced(text, list, Number(index), value)
      return edited(text, [list.flow ? flowItem(list, value) : blockItem(text, list, value)])
    }
    if (isScalar(list) && list.value === null && list.source === '') return startedList(text, pair, value)
    throw fault(text, list, 'a list is expected here')
  },
  take(text, place) {
    const [name = '', index] = itemPlace(place)
    const { contents } = documentOf(text)
    if (!isMap(contents)) throw new TypeError('there is no value at that place')
    const at = contents.items.findIndex(({ key }) => keyText(key) === name)
    const list = contents.items[at]?.value
    if (index === undefined) return withoutPair(text, contents, at)
    if (!isSeq(list)) throw new TypeError('there is no value at that place')
    return withoutItem(text, contents.items[at] as Pair, list, Number(index)) // the list is its value
  },
}

/** An item is put and taken whole. */
function itemPlace(place: Place): Place {
  if (place.length > 2) throw new LayoutFault(1, 'members of an item are not edited one by one')
  return place
}

/** Errors: `ConfigFault`, also for an alias that names no anchor before it, or for aliases that multiply. */
function contentOf(text: string): unknown {
  const document = documentOf(text)
  try {
    return document.toJS() ?? undefined
  } catch (thrown) {
    if (!(thrown instanceof ReferenceError)) throw thrown
    throw new ConfigFault(lineNumber(text, unresolvedAlias(document)), 'an alias cannot be resolved')
  }
}

/** Offset of the first alias without an anchor; 0 if all have one. */
function unresolvedAlias(document: Document.Parsed): number {
  let found = 0
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document)) return undefined
      found = alias.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return found
}

/** A text that nests too deep is refused before it is parsed: what the parser makes of it takes minutes. */
function documentOf(text: string): Document.Parsed {
  const excess = excessOfYaml(text)
  if (excess) throw new ConfigFault(excess.line, excess.message)
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [error] = document.errors
  if (!error) return document
  const what = yamlFault(error)
  throw new ConfigFault(lineCounter.linePos(error.pos[0]).line, what.charAt(0).toLowerCase() + what.slice(1))
}

function keyText(key: unknown): unknown {
  return isScalar(key) ? key.value : undefined
}

function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = (node as Node | null)?.range // a parsed node
  if (!range) throw new TypeError('a node of a parsed document has a range')
  return [range[0], range[1]]
}

function fault(text: string, node: unknown, what: string): ConfigFault {
  return new ConfigFault(lineNumber(text, rangeOf(node)[0]), what)
}

/** An item of a list, at this indentation of its dash. */
function itemLines(value: unknown, indent: string, lineBreak: string): string {
  const members = Object.entries(value as object).flatMap(([name, each]) =>
    Array.isArray(each) && each.length > 0
      ? [`${name}:`, ...each.map((one) => `  - ${scalar(one)}`)]
      : [`${name}: ${scalar(each)}`],
  )
  return members.map((line, at) => `${indent}${at === 0 ? '- ' : '  '}${line}${lineBreak}`).join('')
}

/** Plain where every reader of YAML takes the text for itself, else as JSON, which is YAML too. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  const isPlain =
    /^[A-Za-z/][\w./ -]*$/.test(value) && !/ $|^(true|false|yes|no|on|off|null|y|n)$/i.test(value)
  return isPlain ? value : JSON.stringify(value)
}

function withList(
  text: string,
  root: YAMLMap | null,
  { name, value }: { name: string; value: unknown },
): string {
  const lineBreak = lineBreakOf(text)
  if (root?.flow) {
    const last = root.items.at(-1)
    const put = `${JSON.stringify(name)}: [${JSON.stringify(value)}]`
    const start = last ? rangeOf(last.value ?? last.key)[1] : rangeOf(root)[0] + 1
    return edited(text, [{ start, end: start, text: last ? `, ${put}` : put }])
  }
  const first = root?.items[0]
  const indent = first ? text.slice(lineStart(text, rangeOf(first.key)[0]), rangeOf(first.key)[0]) : ''
  return `${ended(text, lineBreak)}${indent}${name}:${lineBreak}${itemLines(value, `${indent}  `, lineBreak)}`
}

/** `mcpServers:` without a value becomes a list. */
function startedList(text: string, { key }: Pair, value: unknown): string {
  const lineBreak = lineBreakOf(text)
  const [start] = rangeOf(key)
  const indent = `${text.slice(lineStart(text, start), start)}  `
  const at = nextLine(text, start)
  const before = text.slice(0, at)
  return `${ended(before, lineBreak)}${itemLines(value, indent, lineBreak)}${text.slice(at)}`
}

function dashIndent(text: string, list: YAMLSeq): string {
  const [start] = rangeOf(list)
  return text.slice(lineStart(text, start), start)
}

function blockItem(text: string, list: YAMLSeq, value: unknown) {
  const end = contentEnd(text, list.items.at(-1))
  const lineBreak = lineBreakOf(text)
  const indent = dashIndent(text, list)
  if (indent.trim() !== '') throw fault(text, list, 'a list on the line of its name cannot be edited')
  const put = itemLines(value, indent, lineBreak)
  const isLast = end === text.length && !text.endsWith('\n')
  return { start: end, end, text: isLast ? `${lineBreak}${put}` : put }
}

/** The start of the line behind the content of an item; comments that follow on lines of their own are not of it. */
function contentEnd(text: string, item: unknown): number {
  const [start, end] = rangeOf(item)
  const content = start + text.slice(start, end).trimEnd().length
  return nextLine(text, Math.max(start, content - 1))
}

function flowItem(list: YAMLSeq, value: unknown) {
  const last = list.items.at(-1)
  const start = last ? rangeOf(last)[1] : rangeOf(list)[0] + 1
  return { start, end: start, text: `${last ? ', ' : ''}${JSON.stringify(value)}` }
}

function replaced(text: string, list: YAMLSeq, index: number, value: unknown): string {
  const [start, end] = rangeOf(list.items[index])
  if (list.flow) return edited(text, [{ start, end, text: JSON.stringify(value) }])
  const dash = lineStart(text, start)
  const put = itemLines(value, dashIndent(text, list), lineBreakOf(text))
  return edited(text, [{ start: dash, end: contentEnd(text, list.items[index]), text: put }])
}

function withoutItem(text: string, pair: Pair, list: YAMLSeq, index: number): string {
  const [start, end] = rangeOf(list.items[index])
  const [before, after] = [list.items[index - 1], list.items[index + 1]]
  if (list.flow) {
    const from = before ? rangeOf(before)[1] : start
    const to = !before && after ? rangeOf(after)[0] : end
    return edited(text, [{ start: from, end: to, text: '' }])
  }
  const cut = { start: lineStart(text, start), end: contentEnd(text, list.items[index]), text: '' }
  if (list.items.length > 1) return edited(text, [cut])
  const colon = text.indexOf(':', rangeOf(pair.key)[1]) + 1
  return edited(text, [cut, { start: colon, end: colon, text: ' []' }]) // a list in lines cannot be empty
}

function withoutPair(text: string, root: YAMLMap, at: number): string {
  const pair = root.items[at]
  if (root.flow) {
    const before = root.items[at - 1]
    const from = before ? rangeOf(before.value ?? before.key)[1] : rangeOf(pair?.key)[0]
    const after = root.items[at + 1]
    const to = !before && after ? rangeOf(after.key)[0] : rangeOf(pair?.value ?? pair?.key)[1]
    return edited(text, [{ start: from, end: to, text: '' }])
  }
  const start = lineStart(text, rangeOf(pair?.key)[0])
  return edited(text, [{ start, end: contentEnd(text, pair?.value ?? pair?.key), text: '' }])
}
