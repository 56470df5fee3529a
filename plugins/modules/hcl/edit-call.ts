/** Changes the arguments of one `module` block of a text, and nothing else in it. */
import type { Attribute, Block } from './body.ts'
import { readHcl } from './reader.ts'

/** What to do. Names are those of arguments; texts are HCL. */
export interface ArgumentEdits {
  /** New texts of arguments that are there. */
  readonly replaced: ReadonlyMap<string, string>
  readonly renamed: readonly { readonly from: string; readonly to: string; readonly note: string }[]
  /** Made comments, with a note above. */
  readonly retired: readonly { readonly name: string; readonly note: string }[]
  /** Stated after the others, or on the line below one of them; without a value only the note. */
  readonly added: readonly {
    readonly name: string
    readonly value?: string
    readonly note?: string
    readonly below?: string
  }[]
}

/** The text with the edits, and the block as it is then. */
export interface EditedCall {
  readonly text: string
  readonly block: string
  /** Line of the block in the new text: the same as before. */
  readonly line: number
}

/**
 * The edited text. Undefined where an argument shares its lines with something else, or where the edited text, read
 * again, would not say exactly what was asked for.
 */
export function editCall(text: string, line: number, edits: ArgumentEdits): EditedCall | undefined {
  const block = moduleAt(text, line)
  if (block === undefined) return undefined
  const changes = changesOf(text, block, edits)
  if (changes === undefined) return undefined
  let edited = text
  for (const { start, end, text: put } of [...changes].sort((a, b) => b.start - a.start || b.end - a.end)) {
    edited = edited.slice(0, start) + put + edited.slice(end)
  }
  const now = moduleAt(edited, line)
  if (now === undefined || !isAsAsked(text, edited, { block, now, edits })) return undefined
  return { text: edited, block: linesOf(edited, now), line }
}

function moduleAt(text: string, line: number): Block | undefined {
  const found = readHcl(text).blocks.filter((block) => block.type === 'module' && block.line === line)
  return found.length === 1 ? found[0] : undefined
}

function linesOf(text: string, { line = 1, endLine = line }: Block): string {
  return text
    .split('\n')
    .slice(line - 1, endLine)
    .join('\n')
    .trimEnd()
}

/** Replaces what is between two offsets. */
interface TextChange {
  readonly start: number
  readonly end: number
  readonly text: string
}

function changesOf(text: string, block: Block, edits: ArgumentEdits): readonly TextChange[] | undefined {
  const changes: (TextChange | undefined)[] = []
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const placeOf = (name: string): Place | undefined => {
    const attribute = block.body.attributes.get(name)
    return attribute && placed(text, name, attribute)
  }
  for (const [name, value] of edits.replaced) {
    const at = placeOf(name)
    changes.push(at && { start: at.value, end: at.end, text: value })
  }
  for (const { from, to, note } of edits.renamed) {
    const at = placeOf(from)
    const named = at && { start: at.name, end: at.name + from.length, text: to }
    changes.push(at && commentAbove(text, at, { note, newline }), named)
  }
  for (const { name, note } of edits.retired) {
    const at = placeOf(name)
    changes.push(...(at === undefined ? [undefined] : retire(text, at, { note, newline })))
  }
  const last = edits.added.filter(({ below }) => below === undefined)
  if (last.length > 0) changes.push(addition(text, block, { added: last, newline }))
  for (const one of edits.added) changes.push(...additionBelow(text, one, { placeOf, newline }))
  return changes.includes(undefined) ? undefined : changes.filter((one) => one !== undefined)
}

/** Offsets of one argument: its name, its value and its end. */
interface Place {
  readonly name: number
  readonly value: number
  readonly end: number
}

/** Where an argument is; found by its line, name and text. */
function placed(text: string, name: string, attribute: Attribute): Place | undefined {
  if (attribute.kind !== 'source') return undefined
  const start = lineStart(text, attribute.line)
  const end = text.indexOf('\n', start)
  const line = text.slice(start, end === -1 ? text.length : end)
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    const gap = /^\s*=\s*/.exec(line.slice(at + name.length))?.[0]
    const isWhole = at === 0 || /[\s{]/.test(line[at - 1] ?? '')
    if (gap === undefined || !isWhole) continue
    const value = start + at + name.length + gap.length
    if (text.startsWith(attribute.text, value))
      return { name: start + at, value, end: value + attribute.text.length }
  }
  return undefined
}

function lineStart(text: string, line: number): number {
  let at = 0
  for (let count = 1; count < line; count += 1) {
    const next = text.indexOf('\n', at)
    if (next === -1) return text.length
    at = next + 1
  }
  return at
}

/** The indentation of an argument that begins its line. */
function indentAt(text: string, { name }: Place): string | undefined {
  const indent = text.slice(text.lastIndexOf('\n', name - 1) + 1, name)
  return indent.trim() === '' ? indent : undefined
}

interface Noted {
  readonly note: string
  readonly newline: string
}

function commentAbove(text: string, at: Place, { note, newline }: Noted): TextChange | undefined {
  const indent = indentAt(text, at)
  return indent === undefined
    ? undefined
    : { start: at.name, end: at.name, text: `# ${note}${newline}${indent}` }
}

/** Every line of the argument as a comment. */
function retire(text: string, at: Place, noted: Noted): readonly (TextChange | undefined)[] {
  const indent = indentAt(text, at)
  const rest = /^[^\n]*/.exec(text.slice(at.end))?.[0].trim() ?? ''
  if (indent === undefined || (rest !== '' && !/^(?:#|\/\/)/.test(rest))) return [undefined]
  const [first = '', ...others] = text.slice(at.name, at.end).split('\n')
  const lines = others.map(
    (line) => `${indent}# ${line.startsWith(indent) ? line.slice(indent.length) : line}`,
  )
  const body = [first, ...lines].join('\n')
  return [{ start: at.name, end: at.end, text: `# ${noted.note}${noted.newline}${indent}# ${body}` }]
}

function addition(
  text: string,
  { line = 1, endLine = line }: Block,
  { added, newline }: Added,
): TextChange | undefined {
  const start = lineStart(text, endLine)
  const closing = /^[ \t]*\}/.exec(text.slice(start))?.[0]
  if (endLine === line || closing === undefined) return undefined
  const indent = `${closing.slice(0, -1)}  `
  const lines = addedLines(added, { indent, newline })
  return { start, end: start, text: lines.map((one) => `${one}${newline}`).join('') }
}

/** Nothing for what is stated after the others. */
function additionBelow(
  text: string,
  one: ArgumentEdits['added'][number],
  { placeOf, newline }: { readonly placeOf: (name: string) => Place | undefined; readonly newline: string },
): readonly (TextChange | undefined)[] {
  if (one.below === undefined) return []
  const at = placeOf(one.below)
  const indent = at && indentAt(text, at)
  if (at === undefined || indent === undefined) return [undefined]
  const rest = /^[^\r\n]*/.exec(text.slice(at.end))?.[0] ?? ''
  if (!/^\s*(?:(?:#|\/\/).*)?$/.test(rest)) return [undefined]
  const start = at.end + rest.length
  const lines = addedLines([one], { indent, newline })
  return [{ start, end: start, text: lines.map((line) => `${newline}${line}`).join('') }]
}

interface Added {
  readonly added: ArgumentEdits['added']
  readonly newline: string
}

function addedLines(
  added: ArgumentEdits['added'],
  { indent, newline }: { readonly indent: string; readonly newline: string },
): string[] {
  return added.flatMap(({ name, value, note }) => [
    ...(note === undefined ? [] : [`${indent}# ${note}`]),
    ...(value === undefined ? [] : [`${indent}${name} = ${value.replaceAll('\n', newline)}`]),
  ])
}

interface Comparison {
  readonly block: Block
  readonly now: Block
  readonly edits: ArgumentEdits
}

/** Whether the edited block states exactly what it did, apart from the edits, and the rest of the text is as it was. */
function isAsAsked(text: string, edited: string, { block, now, edits }: Comparison): boolean {
  const [before, after] = [readHcl(text), readHcl(edited)]
  if (before.blocks.length !== after.blocks.length || before.problems.length !== after.problems.length)
    return false
  const wanted = new Map<string, string>()
  const names = new Map(edits.renamed.map(({ from, to }) => [from, to]))
  const retired = new Set(edits.retired.map(({ name }) => name))
  for (const [name, attribute] of block.body.attributes) {
    if (!retired.has(name)) wanted.set(names.get(name) ?? name, edits.replaced.get(name) ?? textOf(attribute))
  }
  for (const { name, value } of edits.added) if (value !== undefined) wanted.set(name, value)
  const stated = [...now.body.attributes].map(([name, attribute]) => [name, textOf(attribute)] as const)
  return (
    stated.length === wanted.size &&
    stated.every(([name, value]) => plain(wanted.get(name) ?? '') === plain(value)) &&
    now.labels.join('\n') === block.labels.join('\n')
  )
}

function textOf(attribute: Attribute): string {
  return attribute.kind === 'source' ? attribute.text : ''
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
