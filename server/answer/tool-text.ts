import type { Tool } from '../contract/tool.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { cleanText } from '../platform/untrusted.ts'
import { CutList, CutText } from './cut.ts'

/** Longest headline that is shown, in characters. */
const HEADLINE_MAX_CHARS = 300

/** Returns the one line that names an answer, cleaned. */
export function headlineOf(tool: Tool, data: Record<string, unknown>): string {
  const line = cleanText(tool.headline(data)).replace(/\s*\n\s*/g, ' ')
  return line.length <= HEADLINE_MAX_CHARS ? line : `${line.slice(0, HEADLINE_MAX_CHARS - 1)}…`
}

/** Returns data without the members that the text of a tool leaves out on purpose. */
export function withoutOmitted(
  data: Readonly<Record<string, unknown>>,
  omits: Tool['omits'] = {},
): Record<string, unknown> {
  const paths = Object.keys(omits).map((path) => path.split('/').slice(1))
  return without(data, paths) as Record<string, unknown> // an object stays one
}

function without(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || value instanceof CutText) return value
  if (value instanceof CutList) {
    const entries = value.entries.map((entry) => without(entry, inside(paths, '*')))
    return new CutList(entries, value.first, value.shown)
  }
  if (Array.isArray(value)) return value.map((entry) => without(entry, inside(paths, '*')))
  if (!isJsonObject(value)) return value
  const isOmitted = (name: string): boolean =>
    paths.some(([first, ...rest]) => rest.length === 0 && (first === name || first === '*'))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isOmitted(name))
      .map(([name, member]) => [name, without(member, inside(paths, name))]),
  )
}

function inside(paths: readonly (readonly string[])[], name: string): (readonly string[])[] {
  return paths
    .filter(([first, ...rest]) => (first === name || first === '*') && rest.length > 0)
    .map(([, ...rest]) => rest)
}
