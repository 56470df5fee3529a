import { type ListEntry, listEntry, type MarkdownLine, markdownLines } from './handwritten-lines.ts'
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
  | 'context'
  | 'done'
  | 'progress'
  | 'next'
  /** Items with an open box in sections that do not list what is to be done. */
  | 'unticked'
  | 'questions'
  | 'decisions'
  | 'failed'
  | 'learned'
  | 'constraints'
  | 'criteria'
  | 'risks'
  | 'files'

/** A heading whose entries must not be done: each says so itself, or has the heading before it. */
const FORBIDS =
  /\b(?:(?:non|anti)-?goals?|(?:out of|not in) scope|off[- ]limits|hands off|(?:must|may|should) not|mustn'?t|shouldn'?t|not (?:to do|allowed)|never|don'?ts?|do not|forbidden|prohibited)\b/i

/** The first pattern that a heading matches decides: "What did not work" before "What worked", "Open questions" before "Open". */
const HEADINGS: readonly (readonly [RegExp, Section])[] = [
  [/\b(?:definition of done|acceptance|success criteria|done when)\b/i, 'criteria'],
  [/\b(?:do not|don'?t) (?:re-?try|try|repeat)\b/i, 'failed'],
  [FORBIDS, 'constraints'],
  [/\b(?:goals?|objectives?|purpose|mission)\b/i, 'objective'],
  [/\b(?:questions?|unknowns|unclear|blockers?|blocked)\b/i, 'questions'],
  [
    /\b(?:not (?:yet )?(?:done|started|completed?|finished|implemented)|to be (?:done|completed|finished)|unfinished|incomplete|undone|pending|outstanding)\b/i,
    'next',
  ],
  [
    /\b(?:failed|failures|dead ends?|(?:did not|does not|doesn'?t|didn'?t) work|not worked|avoid|rejected|abandoned)\b/i,
    'failed',
  ],
  [/\bworked|what works\b/i, 'learned'],
  [/\bin[ -]progress|under way|doing\b/i, 'progress'],
  [/\b(?:next|to-?dos?|remaining|steps|action items?|left to do|what(?:'s| is) left)\b/i, 'next'],
  [/\b(?:status|current state|state|where we are)\b/i, 'state'],
  [/\b(?:done|completed|finished|accomplished|progress)\b/i, 'done'],
  [/\bopen\b/i, 'next'],
  [/\bdecisions?\b/i, 'decisions'],
  [/\b(?:constraints?|rules|requirements|must)\b/i, 'constraints'],
  [
    /\b(?:gotchas?|pitfalls?|caveats?|watch out|surprises|quirks|learned|learnings|lessons|findings)\b/i,
    'learned',
  ],
  [/\b(?:insights?|discoveries|notes?|tips|warnings?|beware|good to know)\b/i, 'learned'],
  [/\brisks?\b/i, 'risks'],
  [/\b(?:files|artifacts|changes)\b/i, 'files'],
  [/\b(?:context|background|overview|summary|introduction|about)\b/i, 'context'],
]

const NOT_DESCRIBED = 'Imported from a hand-written file; not described.'

/** Sections whose entries say the same, ticked or not: a tick on a decision does not make it finished work. */
const REGARDLESS: ReadonlySet<Section> = new Set(['decisions', 'failed', 'constraints'])
/** Sections that already say of their entries that they are not done. */
const NOT_YET: ReadonlySet<Section> = new Set<Section>([
  'objective',
  'progress',
  'next',
  'questions',
  'failed',
  'constraints',
  'criteria',
  'risks',
])

/**
 * Reads a Markdown file by its headings. The first next step gets high priority. A question, a blocker and a step that
 * is ticked off are not steps to take; an item with an open box is never finished work, in any section.
 */
export function readHandwritten(markdown: string): Handwritten {
  const reader: Reader = { found: new Map(), unmapped: [], title: undefined, section: undefined }
  for (const line of markdownLines(markdown)) readLine(reader, line)
  return { authored: authoredFrom(reader.title, reader.found), unmapped: reader.unmapped.join('\n').trim() }
}

interface Reader {
  readonly found: Map<Section, string[]>
  readonly unmapped: string[]
  title: string | undefined
  section: OpenSection | undefined
}

/** Where lines go; without it they are unmapped. */
interface OpenSection {
  readonly name: Section
  /** Of its heading. */
  readonly level: number
  /** The heading that forbids its entries. */
  readonly forbids?: string
  /** Of its first list item. */
  indent?: number
  /** Where its last entry went, which further lines continue. */
  entryIn?: Section
  /** A heading below that of the section, which speaks of the items under it. */
  group?: Group
}

interface Group {
  readonly heading: string
  /** The heading as it is written. */
  readonly text: string
  /** It is an entry itself: no list item came yet. */
  isEntry: boolean
}

/** Sections in which a list under a further heading tells more of one entry. */
const ONE_ENTRY: ReadonlySet<Section> = new Set(['decisions', 'failed', 'objective', 'state', 'context'])

/** Level of a heading in bold: below every other. */
const LABEL_LEVEL = 7

function readLine(reader: Reader, line: MarkdownLine): void {
  const labelled = line.kind === 'label' ? sectionOf(line.label) : undefined
  if (line.kind === 'heading') readHeading(reader, line)
  else if (line.kind === 'label' && labelled) {
    reader.section = sectionUnder(labelled, line.label, LABEL_LEVEL)
    if (line.rest !== '') startEntry(reader, labelled, saidUnder(reader.section, line.rest))
  } else if (reader.section && line.kind !== 'frame') addLine(reader, reader.section, line)
  else reader.unmapped.push(line.text)
}

function entryOf(line: MarkdownLine): ListEntry | undefined {
  if (line.kind === 'row') return { text: line.cells, indent: 0, box: undefined }
  return line.kind === 'code' ? undefined : listEntry(line.text)
}

/** A heading below one that is known starts an entry of it, unless it is known itself. */
function readHeading(reader: Reader, { level, heading, text }: MarkdownLine & { kind: 'heading' }): void {
  if (level === 1 && reader.title === undefined) {
    reader.title = heading
    reader.section = { name: 'context', level: 1 }
    return
  }
  const name = sectionOf(heading)
  const { section } = reader
  if (name) reader.section = sectionUnder(name, heading, level)
  else if (section && section.level > 1 && level > section.level) {
    section.entryIn = section.name
    const said = saidUnder(section, heading)
    section.group = { heading: said, text, isEntry: true }
    delete section.indent
    startEntry(reader, section.name, said)
  } else {
    reader.section = undefined
    reader.unmapped.push(text)
  }
}

function sectionOf(heading: string): Section | undefined {
  const plain = heading.replaceAll('\u2019', "'")
  return HEADINGS.find(([pattern]) => pattern.test(plain))?.[1]
}

function sectionUnder(name: Section, heading: string, level: number): OpenSection {
  const plain = heading.replaceAll('\u2019', "'")
  const forbids = name === 'constraints' && FORBIDS.test(plain) ? plain.replace(/^[^\p{L}]+/u, '') : undefined
  return { name, level, ...(forbids !== undefined && { forbids: forbids.replace(/:$/, '') }) }
}

const FORBIDS_ITSELF = /^\W*(?:do not|don['\u2019]?t|never|no|not|nothing|avoid|(?:must|may|should) not)\b/i

/** An entry with what its heading says of it: "touch the schema" under "Do not" is the opposite of what it says alone. */
function saidUnder({ forbids }: OpenSection, text: string): string {
  return forbids === undefined || FORBIDS_ITSELF.test(text) ? text : `${forbids}: ${text}`
}

function entryText(section: OpenSection, group: string | undefined, { text }: ListEntry): string {
  return group === undefined ? saidUnder(section, text) : `${group}: ${text}`
}

/**
 * A list item starts an entry; a deeper item and any other line continue the entry before. A ticked item is done, and an
 * open one below what is done is not.
 */
function addLine(reader: Reader, section: OpenSection, line: MarkdownLine): void {
  const item = entryOf(line)
  if (item && section.indent === undefined) section.indent = item.indent
  const isDeeper = item !== undefined && item.indent > (section.indent ?? 0)
  const hidesWork = item?.box === 'open' && (section.entryIn === 'done' || !NOT_YET.has(section.name))
  if (item && !hidesWork && section.group && ONE_ENTRY.has(section.name)) {
    continueEntry(reader, section, line.text.trim())
  } else if (item && (!isDeeper || hidesWork)) {
    const group = groupOf(reader, section)
    section.entryIn = placeOf(section.name, item)
    startEntry(reader, section.entryIn, entryText(section, group, item))
  } else if (line.kind === 'code') continueEntry(reader, section, line.text)
  else if (line.text.trim() !== '') continueEntry(reader, section, line.text.trim())
}

/**
 * The heading above a list, as the prefix of each item that is not a path. It does not count as an entry: "Later" is not a
 * step.
 */
function groupOf(reader: Reader, { name, group }: OpenSection): string | undefined {
  if (!group) return undefined
  const { heading, text, isEntry } = group
  if (isEntry) {
    const entries = reader.found.get(name)
    if (entries?.at(-1) === heading) {
      entries.pop()
      if (name === 'files') reader.unmapped.push(text)
    }
    group.isEntry = false
  }
  return name === 'files' ? undefined : heading.replace(/:$/, '')
}

function placeOf(section: Section, { box }: ListEntry): Section {
  if (box === 'ticked' && !REGARDLESS.has(section)) return 'done'
  return box === 'open' && !NOT_YET.has(section) ? 'unticked' : section
}

function continueEntry(reader: Reader, section: OpenSection, text: string): void {
  const { name, entryIn } = section
  // A paragraph right under a heading that forbids goes on from no entry of another one.
  const begins = section.forbids !== undefined && entryIn === undefined
  const last = begins ? undefined : reader.found.get(entryIn ?? name)?.pop()
  if (begins) section.entryIn = name
  startEntry(reader, entryIn ?? name, last === undefined ? saidUnder(section, text) : `${last}\n${text}`)
}

function startEntry({ found }: Reader, section: Section, text: string): void {
  const entries = found.get(section) ?? []
  found.set(section, entries)
  entries.push(text)
}

function authoredFrom(title: string | undefined, found: ReadonlyMap<Section, readonly string[]>): Authored {
  const entries = (section: Section) => (found.get(section) ?? []).filter((entry) => entry.trim() !== '')
  const text = (section: Section) => entries(section).join('\n')
  const objective = text('objective')
  const [state, context] = [text('state'), text('context')]
  const work = [...entries('next'), ...entries('unticked')]
  const steps = work.filter((entry) => !isQuestion(entry))
  const questions = [...work.filter(isQuestion), ...entries('questions')]
  return {
    title: title ?? (objective.split('\n')[0] || 'Imported handoff'),
    objective: objective || title || 'Imported handoff',
    current_state: state || context || NOT_DESCRIBED,
    why_it_matters: state && context ? context : undefined,
    completed: entries('done'),
    in_progress: entries('progress'),
    constraints: entries('constraints'),
    definition_of_done: entries('criteria'),
    discoveries: entries('learned'),
    open_items: [
      ...steps.map((description, index) => ({
        priority: index === 0 ? 'high' : 'medium',
        description,
        suggested_action: description,
      })),
      ...questions.map((description) => ({ priority: 'medium', description })),
    ],
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

function isQuestion(entry: string): boolean {
  return /\?\s*$/.test(entry)
}

/** `path - description`, with or without backticks around the path. */
function fileEntry(entry: string): Record<string, unknown> {
  const [, path = entry, description] =
    /^`?([^\s`]+)`?(?:\s*(?:[-:\u2013\u2014]\s*)?(.+))?$/s.exec(entry) ?? []
  return { path, description: description ?? null }
}
