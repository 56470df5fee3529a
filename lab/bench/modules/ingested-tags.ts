import { pathToFileURL } from 'node:url'
import { loadVersions } from '../../../plugins/modules/catalog/load-versions.ts'
import { repositoryEntry } from '../../../plugins/modules/config.ts'
import type { ModuleVersion } from '../../../plugins/modules/domain/diff.ts'
import { ingest } from '../../../plugins/modules/ingest/ingest.ts'
import type { ModuleReader } from '../../../plugins/modules/ingest/module-reader.ts'
import type { IndexRecord } from '../../../plugins/modules/output/module-index.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'

/** What was read of a repository, while its scratch folder is there. */
export interface IngestedTags {
  readonly url: string
  readonly records: readonly IndexRecord[]
  versions(records: readonly IndexRecord[]): Promise<readonly ModuleVersion[]>
}

interface Asked {
  /** A bare repository. */
  readonly directory: string
  readonly reader: ModuleReader
  /** How many tags, the newest first; 0 for all. */
  readonly maxTags: number
  /** Also modules below the root. */
  readonly recursive: boolean
}

/** Ingests tags of a real repository for `work`. Leaves nothing behind. */
export async function withIngestedTags<T>(
  { directory, reader, maxTags, recursive }: Asked,
  { env, signal, log }: LabContext,
  work: (ingested: IngestedTags) => Promise<T>,
): Promise<T> {
  return await withScratchFolder('satchel-tags', async (dir) => {
    const url = pathToFileURL(directory).href
    const { index } = await ingest({
      entries: [repositoryEntry.parse({ url, include_tags: true, max_tags: maxTags, recursive })],
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
    const { records } = index
    return await work({ url, records, versions: (asked) => loadVersions(`${dir}/out`, asked) })
  })
}
