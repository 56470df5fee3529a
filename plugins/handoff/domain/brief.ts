import { BYTES_PER_TOKEN, counted } from '../../../server/plugin.ts'
import { briefBody } from './brief-body.ts'
import { briefMaterial } from './brief-sections.ts'
import { CLAIM_VERDICTS, type Gate, type JudgedClaim, stopReason } from './claim-verdicts.ts'
import type { Drift } from './drift.ts'
import { fencedBody } from './fence.ts'
import { extension, type Handoff } from './record.ts'
import { shortId } from './record-id.ts'
import { isFuture } from './record-table.ts'
import { timeOf } from './record-time.ts'

// design handoff, section 9
export const DEFAULT_BRIEF_TOKENS = 1200
export const MIN_BRIEF_TOKENS = 200
export const MAX_BRIEF_TOKENS = 10_000
/** The parts of a brief; the same parts give the same text. */
export interface BriefParts {
  readonly record: Handoff
  readonly etag: string
  readonly now: Date
  /** Released content that is not what was released: the file was edited. */
  readonly isAltered: boolean
  /** Absent if the project was not checked. */
  readonly drift?: Drift
  readonly gate?: Gate
  readonly claims?: readonly JudgedClaim[]
}

export interface Brief {
  readonly text: string
  /** Section -> entries that are missing or cut. */
  readonly omitted: Readonly<Record<string, number>>
  /** Title, objective or next action are cut. */
  readonly isCutShort: boolean
}

/** Summarizes a record for a model within a budget in tokens. */
export function briefOf(parts: BriefParts & { readonly maxTokens: number }): Brief {
  return briefWriter(parts)(parts.maxTokens * BYTES_PER_TOKEN)
}

/** Returns a function that writes the brief within a number of bytes. */
export function briefWriter(parts: BriefParts): (maxBytes: number) => Brief {
  const { record, etag } = parts
  const head = [headerLine(parts), freshnessLine(parts)].join('\n')
  const frame = bytes(`${head}\n${fencedBody('', etag)}\n`)
  const material = briefMaterial(record, parts)
  return (maxBytes) => {
    const { lines, ...rest } = briefBody(material, record.id, maxBytes - frame)
    return { text: `${head}\n${fencedBody(lines.join('\n'), etag)}`, ...rest }
  }
}

function headerLine({ record, isAltered, now }: BriefParts): string {
  const flags = record.flags.length > 0 ? `, flagged ${[...new Set(record.flags)].join(' and ')}` : ''
  const draft = extension(record).skeleton ? ', captured automatically' : ''
  return `Handoff ${shortId(record.id)}: ${record.status}${isAltered ? ' (content changed since its release, not checked)' : ''}${flags}${draft}, ${ageOf(record.updated_at, now)}`
}

/** The age of a record in words. */
export function ageOf(updatedAt: string, now: Date): string {
  const time = timeOf(updatedAt)
  if (time === undefined) return 'age unknown'
  if (isFuture(time, now.getTime())) return 'dated ahead of the clock of this machine'
  const minutes = Math.max(0, Math.floor((now.getTime() - time) / 60_000))
  if (minutes < 60) return `${minutes} min old`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h old` : `${Math.floor(hours / 24)} days old`
}

/** Numbers and fixed words only, because it is outside the fence. */
function freshnessLine({ record, drift, gate, claims = [] }: BriefParts): string {
  if (!drift) return 'Freshness: not checked'
  const moved = drift.artifacts.filter(({ status }) => status === 'changed' || status === 'missing').length
  const facts = [
    drift.state,
    drift.untold,
    drift.commitsAhead !== null && drift.commitsAhead > 0 && `${counted(drift.commitsAhead, 'commit')} since`,
    drift.changedInScope.length > 0 && `${counted(drift.changedInScope.length, 'path')} in scope changed`,
    moved > 0 && `${counted(moved, 'recorded file')} changed or missing`,
    claims.length > 0 && `claims: ${claimCounts(claims)}`,
  ]
  const text = facts.filter((fact) => fact).join(', ')
  return `Freshness: ${text}${gate ? `. Gate: ${gate}` : ''}${gate === 'stop' ? ` (${stopReason(record, claims)})` : ''}`
}

function claimCounts(claims: readonly JudgedClaim[]): string {
  const counts = CLAIM_VERDICTS.map(
    (verdict) => [verdict, claims.filter((claim) => claim.verdict === verdict).length] as const,
  )
  return counts
    .filter(([, count]) => count > 0)
    .map(([verdict, count]) => `${count} ${verdict}`)
    .join(' ')
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}
