import type { Authored } from './new-record.ts'

/** A hand-written handoff as fields of a record, and the rest. */
export interface Handwritten {
  readonly authored: Authored
  /** Every line that matches no field, verbatim. */
  readonly unmapped: string
}

type Section =
  | 'objective'
  | 'state'
  | 'done'
  | 'progress'
  | 'next'
  | 'decisions'
  | 'failed'
  | 'constraints'
  | 'risks'
  | 'files'

const HEADINGS: readonly (readonly [RegExp, Section])[] = [
  [/\b(?:goals?|objectives?|purpose)\b/i, 'objective'],
  [/\bin[ -]progress|under way|doing\b/i, 'progress'],
  [/\b(?:status|current state|state|where we are)\b/i, 'state'],
  [/\b(?:failed|dead ends?|did not work|didn'?t work|avoid)\b/i, 'failed'],
  [/\b(?:done|completed|finished)\b/i, 'done'],
  [/\b(?:next|to-?dos?|open|remaining|steps)\b/i, 'next'],
  [/\bdecisions?\b/i, 'decisions'],
  [/\b(?:constraints?|rules|requirements)\b/i, 'constraints'],
  [/\brisks?\b/i, 'risks'],
  [/\b(?:files|artifacts|changes)\b/i, 'files'],
]

const NOT_DESCRIBED = 'Imported from a hand-written file; not described.'

/** Reads a Markdown file by its headings. The first next step gets high priority. */
export function readHandwritten(markdown: string): Handwritten {
  const reader: Reader = { found: new Map(), unmapped: [], title: undefined, section: undefined }
  for (const line of markdown.replace(/^\uFEFF/, '').split(/\r?\n/)) readLine(reader, line)
  return { authored: authoredFrom(reader.title, reader.found), unmapped: reader.unmapped.join('\n').trim() }
}

interface Reader {
  readonly found: Map<Section, string[]>
  readonly unmapped: string[]
  title: string | undefined
  section: Section | undefined
}

function readLine(reader: Reader, line: string): void {
  const heading = /^(#{1,6})[ \t]+(.+?)[ \t]*#*$/.exec(line)
  if (heading) readHeading(reader, line, heading[1] ?? '', heading[2] ?? '')
  else if (reader.section && line.trim() !== '') addLine(reader.found, reader.section, line)
  else if (!reader.section) reader.unmapped.push(line)
}

function readHeading(reader: Reader, line: string, level: string, text: string): void {
  if (level === '#' && reader.title === undefined) {
    reader.title = text
    reader.section = undefined
    return
  }
  reader.section = HEADINGS.find(([pattern]) => pattern.test(text))?.[1]
  if (!reader.section) reader.unmapped.push(line)
}

/** A list item starts an entry; any other line continues the entry before it. */
function addLine(found: Map<Section, string[]>, section: Section, raw: string): void {
  const entries = found.get(section) ?? []
  found.set(section, entries)
  const item = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$/.exec(raw)
  if (item) entries.push(item[1] ?? '')
  else if (entries.length === 0) entries.push(raw.trim())
  else entries.push(`${entries.pop()}\n${raw.trim()}`)
}

function authoredFrom(title: string | undefined, found: ReadonlyMap<Section, readonly string[]>): Authored {
  const entries = (section: Section) => (found.get(section) ?? []).filter((entry) => entry !== '')
  const text = (section: Section) => entries(section).join('\n')
  const objective = text('objective')
  return {
    title: title ?? (objective.split('\n')[0] || 'Imported handoff'),
    objective: objective || title || 'Imported handoff',
    current_state: text('state') || NOT_DESCRIBED,
    completed: entries('done'),
    in_progress: entries('progress'),
    constraints: entries('constraints'),
    open_items: entries('next').map((description, index) => ({
      priority: index === 0 ? 'high' : 'medium',
      description,
      suggested_action: description,
    })),
    decisions: entries('decisions').map((decision) => ({ decision })),
    failed_attempts: entries('failed').map((approach) => ({
      approach,
      outcome: 'failed',
      avoid_repeating: true,
    })),
    risks: entries('risks').map((description) => ({ description })),
    artifacts: entries('files').map(fileEntry),
  }
}

/** `path - description`, with or without backticks around the path. */
function fileEntry(entry: string): Record<string, unknown> {
  const [, path = entry, description] = /^`?([^\s`]+)`?(?:\s*(?:[-:–—]\s*)?(.+))?$/s.exec(entry) ?? []
  return { path, description: description ?? null }
}
