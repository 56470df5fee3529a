import type { z } from 'zod'
import type { Verb } from '../contract/tool.ts'
import { type Flag, flagsOf } from './flags.ts'

/**
 * Returns the shell command that calls `verb` with `example`. If the verb has an `arrange` function that does not say which
 * fields can be typed, or a value has no flag, the command passes the example as JSON on standard input.
 */
export function exampleLine(
  verb: Verb,
  input: z.ZodObject,
  example: Readonly<Record<string, unknown>>,
): string {
  const { flags, positionals } = flagsOf(input, verb)
  const { standsFor = {}, preset = {}, arrange } = verb
  const typedValue = (name: string) => example[standsFor[name] ?? name]
  const given = Object.entries(example).filter(([field]) => !Object.hasOwn(preset, field))
  const typable = new Set([
    ...flags.map(({ field }) => field),
    ...positionals.map(({ name }) => standsFor[name] ?? name),
  ])
  const isMade =
    arrange !== undefined && !Object.values(standsFor).some((field) => Object.hasOwn(example, field))
  const needsJson =
    isMade ||
    given.some(([field]) => !typable.has(field)) ||
    positionals.some(({ name, required }) => required && typedValue(name) === undefined)
  if (needsJson) {
    return `printf %s ${quoted(JSON.stringify(Object.fromEntries(given)))} | satchel ${verb.verb} --input -`
  }
  const typed = positionals.flatMap(({ name }) =>
    [typedValue(name) ?? []].flat().map((value) => quoted(textOf(value))),
  )
  const flagged = flags
    .filter(({ field }) => !Object.values(standsFor).includes(field))
    .flatMap((flag) => flagWords(flag, example[flag.field]))
  return ['satchel', verb.verb, ...typed, ...flagged].join(' ')
}

/** Returns the words that set a flag to a value; none for an absent one. */
export function flagWords(flag: Flag, value: unknown): string[] {
  if (value === undefined) return []
  if (flag.kind === 'switch' && !flag.repeatable)
    return value === true ? [`--${flag.long}`] : [`--no-${flag.long}`]
  const each = flag.repeatable && Array.isArray(value) ? value : [value]
  return each.flatMap((entry) => [`--${flag.long}`, quoted(textOf(entry))])
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * A command in a help text of `columns` columns; a row that goes on ends with a backslash for the shell. A word in quotes
 * stays whole, however long.
 */
export function commandRows(command: string, columns: number): string {
  const room = columns - '    '.length - ' \\'.length
  const rows: string[] = []
  for (const piece of piecesOf(command, room)) {
    const last = rows.at(-1)
    if (last !== undefined && last.length + 1 + piece.length <= room)
      rows[rows.length - 1] = `${last} ${piece}`
    else rows.push(piece)
  }
  return rows.map((row, at) => (at === 0 ? `  ${row}` : `    ${row}`)).join(' \\\n')
}

/** The words of a command, a flag with its value as one piece where the room is enough for both. */
function piecesOf(command: string, room: number): readonly string[] {
  const pieces: string[] = []
  for (const word of command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g) ?? []) {
    const last = pieces.at(-1) ?? ''
    const isPair = /^--?[a-z][^ ]*$/.test(last) && !word.startsWith('-')
    if (isPair && last.length + 1 + word.length <= room) pieces[pieces.length - 1] = `${last} ${word}`
    else pieces.push(word)
  }
  return pieces
}

/** Quotes a word for a POSIX shell. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
