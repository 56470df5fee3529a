/** The way to a value: names of members, and places in lists. */
export type Place = readonly (string | number)[]

/**
 * Edits the text of a configuration file and leaves every other byte of it alone. The text has no byte order mark.
 * Errors of all: `ConfigFault` for text that cannot be read, or whose layout cannot be edited.
 */
export interface ConfigFormat {
  /** The value of the text; undefined where there is none but comments. */
  read(text: string): unknown
  /** The text with `value` at `place`, in place of what is there. What is missing on the way is made; a place behind the end of a list appends. */
  put(text: string, place: Place, value: unknown): string
  /** The text without what is at `place`, which exists. */
  take(text: string, place: Place): string
}

/** Why a text cannot be edited. */
export class ConfigFault extends Error {
  /** Counted from 1. */
  readonly line: number
  constructor(line: number, fault: string) {
    super(fault)
    this.line = line
  }
}

/** Why a text that can be read cannot be edited: its form is not one that satchel knows how to change. */
export class LayoutFault extends ConfigFault {}

/** Deepest nesting of a configuration: parsers, which call themselves for each level, overflow far above it. */
export const MAX_LEVELS = 100

/** The fault of a text whose nesting is too deep at `offset`; it is found before the text is parsed. */
export function tooDeep(text: string, offset: number): ConfigFault {
  return new ConfigFault(lineNumber(text, offset), `it nests deeper than ${MAX_LEVELS} levels`)
}

/** A change of a text: what is from `start` to `end` becomes `text`. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Applies edits that do not overlap. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  const backwards = [...edits].sort((a, b) => b.start - a.start)
  return backwards.reduce(
    (now, { start, end, text: put }) => now.slice(0, start) + put + now.slice(end),
    text,
  )
}

/** The line break of a text: that of its first line. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}

/** Where the line of `offset` starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Where the line of `offset` ends, before its line break. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  if (at === -1) return text.length
  return text[at - 1] === '\r' && at > offset ? at - 1 : at
}

/** Where the line after that of `offset` starts. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset)
  return at === -1 ? text.length : at + 1
}

/** The line of `offset`, counted from 1. */
export function lineNumber(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Spaces and tabs at the start of the line of `offset`. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? ''
}

/** The value that puts `value` at `place` into something new. */
export function nested(place: Place, value: unknown): unknown {
  return place.reduceRight<unknown>(
    (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
    value,
  )
}

/** The text, ending with a line break unless it is empty. */
export function ended(text: string, lineBreak: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}${lineBreak}`
}
