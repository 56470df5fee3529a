import { counted, type EvidenceFinding } from '../../../server/plugin.ts'
import type { Change } from '../domain/change.ts'
import { diffModules } from '../domain/diff.ts'
import { canonicalRepository } from '../domain/module-source.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { loadRecordSummary } from '../output/asked-store.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { interfaceDigest } from './interface-digest.ts'
import { loadVersions } from './load-versions.ts'
import { groupVersions, type ModuleVersions } from './versions.ts'

/** A module version as a claim names it. */
export interface ModuleFacts {
  readonly repository: string
  readonly path: string
  readonly ref: string
  readonly commit: string
  /** Of the interface. */
  readonly digest: string
}

/** The facts of a version that is stored here. */
export function factsOf(record: IndexRecord, summary: ModuleSummary): ModuleFacts {
  const { repository, path, ref, commit } = record
  return { repository, path, ref, commit, digest: interfaceDigest(summary) }
}

/** The facts that a record names; a sentence where they are not those of a module. */
export function readFacts(facts: Readonly<Record<string, unknown>>): ModuleFacts | string {
  const { repository, path, ref, commit, digest } = facts
  for (const [name, value] of Object.entries({ repository, path, ref, commit, digest })) {
    if (typeof value !== 'string' || value === '') return `the facts of the module lack "${name}"`
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(String(digest)))
    return `the digest is not a sha256: ${JSON.stringify(String(digest).split(':')[0]?.slice(0, 20))} cannot be compared`
  return { repository, path, ref, commit, digest } as ModuleFacts // each is a text, checked above
}

const NONE = 'unverifiable' as const
const SHOWN_CHANGES = 3

/** What is stored: by an ingest, and what was read of the version for a call. */
interface StoredVersions {
  readonly index: ModuleIndex
  readonly kept: readonly IndexRecord[]
}

/** What the stored versions say of a module version now. Asks no remote. */
export async function judgeModule(
  facts: ModuleFacts,
  { index, kept }: StoredVersions,
  outputDir: string,
): Promise<EvidenceFinding> {
  const same = new Set(
    [...index.repositories, ...kept]
      .map(({ repository }) => repository)
      .filter((url) => isSameRepository(url, facts.repository)),
  )
  const own = [...index.records, ...kept].filter(({ repository }) => same.has(repository))
  if (own.length === 0) return found(NONE, `${facts.repository} is not ingested here`)
  const [group] = groupVersions(
    index,
    own.filter(({ path }) => path === facts.path),
  )
  const record = group?.versions.find(({ ref }) => ref === facts.ref)
  if (!group || !record) return found(NONE, `${nameOf(facts)} is not ingested here`)
  const summary = await loadRecordSummary(outputDir, record)
  const changed = ownChange(facts, record, interfaceDigest(summary))
  if (changed && changed.verdict !== 'moved') return changed
  if (group.removedSince !== undefined && record.ref_kind === 'tag')
    return found('stale', `removed since ${group.removedSince}`)
  return (
    (await newer(group, record, outputDir)) ??
    changed ??
    found('holds', `${facts.ref} has the same commit and interface`)
  )
}

/** What happened to the very version that the facts name; undefined where it is the same. */
function ownChange(
  { ref, commit, digest }: ModuleFacts,
  record: IndexRecord,
  present: string,
): EvidenceFinding | undefined {
  if (record.commit === commit) {
    const reason = 'the interface of the same commit is read differently by this version of satchel'
    return digest === present ? undefined : found(NONE, reason)
  }
  const what =
    record.ref_kind === 'tag' ? `the tag ${ref} now names another commit` : `${ref} has new commits`
  if (digest === present) return found('moved', `${what} with the same interface`)
  return found(record.ref_kind === 'tag' ? 'contradicted' : 'stale', `${what}, and the interface changed`)
}

/** Whether the latest version of a group is a newer tag than `ref`. */
function isBefore({ versions, latest }: ModuleVersions, ref: string): boolean {
  const at = versions.findIndex((version) => version.ref === ref)
  const isTag = versions[at]?.ref_kind === 'tag' && latest.ref_kind === 'tag'
  return isTag && versions.indexOf(latest) < at
}

async function newer(
  group: ModuleVersions,
  record: IndexRecord,
  outputDir: string,
): Promise<EvidenceFinding | undefined> {
  const { latest } = group
  if (!isBefore(group, record.ref)) return undefined
  const [before, after] = await loadVersions(outputDir, [record, latest])
  if (!before || !after) throw new Error('two records give two versions')
  const { changes } = diffModules(before, after)
  const breaking = changes.filter((one) => one.class === 'breaking')
  const isOut = `${latest.ref} is out`
  if (breaking.length > 0)
    return found('stale', `${isOut}: ${counted(breaking.length, 'breaking change')} (${listed(breaking)})`)
  const review = changes.filter((one) => one.class === 'review')
  if (review.length > 0)
    return found(
      NONE,
      `${isOut}: ${counted(review.length, 'change')} of uncertain effect (${listed(review)})`,
    )
  return found('holds', `${isOut} without a breaking change`)
}

function listed(changes: readonly Change[]): string {
  const shown = changes.slice(0, SHOWN_CHANGES).map(shortly)
  const more = changes.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

const SHORT: Readonly<Record<string, (subject: string) => string>> = {
  input_removed: (name) => `input \`${name}\` removed`,
  output_removed: (name) => `output \`${name}\` removed`,
  required_input_added: (name) => `required input \`${name}\` added`,
  input_became_required: (name) => `input \`${name}\` became required`,
}

function shortly({ code, subject, message }: Change): string {
  return SHORT[code]?.(subject) ?? message.replace(/\.$/, '')
}

function found(verdict: EvidenceFinding['verdict'], reason: string): EvidenceFinding {
  return { verdict, reason }
}

/** `name//path@ref` for people. */
export function nameOf({ repository, path, ref }: Pick<ModuleFacts, 'repository' | 'path' | 'ref'>): string {
  return `${repository}${path === '.' ? '' : `//${path}`}@${ref}`
}

/** Whether two URLs are spellings of one repository: on another machine it may be read through another protocol. */
export function isSameRepository(a: string, b: string): boolean {
  return canonicalRepository(a) === canonicalRepository(b)
}
