import { isSatchelError, type NextStep, type SatchelError } from '../../../server/plugin.ts'
import type { Analysis } from '../domain/analysis.ts'
import { sha256 } from '../domain/fingerprint.ts'
import { newId } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import { type Proposal, superseded } from '../domain/proposal.ts'
import type { NewVersion, Rows } from '../domain/rows.ts'
import { likeTargets, readTarget } from '../domain/span.ts'
import { formatTarget, invalidRegion, parseTarget, type Target } from '../domain/target.ts'
import { textsToDrop, type Version, type VersionSource } from '../domain/version.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, type Change } from './change.ts'
import { dropUnusedText, listed, proposals, stored } from './tables.ts'

/** The first open: version 1 is the file as found, and event 1 is `workspace.created`. */
export function bootstrap(change: Change, document: NewVersion, name: string): void {
  const { tx, now, random } = change
  const row = { workspace_id: newId('ws', random), name, lifecycle: 'ACTIVE', created_at: now }
  tx.run('workspace_add', { json: JSON.stringify(row) })
  addVersion(change, document, { source: 'bootstrap', target: 'workspace', summary: 'bootstrap' })
  change.emit({ type: 'workspace.created', version: document.version, payload: {} })
}

/** An edit of the file from outside becomes a version like any other. */
export function externalEdit(change: Change, document: NewVersion): void {
  addVersion(change, document, { source: 'external', target: 'workspace', summary: 'external edit' })
  change.emit({
    type: 'change.committed',
    version: document.version,
    payload: {
      target: 'workspace',
      base_version: document.version - 1,
      status: 'external',
      summary: 'external edit',
    },
  })
  supersede(change, overtakenProposals(change), document.version)
}

/** The facts of a version besides its text. */
export interface VersionFacts {
  readonly source: VersionSource
  readonly target: string
  readonly summary: string
  readonly actor_id?: string
  readonly proposal_id?: string
  readonly superseded?: readonly string[]
}

/** Stores the newest version's row and drops texts beyond the limit. */
export function addVersion(change: Change, document: NewVersion, facts: VersionFacts): void {
  const { tx, now } = change
  const { version, hash, bytes } = document
  const row: Version = { version, content_hash: hash, bytes, ...facts, created_at: now }
  tx.run('version_add', { version, hash, bytes, json: JSON.stringify(row) })
  const texts = tx.all('version_texts').map((text) => ({
    version: Number(text['version']),
    hash: String(text['hash']),
    bytes: Number(text['bytes']),
  }))
  for (const old of textsToDrop(texts)) {
    tx.run('version_drop', { version: old.version })
    dropUnusedText(tx, old.hash)
  }
}

/** The pending proposals that the newest version supersedes: those with an older base, unless the staleness rule keeps them current. */
export function overtakenProposals(change: Change): readonly Proposal[] {
  const { tx } = change
  const isCurrent = currentIn(change)
  return listed<Proposal>(tx, 'proposal_open').filter(
    (proposal) =>
      proposal.status === 'pending' && proposal.base_version < tx.document.version && !isCurrent(proposal),
  )
}

/** Settles these proposals, overtaken by `version`. */
export function supersede(change: Change, overtaken: readonly Proposal[], version: number): void {
  for (const proposal of overtaken) {
    const { proposal_id, target, summary } = proposal
    proposals.put(change.tx, superseded(proposal))
    change.emit({
      type: 'proposal.superseded',
      version,
      payload: { proposal_id, target, status: 'superseded', summary },
    })
  }
}

/** What staleness is decided by. */
type Stance = Pick<Change, 'tx' | 'settings' | 'analysis'>

/** What a proposal is based on. */
type Based = Pick<Proposal, 'target' | 'base_version' | 'base_region_hash'>

/**
 * True while a proposal's base is current: the same version, or with `staleness: section` the same text of its own
 * section, whose path no other heading shares now: of two that read alike the number may have passed to the other.
 */
export function isCurrent(change: Stance, proposal: Based): boolean {
  return currentIn(change)(proposal)
}

/** The same question for any number of proposals: the document is scanned once. */
function currentIn({ tx, settings, analysis }: Stance): (proposal: Based) => boolean {
  const { version } = tx.document
  const hashes = new Map<string, string>()
  return ({ target, base_version, base_region_hash }) => {
    if (base_version === version) return true
    const parsed = parseTarget(target)
    if (settings.staleness !== 'section' || parsed.kind !== 'section') return false
    const text = tx.documentText()
    const section = analysis.outline(text).find(parsed.path)
    if (!section?.isSole) return false
    const hash = hashes.get(parsed.path) ?? sha256(text.slice(section.start, section.end))
    hashes.set(parsed.path, hash)
    return hash === base_region_hash
  }
}

/** The refusal of a stale base. Callers with `read` also get what changed since. */
export function staleVersion(
  change: ActorChange,
  { target, base_version: baseVersion }: Pick<Proposal, 'target' | 'base_version'>,
): SatchelError {
  const { tx, actor, analysis } = change
  const current = tx.document.version
  const mayRead = actorMay(actor, 'read')
  if (baseVersion > current) {
    const details = { base_version: baseVersion, current_version: current }
    return refusals.version_ahead({ base: baseVersion, current }, { details })
  }
  return refusals.stale_version(
    { base: baseVersion, current },
    {
      details: {
        ...(mayRead && { target }),
        base_version: baseVersion,
        current_version: current,
        ...(mayRead && whatMoved(tx, baseVersion, analysis)),
      },
      ...(mayRead && { next: readingOf(target) }),
    },
  )
}

/** The call that reads a target. */
export function readingOf(target: string): NextStep {
  const parsed = parseTarget(target)
  return { tool: 'workspace_read', args: parsed.kind === 'section' ? { section: parsed.path } : {} }
}

function whatMoved(rows: Rows, baseVersion: number, analysis: Analysis): Record<string, unknown> {
  const changes = listed<Version>(rows, 'version_page', {
    since: baseVersion,
    before: rows.document.version + 1,
    limit: LIMITS.staleChanges,
  }).map(({ version, actor_id, source, target, summary }) => ({
    version,
    ...(actor_id !== undefined && { actor: actor_id }),
    source,
    target,
    summary,
  }))
  const before = versionText(rows, baseVersion)
  if (before === undefined) return { changes }
  const { diff, cut } = analysis.difference(before, rows.documentText(), LIMITS.diffBytes)
  return { changes, diff, ...(cut && { diff_truncated: true }) }
}

/** A version's row. Errors: `not_found`/`version_not_found`. */
export function getVersion(rows: Rows, version: number): Version {
  const row = rows.one('version_get', { version })
  if (!row) throw refusals.version_not_found()
  return stored<Version>(row)
}

/** A version's text, or undefined when the version does not exist or its text was dropped. */
export function versionText(rows: Rows, version: number): string | undefined {
  if (version === rows.document.version) return rows.documentText()
  const row = rows.one('version_get', { version })
  return row && row['kept'] === 1 ? rows.body(stored<Version>(row).content_hash) : undefined
}

/** A target as the caller wrote it. Errors: `invalid_region`, with the targets that there are for callers with `read`. */
export function wantedTarget({ tx, actor, analysis }: ActorChange, target: string): Target {
  try {
    return parseTarget(target)
  } catch (thrown) {
    if (!isOfRegion(thrown) || !actorMay(actor, 'read')) throw thrown
    throw invalidRegion(target, likeTargets(analysis.outline(tx.documentText()), target))
  }
}

/** The text of a target. Errors: as `wantedTarget`. */
export function targetText(change: ActorChange, text: string, target: string): string {
  const parsed = wantedTarget(change, target)
  try {
    return readTarget(text, parsed, change.analysis.outline)
  } catch (thrown) {
    if (actorMay(change.actor, 'read') || !isOfRegion(thrown)) throw thrown
    throw invalidRegion(target)
  }
}

function isOfRegion(thrown: unknown): boolean {
  return isSatchelError(thrown) && thrown.reason === 'invalid_region'
}

/** The text of a target in a version, hashed: what a proposal remembers of its base. */
export function regionHash(change: ActorChange, text: string, target: string): string {
  return sha256(targetText(change, text, target))
}

/** A target as the caller wrote it, in its stored form. Errors: `invalid_region` when the document has no such section. */
export function existingTarget(change: ActorChange, target: string): string {
  const parsed = wantedTarget(change, target)
  if (parsed.kind === 'section') targetText(change, change.tx.documentText(), target)
  return formatTarget(parsed)
}

/** Whether the text with this hash was ever a version. Steps through all of them: for the opening of a room. */
export function wasVersion(rows: Rows, sha256: string): boolean {
  const page = { since: 0, before: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER }
  return listed<Version>(rows, 'version_page', page).some(({ content_hash }) => content_hash === sha256)
}
