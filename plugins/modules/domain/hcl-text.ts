/** Values and names as HCL source text. */
import { cleanText } from '../../../server/plugin.ts'
import type { Json } from './summary.ts'

/** Any text as a quoted string: quotes, backslashes, control characters and template markers escaped. */
export function quoteHcl(text: string): string {
  const escaped = text.replace(/["\\\p{Cc}\u2028\u2029]/gu, escapeCharacter)
  return `"${escaped.replace(/[$%]\{/g, (marker) => `${marker[0]}${marker}`)}"`
}

function escapeCharacter(char: string): string {
  if (char === '"' || char === '\\') return `\\${char}`
  const short = new Map([
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
  ]).get(char)
  return short ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A JSON value as HCL, nested values on lines of their own. `indent` is the indentation of the line it starts on. */
export function printHcl(value: Json, indent = ''): string {
  if (typeof value === 'string') return quoteHcl(value)
  if (value === null || typeof value !== 'object') return String(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    const flat = value.every((item) => item === null || typeof item !== 'object')
    if (flat && value.length <= 8) return `[${value.map((item) => printHcl(item)).join(', ')}]`
    return `[\n${value.map((item) => `${inner}${printHcl(item, inner)},\n`).join('')}${indent}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  return `{\n${entries.map(([key, item]) => `${inner}${keyHcl(key)} = ${printHcl(item, inner)}\n`).join('')}${indent}}`
}

/** The key of an object: bare where it is an identifier, else quoted. */
export function keyHcl(key: string): string {
  return isIdentifier(key) ? key : quoteHcl(key)
}

/** Whether a name can be written in HCL without quotes. */
export function isIdentifier(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)
}

/** Foreign text on one line: without invisible characters and line breaks, at most 120 characters. */
export function plainLine(text: string): string {
  const line = cleanText(text)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  return line.length > 120 ? `${line.slice(0, 117).trimEnd()}...` : line
}

/** Source text as comments, line by line. */
export function commentedHcl(text: string): string {
  return text
    .replace(/\s+$/, '')
    .replace(/^(?=.)/gm, '# ')
    .replace(/^$/gm, '#')
    .concat('\n')
}

/** A name for a block: letters, digits, `_` and `-`, starting with a letter. */
export function identifierOf(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/^[^A-Za-z]+/, '')
  return name === '' ? 'this' : name
}
