import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'
import {
  ConfigFault,
  type ConfigFormat,
  edited,
  ended,
  indentAt,
  LayoutFault,
  lineBreakOf,
  lineEnd,
  lineNumber,
  lineStart,
  MAX_LEVELS,
  nextLine,
  type Place,
  type TextEdit,
  tooDeep,
} from './config-format.ts'

/** TOML, as Codex reads it. A value that is put is a table of its own at the end, or a member of an inline table. */
export const tomlFormat: ConfigFormat = {
  read: (text) => (text.trim() === '' ? undefined : getStaticTOMLValue(treeOf(text))),
  put(text, place, value) {
    const tree = treeOf(text)
    const holder = assignmentOf(tree, place.slice(0, -1))
    if (holder && holder.value.type !== 'TOMLInlineTable')
      throw new ConfigFault(lineNumber(text, holder.range[0]), 'a table is expected here')
    const whole = assignmentOf(tree, place)?.value
    if (whole) return edited(text, [{ start: whole.range[0], end: whole.range[1], text: written(value) }])
    const without = tomlFormat.take(text, place)
    const inline = holder && assignmentOf(treeOf(without), place.slice(0, -1))?.value
    if (inline?.type === 'TOMLInlineTable') return edited(without, [member(without, inline, place, value)])
    const table = tableOf(treeOf(without), place.slice(0, -1))
    if (table && !isTable(value)) return withLine(without, table, place, value)
    if (!isTable(value)) throw new LayoutFault(1, 'there is no table to which it can be added')
    return appended(without, place, value)
  },
  take(text, place) {
    // The last one first: what a member takes with it, such as its comma, depends on those that are left.
    const [last] = partsOf(treeOf(text), place).slice(-1)
    return last ? tomlFormat.take(edited(text, [cutOf(text, last)]), place) : text
  },
}

function treeOf(text: string): AST.TOMLProgram {
  requireLevels(text)
  try {
    return parseTOML(text)
  } catch (thrown) {
    if (thrown instanceof ParseError) throw new ConfigFault(thrown.lineNumber, sentence(thrown.message))
    throw thrown
  }
}

/** Counts brackets and braces outside of strings and comments. */
function requireLevels(text: string): void {
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '#') at = lineEnd(text, at)
    else if (char === '"' || char === "'") at = endOfString(text, at, char)
    else if (char === '[' || char === '{') levels += 1
    else if (char === ']' || char === '}') levels -= 1
    if (levels > MAX_LEVELS) throw tooDeep(text, at)
  }
}

/** Offset of the last character of the string that begins at `open`, or of the text. Only double quotes have escapes. */
function endOfString(text: string, open: number, quote: string): number {
  const isLong = text.startsWith(quote.repeat(3), open)
  const closing = isLong ? quote.repeat(3) : quote
  for (let at = open + closing.length; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at += 1
    else if (text.startsWith(closing, at)) return at + closing.length - 1
    else if (!isLong && text[at] === '\n') return at
  }
  return text.length
}

function sentence(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1)
}

type Part = AST.TOMLTable | AST.TOMLKeyValue

/** Every table and assignment that gives a value at `place` or below it. */
function partsOf(tree: AST.TOMLProgram, place: Place): readonly Part[] {
  return tree.body[0].body.flatMap((node) => {
    if (node.type === 'TOMLKeyValue') return partsOfAssignment(node, [], place)
    if (isBelow(node.resolvedKey, place)) return [node]
    return node.body.flatMap((inner) => partsOfAssignment(inner, node.resolvedKey, place))
  })
}

function partsOfAssignment(node: AST.TOMLKeyValue, table: Place, place: Place): readonly Part[] {
  const key = [...table, ...keyOf(node)]
  if (isBelow(key, place)) return [node]
  if (node.value.type !== 'TOMLInlineTable' || !isBelow(place, key)) return []
  return node.value.body.flatMap((inner) => partsOfAssignment(inner, key, place))
}

function keyOf({ key }: AST.TOMLKeyValue): Place {
  return key.keys.map((each) => (each.type === 'TOMLBare' ? each.name : each.value))
}

function isBelow(key: Place, place: Place): boolean {
  return place.every((step, at) => key[at] === step)
}

/** The assignment that gives the whole value at a place. */
function assignmentOf(tree: AST.TOMLProgram, place: Place): AST.TOMLKeyValue | undefined {
  return tree.body[0].body
    .flatMap((node) =>
      node.type === 'TOMLKeyValue'
        ? assignmentsIn([node], [], place)
        : assignmentsIn(node.body, node.resolvedKey, place),
    )
    .find(({ key }) => key.length === place.length)?.node
}

/** The assignments on the way to a place, with their keys from the top. */
function assignmentsIn(
  nodes: readonly AST.TOMLKeyValue[],
  table: Place,
  place: Place,
): readonly { readonly node: AST.TOMLKeyValue; readonly key: Place }[] {
  return nodes.flatMap((node) => {
    const key = [...table, ...keyOf(node)]
    if (!isBelow(place, key)) return []
    const inner = node.value.type === 'TOMLInlineTable' ? assignmentsIn(node.value.body, key, place) : []
    return [{ node, key }, ...inner]
  })
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The table with a header of its own at a place. */
function tableOf(tree: AST.TOMLProgram, place: Place): AST.TOMLTable | undefined {
  return tree.body[0].body.find(
    (node): node is AST.TOMLTable =>
      node.type === 'TOMLTable' &&
      node.kind === 'standard' &&
      node.resolvedKey.length === place.length &&
      isBelow(node.resolvedKey, place),
  )
}

/** The text with an assignment behind the last one of a table. */
function withLine(text: string, table: AST.TOMLTable, place: Place, value: unknown): string {
  const last = table.body.at(-1)
  const at = nextLine(text, last ? last.range[1] : lineEnd(text, table.range[0]))
  const lineBreak = lineBreakOf(text)
  const line = `${indentAt(text, (last ?? table).range[0])}${keyText(String(place.at(-1)))} = ${written(value)}${lineBreak}`
  return `${ended(text.slice(0, at), lineBreak)}${line}${text.slice(at)}`
}

/** The edit that puts a member into an inline table. */
function member(text: string, table: AST.TOMLInlineTable, place: Place, value: unknown): TextEdit {
  const name = String(place.at(-1))
  const put = `${keyText(name)} = ${written(value)}`
  const last = table.body.at(-1)
  if (last) return { start: last.range[1], end: last.range[1], text: `, ${put}` }
  if (text.slice(table.range[0] + 1, table.range[1] - 1).trim() !== '')
    throw new LayoutFault(lineNumber(text, table.range[0]), 'a table in braces holds nothing but a comment')
  return { start: table.range[0], end: table.range[1], text: `{ ${put} }` }
}

/** The text with a table at its end, behind an empty line. */
function appended(text: string, place: Place, value: unknown): string {
  const lineBreak = lineBreakOf(text)
  const table = Object.entries(value as object) // the server of a client is a table
  const lines = [
    `[${place.map((step) => keyText(String(step))).join('.')}]`,
    ...table.map(([name, each]) => `${keyText(name)} = ${written(each)}`),
  ]
  const gap = text.trim() === '' || /\n\r?\n$/.test(text) ? '' : lineBreak
  return `${ended(text, lineBreak)}${gap}${lines.join(lineBreak)}${lineBreak}`
}

function keyText(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : written(name)
}

function written(value: unknown): string {
  if (value instanceof Date) throw new TypeError('the server of a client has no date')
  // A basic string of TOML escapes as JSON does, and DEL too.
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007F')
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, each]) => `${keyText(name)} = ${written(each)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** The lines of a part with one empty line before them, or a member of an inline table with its comma. */
function cutOf(text: string, part: Part): TextEdit {
  if (part.parent.type === 'TOMLInlineTable') return cutOfMember(part.parent, part)
  const [start, end] = [lineStart(text, part.range[0]), nextLine(text, part.range[1])]
  const before = lineStart(text, Math.max(0, start - 1))
  const isGap = part.type === 'TOMLTable' && start > 0 && text.slice(before, start).trim() === ''
  const isGapBehind = end === text.length || text.slice(end, lineEnd(text, end)).trim() === ''
  return { start: isGap && isGapBehind ? before : start, end, text: '' }
}

function cutOfMember({ body, range }: AST.TOMLInlineTable, part: Part): TextEdit {
  if (body.length === 1) return { start: range[0] + 1, end: range[1] - 1, text: '' }
  const at = body.findIndex((each) => each.range[0] === part.range[0])
  const [before, after] = [body[at - 1], body[at + 1]]
  if (before) return { start: before.range[1], end: part.range[1], text: '' }
  return { start: part.range[0], end: after ? after.range[0] : part.range[1], text: '' }
}
