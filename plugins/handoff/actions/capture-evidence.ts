import { isSatchelError } from '../../../server/plugin.ts'
import { commitOf } from '../domain/commit-id.ts'
import { hasFreeMember, isProvided, providedOf } from '../domain/evidence-ground.ts'
import { fileOfReference, pathsOfReference } from '../domain/file-reference.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import { fileFacts } from '../files/file-facts.ts'
import { patchIdOfCommit } from '../git/moved-commits.ts'
import { headOf } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'

/** Commits of one record whose change is identified. */
const MAX_COMMITS = 20

/**
 * Evidence with what it was captured on: the head, the digest of a file, the commit that `HEAD` names and the identity of
 * its change; an observation of another plugin's kind also the facts that this plugin captures. An item that has a head
 * was captured before and stays as it is. Errors: `invalid`/`evidence_not_captured` for what a plugin cannot capture.
 */
export async function captureEvidence(
  project: Project,
  items: readonly GivenItem[],
): Promise<readonly GivenItem[]> {
  const fresh = new Set(items.filter((item) => !Object.hasOwn(item, 'head')))
  if (fresh.size === 0) return items
  const head = await headOf(project.git)
  const known = await kindsFor(project, items)
  const paths = [...fresh].flatMap((item) =>
    item['type'] === 'file' ? pathsOfReference(textOf(item['ref']) ?? '') : [],
  )
  const facts = await fileFacts(project.root, paths, project.clock)
  let commits = 0
  const captured: GivenItem[] = []
  for (const given of items) {
    const item = fresh.has(given) ? await provided(project, given, known) : given
    if (!fresh.has(given)) captured.push(item)
    else if (item['type'] === 'commit') {
      const isFew = ++commits <= MAX_COMMITS
      captured.push({ ...item, ...(await commitGround(project, item, head, isFew)), ...headMember(head) })
    } else {
      const fact = fileOfReference(textOf(item['ref']) ?? '', facts)?.fact
      const isHashed = item['type'] === 'file' && !item['digest'] && fact?.kind === 'file' && fact.sha256
      captured.push({ ...item, ...(isHashed && { digest: fact.sha256 }), ...headMember(head) })
    }
  }
  return captured
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

function headMember(head: string | undefined) {
  return head === undefined ? {} : { head }
}

async function commitGround(
  { git }: Project,
  { ref }: GivenItem,
  head: string | undefined,
  isFew: boolean,
): Promise<GivenItem> {
  const text = textOf(ref) ?? ''
  const isHead = /^(?:git:)?HEAD$/.test(text)
  const commit = isHead ? head : commitOf(text)
  if (commit === undefined) return {}
  const patchId = isFew ? await patchIdOfCommit(git, commit) : undefined
  return { ...(isHead && { ref: commit }), ...(patchId !== undefined && { patch_id: patchId }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
