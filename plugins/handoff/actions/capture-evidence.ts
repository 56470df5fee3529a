import { isSatchelError } from '../../../server/plugin.ts'
import { commitOf } from '../domain/commit-id.ts'
import { hasFreeMember, isProvided, providedOf } from '../domain/evidence-ground.ts'
import { fileOfReference, pathsOfReference } from '../domain/file-reference.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import { quoted } from '../domain/secrets.ts'
import type { FileFact } from '../domain/world-facts.ts'
import { fileFacts } from '../files/file-facts.ts'
import { traceOfCommit } from '../git/patches.ts'
import { headOf } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'

/** Commits of one record whose change is identified, and warnings about its evidence. */
const MAX_COMMITS = 20

export interface CapturedEvidence {
  readonly items: readonly GivenItem[]
  /** What a reference names and the project does not have. */
  readonly warnings: readonly string[]
}

/**
 * Evidence with what it was captured on: the head, the digest of a file, the commit that a branch, a tag or `HEAD` names and
 * what tells it after it was rewritten; an observation of another plugin's kind also the facts that this plugin captures. An
 * item that has a head was captured before and stays as it is. Errors: `invalid`/`evidence_not_captured` for what a plugin
 * cannot capture.
 */
export async function captureEvidence(
  project: Project,
  items: readonly GivenItem[],
): Promise<CapturedEvidence> {
  const fresh = new Set(items.filter((item) => !Object.hasOwn(item, 'head')))
  if (fresh.size === 0) return { items, warnings: [] }
  const head = await headOf(project.git)
  const known = await kindsFor(project, items)
  const paths = [...fresh].flatMap((item) =>
    item['type'] === 'file' ? pathsOfReference(textOf(item['ref']) ?? '') : [],
  )
  const facts = await fileFacts(project.root, paths, project.clock)
  let commits = 0
  const captured: GivenItem[] = []
  const absent: GivenItem[] = []
  for (const given of items) {
    if (!fresh.has(given)) {
      captured.push(given)
      continue
    }
    const isLookedUp = given['type'] !== 'commit' || (head !== undefined && ++commits <= MAX_COMMITS)
    const item = await provided(project, given, known)
    const ground = isLookedUp ? await groundFor(project, item, facts) : {}
    if (ground === undefined) absent.push(item)
    captured.push({ ...item, ...ground, ...(head !== undefined && { head }) })
  }
  return { items: captured, warnings: absent.slice(0, MAX_COMMITS).map(absence) }
}

/** What an item of evidence rests on; undefined if what it names is not there. */
async function groundFor(
  project: Project,
  item: GivenItem,
  facts: ReadonlyMap<string, FileFact>,
): Promise<GivenItem | undefined> {
  if (item['type'] === 'commit') return commitGround(project, item)
  if (item['type'] !== 'file') return {}
  const fact = fileOfReference(textOf(item['ref']) ?? '', facts)?.fact
  if (fact?.kind === 'missing') return undefined
  return !item['digest'] && fact?.kind === 'file' && fact.sha256 ? { digest: fact.sha256 } : {}
}

function absence({ type, id, claim, ref }: GivenItem): string {
  const what = type === 'commit' ? 'this repository has no commit' : 'there is no file'
  return `evidence ${quoted(String(id ?? claim ?? ''), 80)}: ${what} ${quoted(String(ref), 80)}.`
}

/** The kinds that plugins provide, which are asked for only if an item may be of one. */
async function kindsFor(project: Project, items: readonly GivenItem[]): Promise<readonly string[]> {
  return items.some((item) => item['type'] === 'observation' && hasFreeMember(item) && !isProvided(item))
    ? project.evidence.names()
    : []
}

/** The item with what the plugin of its kind captured. */
async function provided(project: Project, item: GivenItem, known: readonly string[]): Promise<GivenItem> {
  if (isProvided(item)) return item
  const asked = providedOf(item, known)
  if (asked === undefined || !known.includes(asked.kind)) return item
  try {
    const { facts, text, reason } = await project.evidence.capture(asked.kind, asked.facts, project.root)
    const { claim, result } = item
    return {
      ...item,
      claim: claim || text,
      result: result ?? reason,
      kind: asked.kind,
      [asked.kind]: facts,
    }
  } catch (cause) {
    if (!isSatchelError(cause)) throw cause
    const { id = '', claim = '' } = item
    const name = JSON.stringify(String(id || claim).slice(0, 80))
    throw refusals.evidence_not_captured({ name, kind: asked.kind, why: cause.message }, { cause })
  }
}

/** A name of a commit that git may be asked about: `HEAD~1`, `main`, `v1.2`. No range, no time, no path. */
const REVISION = /^[A-Za-z0-9][\w./@+-]*(?:[~^]\d*)*$/

/** The commit that a reference names and what tells it after it was rewritten; undefined if the repository has none of this name. */
async function commitGround(
  { git, storePrefix }: Project,
  { ref }: GivenItem,
): Promise<GivenItem | undefined> {
  const name = (textOf(ref) ?? '').replace(/^(?:git:|commit )\s*/i, '')
  if (name.length > 200 || name.includes('..') || !REVISION.test(name)) return {}
  const found = await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)
  if (found.kind === 'failed') return found.reason === 'refused' ? undefined : {}
  const commit = found.stdout.trim()
  const trace = await traceOfCommit(git, commit, storePrefix)
  const isId = commitOf(textOf(ref) ?? '') !== undefined
  return { ...(!isId && { ref: commit }), ...trace }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
