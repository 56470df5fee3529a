/** The calls that real repositories make of their own modules, in their examples, at their newest release. */
import { posix } from 'node:path'
import type { GivenBlock } from '../../../../plugins/modules/domain/check.ts'
import { moduleFlavour } from '../../../../plugins/modules/domain/module-files.ts'
import type { ModuleSummary } from '../../../../plugins/modules/domain/summary.ts'
import { readModuleBlocks } from '../../../../plugins/modules/hcl/module-blocks.ts'
import type { ModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import type { LabContext } from '../../../context.ts'
import { outputOf } from '../../peers/program-output.ts'
import { withIngestedTags } from '../ingested-tags.ts'

/** One call, and the module that it calls, at the same commit. */
export interface RealCall {
  readonly repository: string
  readonly file: string
  readonly block: GivenBlock
  readonly summary: ModuleSummary
}

/** Every call of a module of the repository itself by a file that is an example; its newest tag only. Leaves nothing behind. */
export async function readRealCalls(
  directory: string,
  reader: ModuleReader,
  context: LabContext,
): Promise<readonly RealCall[]> {
  const asked = { directory, reader, maxTags: 1, recursive: true }
  return await withIngestedTags(asked, context, async ({ url, records, versions: load }) => {
    const versions = await load(records)
    const modules = new Map(versions.map(({ summary }) => [summary.path, summary]))
    const commit = records[0]?.commit
    if (commit === undefined) return []
    const calls: RealCall[] = []
    for (const file of await exampleFiles(directory, commit)) {
      const text = await outputOf(['git', 'show', `${commit}:${file}`], { cwd: directory })
      for (const block of readModuleBlocks(text).blocks) {
        const called = calledPath(file, block)
        const summary = called === undefined ? undefined : modules.get(called)
        if (summary) calls.push({ repository: url, file, block, summary })
      }
    }
    return calls
  })
}

async function exampleFiles(directory: string, commit: string): Promise<string[]> {
  const names = await outputOf(['git', 'ls-tree', '-r', '--name-only', '-z', commit], { cwd: directory })
  return names.split('\0').filter((name) => {
    const isExample = /(?:^|\/)(?:examples?|samples?|tests?|fixtures?)\//.test(name)
    return isExample && moduleFlavour(posix.basename(name)) === 'hcl'
  })
}

/** The directory that a local source leads to, `.` for the root; undefined for one outside of the repository. */
function calledPath(file: string, { source }: GivenBlock): string | undefined {
  const text = source?.text ?? ''
  if (!/^\.{1,2}(?:\/|$)/.test(text)) return undefined
  const path = posix.normalize(posix.join(posix.dirname(file), text)).replace(/\/+$/, '')
  return path.startsWith('..') ? undefined : path
}
