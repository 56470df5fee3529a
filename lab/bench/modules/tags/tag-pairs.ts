/** Compares every tag of real repositories with the next one, and with what its maintainers said and changed. */
import { diffModules, type ModuleDiff } from '../../../../plugins/modules/domain/diff.ts'
import { moduleFlavour } from '../../../../plugins/modules/domain/module-files.ts'
import { isStableTag, orderTags } from '../../../../plugins/modules/git/tag-order.ts'
import type { ModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import type { LabContext } from '../../../context.ts'
import { outputOf } from '../../peers/program-output.ts'
import { withIngestedTags } from '../ingested-tags.ts'

export type Bump = 'major' | 'minor' | 'patch'

/** Two consecutive stable tags of a repository. */
export interface TagPair extends ModuleDiff {
  readonly repository: string
  readonly from: string
  readonly to: string
  /** The part of the version that the maintainers raised. */
  readonly bump: Bump
  /** Whether git has another object for a module file of the root. */
  readonly changed: boolean
}

/** All pairs of one bare repository; its root module only. Leaves nothing behind. */
export async function readTagPairs(
  directory: string,
  reader: ModuleReader,
  context: LabContext,
): Promise<readonly TagPair[]> {
  const asked = { directory, reader, maxTags: 0, recursive: false }
  return await withIngestedTags(asked, context, async ({ url, records: found, versions: load }) => {
    const byRef = new Map(found.map((record) => [record.ref, record]))
    const refs = orderTags([...byRef.keys()].filter(isStableTag)).toReversed()
    const records = refs.flatMap((ref) => byRef.get(ref) ?? [])
    const versions = await load(records)
    const pairs: TagPair[] = []
    let files = ''
    for (const [at, { ref, commit }] of records.entries()) {
      const [before, after] = [versions[at - 1], versions[at]]
      const earlier = files
      files = await moduleFilesOf(directory, commit)
      if (before === undefined || after === undefined) continue
      const from = before.summary.ref
      const changed = files !== earlier
      pairs.push({
        repository: url,
        from,
        to: ref,
        bump: bumpOf(from, ref),
        changed,
        ...diffModules(before, after),
      })
    }
    return pairs
  })
}

/** Mode, object id and name of every module file of the root, as git lists them. */
async function moduleFilesOf(directory: string, commit: string): Promise<string> {
  const text = await outputOf(['git', 'ls-tree', commit], { cwd: directory })
  return text
    .split('\n')
    .filter((line) => moduleFlavour(line.slice(line.indexOf('\t') + 1)) !== undefined)
    .join('\n')
}

function bumpOf(from: string, to: string): Bump {
  const [old, now] = [from, to].map((ref) => (/\d+(?:\.\d+)*/.exec(ref)?.[0] ?? '').split('.').map(Number))
  if (old?.[0] !== now?.[0]) return 'major'
  return (old?.[1] ?? 0) === (now?.[1] ?? 0) ? 'patch' : 'minor'
}
