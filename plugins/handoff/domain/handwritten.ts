import { fileAtStart, fileOf } from './handwritten-files.ts'
import { FORBIDS, headingParts, type Section, sectionOf, sectionOfLabel } from './handwritten-headings.ts'
import { type ListEntry, listEntry, type MarkdownLine, markdownLines } from './handwritten-lines.ts'
import type { Authored } from './new-record.ts'

/** A hand-written handoff as fields of a record, and the rest. */
export interface Handwritten {
  readonly authored: Authored
  /** Every line that matches no field, verbatim. */
  readonly unmapped: string
}

const NOT_DESCRIBED = 'Imported from a hand-written file; not described.'

/** Sections whose entries say the same, ticked or not: a tick on a decision does not make it finished work. */
const REGARDLESS: ReadonlySet<Section> = new Set(['decisions', 'failed', 'tried', 'constraints'])
/** Sections that already say of their entries that they are not done. */
const NOT_YET: ReadonlySet<Section> = new Set<Section>([
  'objective',
  'progress',
  'next',
  'later',
  'questions',
  'failed',
  'tried',
  'constraints',
  'criteria',
  'risks',
])
/** Sections whose entries are work: a tick of any kind says that it is done. */
const WORK: ReadonlySet<Section> = new Set(['next', 'later', 'progress'])
/** Sections of sentences, in which a list is part of the text. */
const PROSE: ReadonlySet<Section> = new Set(['objective', 'state', 'context'])
/** Sections in which a list under a further heading tells more of one entry. */
const ONE_ENTRY: ReadonlySet<Section> = new Set(['decisions', 'failed', 'tried', ...PROSE])

/**
 * Reads a Markdown file by its headings. The first next step gets high priority. A question, a blocker and a step that
 * is ticked off are not steps to take; an item with an open box is never finished work, below any heading.
 */
export function readHandwritten(markdown: string): Handwritten {
  const reader: Reader = { found: new Map(), unmapped: [], title: undefined, section: undefined, loose: {} }
  for (const line of markdownLines(markdown)) readLine(reader, line)
  const authored = authoredFrom(reader.title, reader.found)
  const noFiles = entriesIn(reader.found, 'files').filter((entry) => fileOf(entry) === undefined)
  return { authored, unmapped: [...reader.unmapped, ...noFiles].join('\n').trim() }
}

interface Reader {
  readonly found: Map<Section, string[]>
  readonly unmapped: string[]
  title: string | undefined
  section: OpenSection | undefined
  /** Below a heading that is not known: its text, and where the last item with a box went. */
  loose: { heading?: string; entryIn?: Section }
}

/** Where lines go; without it only items with a box are mapped. */
interface OpenSection {
  readonly name: Section
  /** Of its heading. */
  readonly level: number
  /** The section around it, which goes on after it. */
  readonly outer: OpenSection | undefined
  /** The heading that forbids its entries. */
  readonly forbids?: string
  /** Of its first list item. */
  indent?: number
  /** Where its last entry went, which further lines continue. */
  entryIn?: Section
  /** A line across the page came after its last entry. */
  isOver?: boolean
  /** A heading below that of the section, which speaks of the items under it. */
  group?: Group
  /** A line of text before a list, which speaks of its items. */
  label?: string
}

interface Group {
  readonly heading: string
  /** The heading as it is written. */
  readonly text: string
  /** It is an entry itself: no list item came yet. */
  isEntry: boolean
}

/** Level of a heading in bold: below every other. */
const LABEL_LEVEL = 7

function readLine(reader: Reader, line: MarkdownLine): void {
  if (line.kind === 'heading') {
    readHeading(reader, line)
    return
  }
  if (line.kind === 'label' && readLabel(reader, line)) return
  const { section, unmapped } = reader
  if (section && line.kind === 'rule') section.isOver = true
  if (line.kind === 'rule' || line.kind === 'frame') unmapped.push(line.text)
  else if (section) addLine(reader, section, line)
  else addLoose(reader, line)
}

function entryOf(line: MarkdownLine): ListEntry | undefined {
  if (line.kind === 'row') return { text: line.cells, indent: 0, box: line.box }
  return line.kind === 'code' ? undefined : listEntry(line.text)
}

/** A heading below one that is known starts an entry of it, unless it is known itself. */
function readHeading(reader: Reader, { level, heading, text }: MarkdownLine & { kind: 'heading' }): void {
  reader.loose = { heading }
  if (level === 1 && reader.title === undefined) {
    reader.title = heading
    reader.section = { name: 'context', level: 1, outer: undefined }
    return
  }
  let outer = reader.section
  while (outer && outer.level >= level) outer = outer.outer
  const around = outer && outer.level > 1 ? outer : undefined
  const { section: known, label, entry } = headingParts(heading, around?.name)
  if (known && !isOneOf(around, known, heading)) {
    reader.section = sectionUnder(known, label, { level, outer })
    if (entry !== '') startGroup(reader, reader.section, { heading: entry, text })
  } else if (around) {
    reader.section = around
    startGroup(reader, around, { heading: entry || heading, text })
  } else {
    reader.section = undefined
    reader.unmapped.push(text)
  }
}

/** "Later" among the next steps, and "Decision 2" among the decisions, is one of their headings. */
function isOneOf(around: OpenSection | undefined, known: Section, heading: string): boolean {
  if (known === 'later' && around && WORK.has(around.name)) return true
  return known === around?.name && !PROSE.has(known) && !FORBIDS.test(heading)
}

function startGroup(
  reader: Reader,
  section: OpenSection,
  { heading, text }: Pick<Group, 'heading' | 'text'>,
): void {
  section.entryIn = section.name
  const said = saidUnder(section, heading)
  section.group = { heading: said, text, isEntry: true }
  delete section.indent
  delete section.label
  startEntry(reader, section.name, said)
}

/** Whether the line was a heading, or a line that says what the list below is. */
function readLabel(reader: Reader, line: MarkdownLine & { kind: 'label' }): boolean {
  const { section } = reader
  const { label, rest, text } = line
  const name = line.isBold ? sectionOf(label) : sectionOfLabel(label)
  if (name) {
    reader.section = sectionUnder(name, label, { level: LABEL_LEVEL, outer: around(section) })
    if (rest !== '') startEntry(reader, name, saidUnder(reader.section, rest))
    return true
  }
  if (rest !== '' || !line.isBeforeList) return false
  const list = around(section)
  reader.section = list
  if (!list || PROSE.has(list.name)) return false
  list.label = label
  list.isOver = false
  delete list.indent
  if (list.name === 'files') reader.unmapped.push(text)
  return true
}

/** The section of a heading that a list is in: the one before ends at the line that says what comes. */
function around(section: OpenSection | undefined): OpenSection | undefined {
  return section?.level === LABEL_LEVEL ? section.outer : section
}

function sectionUnder(
  name: Section,
  heading: string,
  { level, outer }: Pick<OpenSection, 'level' | 'outer'>,
): OpenSection {
  const plain = heading.replaceAll('\u2019', "'")
  const forbids = name === 'constraints' && FORBIDS.test(plain) ? plain.replace(/^[^\p{L}]+/u, '') : undefined
  return { name, level, outer, ...(forbids !== undefined && { forbids: forbids.replace(/:$/, '') }) }
}

const FORBIDS_ITSELF = /^\W*(?:do not|don['\u2019]?t|never|no|not|nothing|avoid|(?:must|may|should) not)\b/i

/** An entry with what its heading says of it: "touch the schema" under "Do not" is the opposite of what it says alone. */
function saidUnder({ forbids }: OpenSection, text: string): string {
  return forbids === undefined || FORBIDS_ITSELF.test(text) ? text : `${forbids}: ${text}`
}

function entryText(section: OpenSection, group: string | undefined, { text }: ListEntry): string {
  const { name, label } = section
  const above = name === 'files' ? [] : [group, label].filter((part) => part !== undefined)
  if (above.length === 0) return saidUnder(section, text)
  const said = [...above, text].join(': ')
  return group === undefined ? saidUnder(section, said) : said
}

/**
 * A list item starts an entry; a deeper item and any other line continue the entry before. A ticked item is done, and an
 * open one below what is done is not.
 */
function addLine(reader: Reader, section: OpenSection, line: MarkdownLine): void {
  const item = markedItem(section, entryOf(line))
  if (item && section.indent === undefined) section.indent = item.indent
  const isDeeper = item !== undefined && item.indent > (section.indent ?? 0)
  const hidesWork = item?.box === 'open' && (section.entryIn === 'done' || !NOT_YET.has(section.name))
  if (item && !hidesWork && section.group && ONE_ENTRY.has(section.name)) {
    continueEntry(reader, section, line.text.trim())
  } else if (item && (!isDeeper || hidesWork)) {
    const group = groupOf(reader, section)
    section.entryIn = placeOf(section.name, item)
    section.isOver = false
    startEntry(reader, section.entryIn, entryText(section, group, item))
  } else addText(reader, section, line)
}

function addText(reader: Reader, section: OpenSection, line: MarkdownLine): void {
  const text = line.kind === 'code' ? line.text : line.text.trim()
  if (/^\S/.test(line.text)) delete section.label
  if (isApart(section, line)) reader.unmapped.push(line.text)
  else if (line.kind === 'code' || text !== '') continueEntry(reader, section, text)
}

/** Whether a line tells nothing of the entry before it: after a line across the page, and code in a list of files. */
function isApart({ name, isOver }: OpenSection, { kind }: MarkdownLine): boolean {
  return (isOver === true && !PROSE.has(name)) || (name === 'files' && kind === 'code')
}

const TICKED = /^(?:\u2705|\u2611\uFE0F?|\u2714\uFE0F?)[ \t]*/

/** An item of work that is ticked without a box: with a mark before it, or struck through. */
function markedItem({ name }: OpenSection, item: ListEntry | undefined): ListEntry | undefined {
  if (!item || item.box !== undefined || !WORK.has(name)) return item
  const struck = /^~~(.+)~~[^\p{L}\p{N}]{0,8}$/su.exec(item.text)?.[1]
  const text = struck ?? item.text.replace(TICKED, '')
  return text === item.text ? item : { ...item, text, box: 'ticked' }
}

/** A line below a heading that is not known. An item with a box is work wherever it is, with that heading before it. */
function addLoose(reader: Reader, line: MarkdownLine): void {
  const { loose } = reader
  const item = entryOf(line)
  if (item?.box !== undefined) {
    loose.entryIn = item.box === 'ticked' ? 'done' : 'later'
    const heading = loose.heading?.replace(/:$/, '')
    startEntry(reader, loose.entryIn, heading === undefined ? item.text : `${heading}: ${item.text}`)
  } else if (loose.entryIn !== undefined && /^\s+\S/.test(line.text)) {
    const last = reader.found.get(loose.entryIn)?.pop()
    startEntry(reader, loose.entryIn, `${last}\n${line.text.trim()}`)
  } else {
    delete loose.entryIn
    reader.unmapped.push(line.text)
  }
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
  return box === 'open' && !NOT_YET.has(section) ? 'later' : section
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

function entriesIn(found: ReadonlyMap<Section, readonly string[]>, section: Section): string[] {
  return (found.get(section) ?? []).filter((entry) => entry.trim() !== '')
}

function authoredFrom(title: string | undefined, found: ReadonlyMap<Section, readonly string[]>): Authored {
  const entries = (section: Section) => entriesIn(found, section)
  const text = (section: Section) => entries(section).join('\n')
  const objective = text('objective')
  const [state, context] = [text('state'), text('context')]
  const work = [...entries('next'), ...entries('later')]
  const steps = work.filter((entry) => !isQuestion(entry))
  const questions = [...work.filter(isQuestion), ...entries('questions')]
  const [files, changed] = [entries('files').map(fileOf), entries('changes').map(fileAtStart)]
  return {
    title: title ?? (objective.split('\n')[0] || 'Imported handoff'),
    objective: objective || title || 'Imported handoff',
    current_state: state || context || NOT_DESCRIBED,
    why_it_matters: state && context ? context : undefined,
    completed: [...entries('done'), ...entries('changes').filter((entry) => !fileAtStart(entry))],
    in_progress: entries('progress'),
    constraints: entries('constraints'),
    definition_of_done: entries('criteria'),
    discoveries: entries('learned'),
    open_items: [
      ...steps.map((description, index) => ({
        priority: priorityOf(description, index === 0 ? 'high' : 'medium'),
        description,
        suggested_action: description,
      })),
      ...questions.map((description) => ({ priority: 'medium', description })),
    ],
    decisions: entries('decisions').map((decision) => ({ decision })),
    failed_attempts: [
      ...entries('failed').map((approach) => ({ approach, outcome: 'failed', avoid_repeating: true })),
      ...entries('tried').map((approach) => ({ approach, outcome: null, avoid_repeating: false })),
    ],
    risks: entries('risks').map((description) => ({ description })),
    artifacts: [...files, ...changed].filter((file) => file !== undefined),
  }
}

function isQuestion(entry: string): boolean {
  return /\?\s*$/.test(entry)
}

/** What the heading before an entry says of its priority, as in `Low priority: …` and `P1: …`. */
function priorityOf(entry: string, otherwise: 'high' | 'medium'): 'high' | 'medium' | 'low' {
  const [heading = ''] = /^[^:\n]{1,60}:/.exec(entry) ?? []
  if (/\b(?:high(?:est)?|critical|urgent|p[01])\b/i.test(heading)) return 'high'
  return /\b(?:low(?:est)?|optional|nice to have|p[3-9])\b/i.test(heading) ? 'low' : otherwise
}
