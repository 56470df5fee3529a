import { commitOf } from '../domain/commit-id.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import { fileFacts } from '../files/file-facts.ts'
import { patchIdOfCommit } from '../git/moved-commits.ts'
import { headOf } from '../git/repository.ts'
import type { Project } from '../project.ts'

/** Commits of one record whose change is identified. */
const MAX_COMMITS = 20

/**
 * Evidence with what it was captured on: the head, the digest of a file, the commit that `HEAD` names and the identity of
 * its change. An item that has a head was captured before and stays as it is.
 */
export async function captureEvidence(
  project: Project,
  items: readonly GivenItem[],
): Promise<readonly GivenItem[]> {
  const fresh = new Set(items.filter((item) => !Object.hasOwn(item, 'head')))
  if (fresh.size === 0) return items
  const head = await headOf(project.git)
  const paths = [...fresh].flatMap((item) => (item['type'] === 'file' ? (textOf(item['ref']) ?? []) : []))
  const facts = await fileFacts(project.root, paths, project.clock)
  let commits = 0
  const captured: GivenItem[] = []
  for (const item of items) {
    if (!fresh.has(item)) captured.push(item)
    else if (item['type'] === 'commit') {
      const isFew = ++commits <= MAX_COMMITS
      captured.push({ ...item, ...(await commitGround(project, item, head, isFew)), ...headMember(head) })
    } else {
      const fact = facts.get(textOf(item['ref']) ?? '')
      const isHashed = item['type'] === 'file' && !item['digest'] && fact?.kind === 'file' && fact.sha256
      captured.push({ ...item, ...(isHashed && { digest: fact.sha256 }), ...headMember(head) })
    }
  }
  return captured
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
