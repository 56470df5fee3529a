import type { HandoffKnown } from '../../../generated/handoff-known.ts'
import { isJsonObject } from '../../../server/plugin.ts'
import { timeOf } from './record-time.ts'

/** A record that matches the schema. Members that the schema does not list exist, but not in the type. */
export type Handoff = HandoffKnown
export type Status = Handoff['status']
export type Flag = Handoff['flags'][number]
export type Relation = Handoff['lineage']['relation']
export type Decision = Handoff['decisions'][number]
export type Evidence = Handoff['evidence'][number]
export type Artifact = Handoff['artifacts'][number]
export type OpenItem = Handoff['open_items'][number]
export type Risk = Handoff['risks'][number]
export type FailedAttempt = NonNullable<Handoff['failed_attempts']>[number]
export type Check = Handoff['validation']['checks'][number]
export type Validation = Handoff['validation']
export type Freshness = NonNullable<Validation['freshness']>
export type Redaction = Handoff['redactions'][number]

export const SCHEMA_ID = 'https://baton.dev/schemas/handoff/v0.1.json'
export const LEGACY_SCHEMA_ID = 'https://threadline.dev/schemas/handoff/v0.1.json'
export const SCHEMA_VERSION = '0.1'
/** The project of a record that was written before git told an id: it may be any project of its store. */
export const UNWRITTEN_PROJECT = 'p-unwritten'

export const STATUSES = ['draft', 'validated', 'ready', 'resumed', 'superseded', 'archived'] as const
export const FLAGS = ['invalid', 'conflicted'] as const
export const RELATIONS = ['root', 'continue', 'fork', 'merge', 'amend'] as const
export const HARNESSES = ['generic', 'codex', 'claude-code', 'cursor', 'gemini-cli'] as const

/** True for a draft or validated record: its content may still change. Every later status is released. */
export function isEditable({ status }: { readonly status: string }): boolean {
  return status === 'draft' || status === 'validated'
}

/** The collections whose items carry an id, with the letter of a new one (design handoff, section 4). */
export const ITEM_LETTERS = {
  decisions: 'D',
  evidence: 'E',
  failed_attempts: 'F',
  open_items: 'O',
} as const
export type ItemCollection = keyof typeof ITEM_LETTERS
/** What a record says about the work: a child inherits it, and a merge combines it item by item. */
export const CONTENT_MEMBERS = [
  'work',
  'summary',
  'decisions',
  'artifacts',
  'evidence',
  'failed_attempts',
  'open_items',
  'risks',
] as const
export const ITEM_COLLECTIONS = ['decisions', 'evidence', 'failed_attempts', 'open_items'] as const

/** True for an id of an item, such as `D-001`. */
export function isItemId(text: string): boolean {
  return /^[A-Z]-[0-9]{3}$/.test(text)
}

/** The failed attempts; the specification's default is the empty list. */
export function failedAttempts(record: Handoff): readonly FailedAttempt[] {
  return record.failed_attempts ?? []
}

/** Work in progress; the specification's default is the empty list. */
export function inProgress(record: Handoff): readonly string[] {
  return record.summary.in_progress ?? []
}

/** The discoveries; the specification's default is the empty list. */
export function discoveries(record: Handoff): readonly string[] {
  return record.summary.discoveries ?? []
}

/** One change of status, kept in the record. */
export interface HistoryEntry {
  readonly at: string
  readonly from: string
  readonly to: string
  readonly by: string | null
  readonly reason: string | null
  readonly nonce: string | null
}

/** The session that works on a resumed record, and until when. */
export interface Claim {
  readonly by: string
  readonly expires_at: string
}

/** The top-level member `x_satchel`, which other readers can ignore. */
export interface Extension {
  readonly history: readonly HistoryEntry[]
  readonly claim: Claim | null
  readonly conflicts: readonly Record<string, unknown>[]
  readonly content_sha256: string | undefined
  readonly skeleton: boolean
  /** Only notes were added to what it continues: it says all that its parent says. */
  readonly notes: boolean
  readonly session: string | undefined
  readonly idempotency_key: string | undefined
  /** Digest of the request that had the idempotency key. */
  readonly request_sha256: string | undefined
  /** The open item that the record's own session named as the next one. */
  readonly next: string | undefined
  /** Text of an imported file that is in no field. */
  readonly unmapped: string | undefined
}

/** True until the claim expires. */
export function isLive(claim: Claim | null, nowMs: number): boolean {
  return claim !== null && (timeOf(claim.expires_at) ?? 0) > nowMs
}

/** The extension of a record. Malformed members count as absent. */
export function extension(record: unknown): Extension {
  const member = isJsonObject(record) ? record['x_satchel'] : undefined
  const x = isJsonObject(member) ? member : {}
  return {
    history: Array.isArray(x['history']) ? x['history'].filter(isHistoryEntry) : [],
    claim: asClaim(x['claim']),
    conflicts: Array.isArray(x['conflicts']) ? x['conflicts'].filter(isJsonObject) : [],
    content_sha256: text(x['content_sha256']),
    skeleton: x['skeleton'] === true,
    notes: x['notes'] === true,
    session: text(x['session']),
    idempotency_key: text(x['idempotency_key']),
    request_sha256: text(x['request_sha256']),
    next: text(x['next']),
    unmapped: text(x['unmapped']),
  }
}

function isHistoryEntry(value: unknown): value is HistoryEntry {
  return isJsonObject(value) && ['at', 'from', 'to'].every((name) => typeof value[name] === 'string')
}

function asClaim(value: unknown): Claim | null {
  if (!isJsonObject(value)) return null
  const { by, expires_at } = value
  return typeof by === 'string' && typeof expires_at === 'string' ? { by, expires_at } : null
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A copy of the record with the specification's defaults for absent members. */
export function withDefaults(record: Handoff): Handoff {
  return {
    ...record,
    summary: {
      ...record.summary,
      in_progress: [...inProgress(record)],
      discoveries: [...discoveries(record)],
    },
    failed_attempts: [...failedAttempts(record)],
    metagit: record.metagit ?? null,
  }
}
