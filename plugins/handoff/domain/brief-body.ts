import { counted } from '../../../server/plugin.ts'
import type { BriefEntry, BriefMaterial, BriefSection } from './brief-sections.ts'
import { wholeChars } from './fence.ts'
import { shortId } from './record-id.ts'

/** The lines of a brief that fit, and what they leave out. */
export interface BriefBody {
  readonly lines: readonly string[]
  /** Section -> entries that are missing or cut. */
  readonly omitted: Readonly<Record<string, number>>
  /** Its opening is cut: title, objective and next action. */
  readonly isCutShort: boolean
}

/** Entries of one section that are missing or cut. */
interface LeftOut {
  readonly section: Pick<BriefSection, 'name' | 'pointer' | 'isKept'>
  readonly count: number
  readonly ids: readonly string[]
}

interface Filled {
  readonly lines: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** Longest entry of an optional section; `handoff_get` shows the whole. */
const LONGEST_ENTRY_CHARS = 600
/** Lengths at which a kept entry is cut that does not fit whole. */
const CUT_CHARS = [LONGEST_ENTRY_CHARS, 120] as const
/** Bytes for the line that names what is left out. */
const NOTE_BYTES = { least: 90, most: 1200 } as const
/** Ids or ranges of ids of one section that the line names. */
const NAMED_RANGES = 60

/**
 * Fills `room` bytes with a record: the opening whole, then the kept sections in turn, then the others in order. What
 * does not fit is named in the last line with the call that reads it.
 */
export function briefBody(material: BriefMaterial, id: string, room: number): BriefBody {
  const whole = filled(material, room)
  if (whole.leftOut.length === 0) return { lines: whole.lines, omitted: {}, isCutShort: false }
  const { lines, leftOut } = filledBesideNote(material, id, room)
  return {
    lines: [...lines, leftOutLine(leftOut, id, room - bytesOf(lines))],
    omitted: Object.fromEntries(leftOut.map(({ section, count }) => [section.name, count])),
    isCutShort: leftOut.some(({ section }) => material.opening.some(({ name }) => name === section.name)),
  }
}

/** As much as fits beside the line that names the rest: what is left out makes the line longer, so it takes a few tries. */
function filledBesideNote(material: BriefMaterial, id: string, room: number): Filled {
  const most = Math.max(NOTE_BYTES.least, Math.min(Math.floor(room / 3), NOTE_BYTES.most))
  for (let noteBytes: number = NOTE_BYTES.least; ; ) {
    const fitted = filled(material, room - noteBytes)
    const [, named = ''] = noteForms(fitted.leftOut, id)
    if (bytesOf([...fitted.lines, named]) <= room || noteBytes >= most) return fitted
    noteBytes = Math.min(most, Math.max(noteBytes + NOTE_BYTES.least, bytesOf([named])))
  }
}

function filled({ opening, kept, others }: BriefMaterial, room: number): Filled {
  const first = fitOpening(opening, room)
  const inTurn = fitInTurn(kept, room - bytesOf(first.lines))
  const lines = [...first.lines, ...inTurn.lines]
  const leftOut = [...first.leftOut, ...inTurn.leftOut]
  let left = room - bytesOf(lines)
  for (const section of others) {
    const fitted = fitSection(section, left)
    lines.push(...fitted.lines)
    leftOut.push(...fitted.leftOut)
    left -= bytesOf(fitted.lines)
  }
  return { lines, leftOut }
}

/** Every entry of the opening. If they exceed the room together, each is cut at the same length. */
function fitOpening(sections: readonly BriefSection[], room: number): Filled {
  const entries = sections.flatMap((section) => section.entries)
  if (bytesOf(entries.map(lineOf)) <= room) return { lines: entries.map(lineOf), leftOut: [] }
  let [low, high] = [1, Math.max(...entries.map(({ text }) => text.length), 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (bytesOf(entries.map((entry) => lineOf(cut(entry, middle)))) <= room) low = middle
    else high = middle - 1
  }
  return {
    lines: entries.map((entry) => lineOf(cut(entry, low))),
    leftOut: sections.flatMap((section) =>
      leftOutOf(
        section,
        section.entries.filter(({ text }) => text.length > low),
      ),
    ),
  }
}

/** Sections take turns, each with its next entry, so that a long one does not displace a short one. */
function fitInTurn(sections: readonly BriefSection[], room: number): Filled {
  const shown = sections.map(() => new Map<BriefEntry, string>())
  const turns = Math.max(0, ...sections.map(({ entries }) => entries.length))
  let left = room
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, { entries }] of sections.entries()) {
      const entry = entries[turn]
      const line = entry && lineWithin(entry, left)
      if (!entry || line === undefined) continue
      shown[at]?.set(entry, line)
      left -= bytesOf([line])
    }
  }
  return {
    lines: shown.flatMap((lines) => [...lines.values()]),
    leftOut: sections.flatMap((section, at) =>
      leftOutOf(
        section,
        section.entries.filter((entry) => shown[at]?.get(entry) !== lineOf(entry)),
      ),
    ),
  }
}

function lineWithin(entry: BriefEntry, room: number): string | undefined {
  if (room < entry.lead.length) return undefined
  const lengths = [entry.text.length, ...CUT_CHARS.filter((chars) => chars < entry.text.length)]
  return lengths.map((chars) => lineOf(cut(entry, chars))).find((line) => bytesOf([line]) <= room)
}

/** As many entries as fit, in order, below the title of the section. */
function fitSection(section: BriefSection, room: number): Filled {
  const title = `${section.title}:`
  const lines: string[] = []
  let left = room - bytesOf([title])
  for (const entry of section.entries) {
    const line = `- ${lineOf(cut(entry, LONGEST_ENTRY_CHARS))}`
    left -= bytesOf([line])
    if (left < 0) break
    lines.push(line)
  }
  const missing = section.entries.filter(
    ({ text }, at) => at >= lines.length || text.length > LONGEST_ENTRY_CHARS,
  )
  return { lines: lines.length === 0 ? [] : [title, ...lines], leftOut: leftOutOf(section, missing) }
}

function leftOutOf(section: BriefSection, missing: readonly BriefEntry[]): LeftOut[] {
  if (missing.length === 0) return []
  return [{ section, count: missing.length, ids: missing.flatMap(({ id }) => id ?? []) }]
}

/** Names what is left out, as exactly as the room allows, and the call that reads it. */
function leftOutLine(leftOut: readonly LeftOut[], id: string, room: number): string {
  const forms = noteForms(leftOut, id)
  return forms.find((form) => bytesOf([form]) <= room) ?? forms.at(-1) ?? ''
}

/** The line in its forms, the most exact first: every id, the ids of what must be kept, the sections, a number. */
function noteForms(leftOut: readonly LeftOut[], id: string): readonly string[] {
  const call = (pointer?: string): string =>
    `handoff_get ${JSON.stringify({ id: shortId(id), ...(pointer !== undefined && { pointer }) })}`
  const total = leftOut.reduce((sum, { count }) => sum + count, 0)
  const count = ({ section, count: missing }: LeftOut) => `${section.name} ${missing}`
  const place = (one: LeftOut) => `${count(one)} (${[one.section.pointer, ...named(one.ids)].join(' ')})`
  const part = `Read a part: ${call(leftOut[0]?.section.pointer)}`
  return [
    `Left out or cut: ${leftOut.map(place).join(', ')}. ${part}`,
    `Left out or cut: ${leftOut.map((one) => (one.section.isKept ? place(one) : count(one))).join(', ')}. ${part}`,
    `Left out or cut: ${leftOut.map(count).join(', ')}. Read all: ${call()}`,
    `Left out or cut: ${counted(total, 'text')}. Read: ${call()}`,
  ]
}

/** Ids as ranges: `F-002..F-009 F-011`. */
function named(ids: readonly string[]): string[] {
  const ranges: { first: string; last: string }[] = []
  for (const id of ids) {
    const open = ranges.at(-1)
    if (open && isNext(open.last, id)) open.last = id
    else ranges.push({ first: id, last: id })
  }
  const texts = ranges.map(({ first, last }) => (first === last ? first : `${first}..${last}`))
  return texts.length <= NAMED_RANGES ? texts : [...texts.slice(0, NAMED_RANGES), '…']
}

function isNext(before: string, after: string): boolean {
  const [, letter, number] = /^(\D*)(\d+)$/.exec(before) ?? []
  const [, nextLetter, next] = /^(\D*)(\d+)$/.exec(after) ?? []
  return letter === nextLetter && Number(number) + 1 === Number(next)
}

function lineOf({ lead, text }: BriefEntry): string {
  return lead + text
}

function cut(entry: BriefEntry, chars: number): BriefEntry {
  if (entry.text.length <= chars) return entry
  return { ...entry, text: `${wholeChars(entry.text, Math.max(1, chars - 1))}…` }
}

/** Bytes of lines, each with its line end. */
function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
