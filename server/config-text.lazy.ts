import { type Document, isMap, isNode, isScalar, type LineCounter, type YAMLMap } from 'yaml'
import type { ConfigText } from './config-text.ts'
import type { SatchelError } from './contract/errors.ts'
import { parseYaml } from './platform/yaml-document.ts'
import { refusals } from './refusals.ts'

/** Maximum number of aliases in one file: enough for people, too few for an alias bomb. */
const MAX_ALIASES = 100

/**
 * Reads a configuration file. `file` is for messages.
 * Errors: `invalid`/`config_syntax` with `{file, line, column}`.
 */
export function readConfigText(text: string, file: string): ConfigText {
  const read = parseYaml(text)
  if (read.kind === 'problem') throw syntaxError(file, read.message, read.line, read.column)
  const { document, lines: counter } = read
  if (document.contents === null) return { values: {}, lines: new Map() }
  if (!isMap(document.contents)) throw syntaxError(file, 'the top level must be a mapping of keys', 1, 1)
  const lines = new Map<string, number>()
  noteLines(document.contents, '', counter, lines)
  return { values: valuesOf(document, file), lines }
}

function valuesOf(document: Document, file: string): Record<string, unknown> {
  try {
    // the caller checked that the top level is a mapping
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>
  } catch {
    throw syntaxError(file, `it uses more than ${MAX_ALIASES} aliases`, 1, 1)
  }
}

function noteLines(map: YAMLMap, prefix: string, counter: LineCounter, lines: Map<string, number>): void {
  for (const { key, value } of map.items) {
    if (!isScalar(key)) continue
    const name = `${prefix}${String(key.value)}`
    lines.set(name, counter.linePos(key.range?.[0] ?? 0).line)
    if (isMap(value)) noteLines(value, `${name}.`, counter, lines)
    else if (value && typeof value === 'object' && 'items' in value)
      noteItems(value.items, name, counter, lines)
  }
}

function noteItems(items: unknown, name: string, counter: LineCounter, lines: Map<string, number>): void {
  if (!Array.isArray(items)) return
  items.forEach((item, index) => {
    const range = isNode(item) ? item.range : undefined
    if (range) lines.set(`${name}.${index}`, counter.linePos(range[0]).line)
    if (isMap(item)) noteLines(item, `${name}.${index}.`, counter, lines)
  })
}

function syntaxError(file: string, why: string, line: number, column: number): SatchelError {
  return refusals.config_syntax({ file, line, column, fault: why }, { details: { file, line, column } })
}
