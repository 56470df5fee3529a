/** Compares every tag of real repositories with the next one, and with what its maintainers said and changed. */
import { pathToFileURL } from 'node:url'
import { loadVersions } from '../../../../plugins/modules/catalog/load-versions.ts'
import { repositoryEntry } from '../../../../plugins/modules/config.ts'
import { diffModules, type ModuleDiff } from '../../../../plugins/modules/domain/diff.ts'
import { moduleFlavour } from '../../../../plugins/modules/domain/module-files.ts'
import { isStableTag, orderTags } from '../../../../plugins/modules/git/tag-order.ts'
import { ingest } from '../../../../plugins/modules/ingest/ingest.ts'
import type { ModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import { withScratchFolder } from '../../../../server/plugin.ts'
import type { LabContext } from '../../../context.ts'
import { outputOf } from '../../timing.ts'

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
  { env, signal, log }: LabContext,
): Promise<readonly TagPair[]> {
  return await withScratchFolder('satchel-tags', async (dir) => {
    const url = pathToFileURL(directory).href
    const { index } = await ingest({
      entries: [repositoryEntry.parse({ url, include_tags: true, max_tags: 0 })],
      outputDir: `${dir}/out`,
      cloneDir: `${dir}/clones`,
      trust: { kind: 'operator' },
      workingDirectory: dir,
      env,
      signal,
      log,
      reader,
      now: () => new Date(),
      progress: () => undefined,
    })
    const byRef = new Map(index.records.map((record) => [record.ref, record]))
    const refs = orderTags([...byRef.keys()].filter(isStableTag)).toReversed()
    const records = refs.flatMap((ref) => byRef.get(ref) ?? [])
    const versions = await loadVersions(`${dir}/out`, records)
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
