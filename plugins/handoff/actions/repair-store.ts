import { decodeUtf8 } from '../../../server/plugin.ts'
import { conflictSides } from '../domain/conflict-sides.ts'
import { mergeVersions, type RecordVersion, recordVersion } from '../domain/git-merge.ts'
import { documentOf } from '../domain/json-text.ts'
import { placeOfConflict } from '../domain/merge-conflicts.ts'
import { isUuid, sha256Hex } from '../domain/record-id.ts'
import { refuseTooLarge } from '../domain/record-size.ts'
import { schemaVerdict } from '../domain/schema-verdict.ts'
import { fileParents } from '../git/file-parents.ts'
import type { Project } from '../project.ts'
import { replaceLocalFile } from '../store/ensure-folder.ts'
import type { Problem } from '../store/read-record.ts'

/** `conflicted`: both sides changed the same; the record keeps ours, its flag says so, and both positions are kept. */
export const REPAIR_OUTCOMES = ['repaired', 'conflicted', 'left'] as const

export interface Repair {
  readonly path: string
  readonly outcome: (typeof REPAIR_OUTCOMES)[number]
  readonly detail: string
}

/** Bytes before a repair are kept here, below the store's local folder. */
const KEPT = 'damaged'

/**
 * Repairs every record with conflict markers: merges its parents as the merge driver would, from git, else from the two
 * sides in the file. Other damage is left as it is. The bytes before are kept in the local folder of the store.
 */
export async function repairStore(project: Project): Promise<readonly Repair[]> {
  if (!(await project.store.exists())) return []
  const { problems } = await project.index.view()
  const repairs: Repair[] = []
  for (const problem of problems) repairs.push(await repairRecord(project, problem))
  return repairs
}

async function repairRecord(project: Project, { path, reason, detail }: Problem): Promise<Repair> {
  const { store } = project
  const id = path.slice(path.lastIndexOf('/') + 1, -'.json'.length)
  const left = (why: string): Repair => ({ path, outcome: 'left', detail: why })
  if (reason !== 'bad_json' || !isUuid(id)) return left(`${reason}: ${detail}`)
  let repair = left(`${reason}: ${detail}`)
  await store.update(id, undefined, async (current) => {
    if (current.kind !== 'broken') return undefined // repaired meanwhile
    const bytes = (await store.bytes(id)) ?? Buffer.alloc(0)
    const merged = await mergedVersions(project, path, decodeUtf8(bytes) ?? '')
    if (typeof merged === 'string') {
      repair = left(merged)
      return undefined
    }
    const kept = `${KEPT}/${id}-${sha256Hex(bytes).slice(0, 8)}`
    await replaceLocalFile(store.disk, store.layout.local, kept, bytes.toString('utf8'))
    repair = {
      path,
      outcome: merged.conflicts.length > 0 ? 'conflicted' : 'repaired',
      detail: [
        ...merged.conflicts.map((conflict) => `both sides changed ${placeOfConflict(conflict)}`),
        `merged from ${merged.source}`,
      ].join('; '),
    }
    return merged.text
  })
  return repair
}

/** The record merged from its parents, or why that is not possible. */
async function mergedVersions(project: Project, path: string, text: string) {
  const sides = conflictSides(text)
  if (!sides) return 'It is not JSON, and has no conflict markers; correct it in an editor.'
  const id = path.slice(path.lastIndexOf('/') + 1, -'.json'.length)
  const parents = await fileParents(project.git, path)
  const fromGit = parents && versionsOf(parents, id)
  const versions = fromGit ?? versionsOf(sides, id)
  if (!versions)
    return 'The sides of the conflict are not two versions of this record; correct it in an editor.'
  const merged = mergeVersions(versions.base, versions.ours, versions.theirs)
  const { value } = documentOf(merged.text)
  if (schemaVerdict(value).length > 0) return 'The sides do not fit together; correct it in an editor.'
  refuseTooLarge(merged.text, value)
  return { ...merged, source: fromGit ? 'its parents in git' : 'the two sides in the file' }
}

interface Versions {
  readonly base: RecordVersion | undefined
  readonly ours: RecordVersion
  readonly theirs: RecordVersion
}

function versionsOf(
  texts: { readonly base: string | undefined; readonly ours: string; readonly theirs: string },
  id: string,
): Versions | undefined {
  const [ours, theirs] = [recordVersion(texts.ours), recordVersion(texts.theirs)]
  const isThis = (version: RecordVersion | undefined) => version?.record.id.toLowerCase() === id.toLowerCase()
  if (!ours || !theirs || !isThis(ours) || !isThis(theirs)) return undefined
  return { base: texts.base === undefined ? undefined : recordVersion(texts.base), ours, theirs }
}
