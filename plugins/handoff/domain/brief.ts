import { BYTES_PER_TOKEN } from './answer-budget.ts'
import { type BriefEntry, type BriefSection, optionalSections, reservedEntries } from './brief-sections.ts'
import type { Gate } from './claim-verdicts.ts'
import type { Drift } from './drift.ts'
import { fencedBody, wholeChars } from './fence.ts'
import { extension, type Handoff } from './record.ts'
import { shortId } from './record-id.ts'
import { timeOf } from './record-time.ts'

// design handoff, section 9
export const DEFAULT_BRIEF_TOKENS = 1200
export const MIN_BRIEF_TOKENS = 200
export const MAX_BRIEF_TOKENS = 8000
/** Longest entry of an optional section; `handoff_get` shows the whole. */
const LONGEST_ENTRY_CHARS = 600

/** The parts of a brief; the same parts give the same text. */
export interface BriefParts {
  readonly record: Handoff
  readonly etag: string
  readonly now: Date
  /** Absent if the project was not checked. */
  readonly drift?: Drift
  readonly gate?: Gate
  readonly maxTokens: number
}

export interface Brief {
  readonly text: string
  /** Section -> entries that are missing or cut. */
  readonly omitted: Readonly<Record<string, number>>
}

/** Summarizes a record for a model within a budget in tokens. */
export function briefOf(parts: BriefParts): Brief {
  const head = [headerLine(parts), freshnessLine(parts)].join('\n')
  const frame = bytes(`${head}\n${fencedBody('', parts.etag)}`)
  const budget = parts.maxTokens * BYTES_PER_TOKEN - frame
  const reserved = fitReserved(reservedEntries(parts.record), budget)
  const lines = [...reserved]
  const omitted: Record<string, number> = {}
  let left = budget - bytes(lines.join('\n'))
  for (const section of optionalSections(parts.record, parts.drift)) {
    const fitted = fitSection(section, left, parts.record.id)
    lines.push(...fitted.lines)
    left -= fitted.lines.reduce((sum, line) => sum + bytes(line) + 1, 0)
    if (fitted.missing > 0) omitted[section.name] = fitted.missing
  }
  return { text: `${head}\n${fencedBody(lines.join('\n'), parts.etag)}`, omitted }
}

function headerLine({ record, now }: BriefParts): string {
  const flags = record.flags.length > 0 ? `, flagged ${[...new Set(record.flags)].join(' and ')}` : ''
  const draft = extension(record).skeleton ? ', captured automatically' : ''
  return `Handoff ${shortId(record.id)}: ${record.status}${flags}${draft}, ${ageOf(record.updated_at, now)}`
}

function ageOf(updatedAt: string, now: Date): string {
  const time = timeOf(updatedAt)
  if (time === undefined) return 'age unknown'
  const minutes = Math.max(0, Math.floor((now.getTime() - time) / 60_000))
  if (minutes < 60) return `${minutes} min old`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h old` : `${Math.floor(hours / 24)} days old`
}

/** Numbers and fixed words only, because it is outside the fence. */
function freshnessLine({ drift, gate }: BriefParts): string {
  if (!drift) return 'Freshness: not checked'
  const moved = drift.artifacts.filter(({ status }) => status === 'changed' || status === 'missing').length
  const facts = [
    drift.state,
    drift.commitsAhead !== null && drift.commitsAhead > 0 && `${drift.commitsAhead} commits since`,
    drift.changedInScope.length > 0 && `${drift.changedInScope.length} paths in scope changed`,
    moved > 0 && `${moved} recorded files changed or missing`,
  ]
  const text = facts.filter((fact) => fact).join(', ')
  return `Freshness: ${text}${gate ? `. Gate: ${gate}` : ''}`
}

/** Every reserved entry. If they exceed the budget together, each is cut at the same length. */
function fitReserved(entries: readonly BriefEntry[], budget: number): string[] {
  const whole = entries.map(lineOf)
  if (bytes(whole.join('\n')) <= budget) return whole
  let low = 1
  let high = Math.max(...entries.map(({ text }) => text.length), 1)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const size = bytes(entries.map((entry) => lineOf(cut(entry, middle))).join('\n'))
    if (size <= budget) low = middle
    else high = middle - 1
  }
  return entries.map((entry) => lineOf(cut(entry, low)))
}

function lineOf({ lead, text }: BriefEntry): string {
  return lead + text
}

function cut(entry: BriefEntry, chars: number): BriefEntry {
  if (entry.text.length <= chars) return entry
  return { ...entry, text: `${wholeChars(entry.text, Math.max(1, chars - 1))}…` }
}

interface FittedSection {
  readonly lines: readonly string[]
  readonly missing: number
}

/** As many whole entries as fit; a single entry is cut instead. */
function fitSection(section: BriefSection, left: number, id: string): FittedSection {
  const title = `${section.title}:`
  const lines = section.entries.map((entry) => `- ${lineOf(cut(entry, LONGEST_ENTRY_CHARS))}`)
  const isWhole = !section.entries.some(isLong)
  const sizes = lines.map((line) => bytes(line) + 1)
  const all = sizes.reduce((sum, size) => sum + size, bytes(title) + 1)
  if (all <= left && isWhole) return { lines: [title, ...lines], missing: 0 }
  const count = countThatFits(sizes, left - bytes(title) - bytes(moreLine(section, lines.length, id)) - 2)
  if (count === 0)
    return section.entries.length === 1 ? fitOne(section, left, id) : { lines: [], missing: lines.length }
  const missing = lines.length - count + section.entries.slice(0, count).filter(isLong).length
  return { lines: [title, ...lines.slice(0, count), moreLine(section, missing, id)], missing }
}

function countThatFits(sizes: readonly number[], room: number): number {
  let used = 0
  let count = 0
  for (const size of sizes) {
    used += size
    if (used > room) break
    count++
  }
  return count
}

function isLong({ text }: BriefEntry): boolean {
  return text.length > LONGEST_ENTRY_CHARS
}

/** Cuts a section of one long text instead of leaving it out. */
function fitOne(section: BriefSection, left: number, id: string): FittedSection {
  const [only] = section.entries
  const frame = bytes(`${section.title}:\n- \n${moreLine(section, 1, id)}\n`)
  const room = Math.floor((left - frame - 3) / 3)
  if (!only || room < 40) return { lines: [], missing: section.entries.length }
  return {
    lines: [`${section.title}:`, `- ${lineOf(cut(only, room))}`, moreLine(section, 1, id)],
    missing: 1,
  }
}

function moreLine(section: BriefSection, count: number, id: string): string {
  return `  … ${count} more: handoff_get {"id":"${shortId(id)}","pointer":"${section.pointer}"}`
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
