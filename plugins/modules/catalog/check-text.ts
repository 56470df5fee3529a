import { type CheckFinding, checkInputs, checkSource } from '../domain/check.ts'
import { type IndexedModule, parseSource, type Resolution, resolveSource } from '../domain/module-source.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readModuleBlocks } from '../hcl/module-blocks.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { groupVersions } from './versions.ts'

/** One `module` block of a text, what it calls, and what is wrong with it. */
export interface CheckedBlock {
  readonly name: string
  readonly line: number
  readonly source: string
  /** Absent: the source leads to no indexed module. */
  readonly module?: Pick<IndexRecord, 'id' | 'repository' | 'ref' | 'path'>
  readonly findings: readonly CheckFinding[]
}

export interface CheckedText {
  readonly blocks: readonly CheckedBlock[]
  /** What is wrong with the text itself. */
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

/** Checks every `module` block of an HCL text against the index. */
export async function checkText(
  text: string,
  index: ModuleIndex,
  load: (record: IndexRecord) => Promise<ModuleSummary>,
): Promise<CheckedText> {
  const known = groupVersions(index, index.records).flatMap(({ versions, latest }) =>
    versions.map((record): IndexedModule & IndexRecord => ({ ...record, latest: record.id === latest.id })),
  )
  const byId = new Map(known.map((module) => [module.id, module]))
  const { blocks, problems } = readModuleBlocks(text)
  const checked: CheckedBlock[] = []
  for (const block of blocks) {
    const resolution: Resolution =
      block.source === undefined
        ? { kind: 'not_indexed' }
        : resolveSource(parseSource(block.source.text), block.version, known)
    const record = recordOf(resolution, byId)
    const findings = checkSource(block, resolution)
    if (record) findings.push(...checkInputs(block, await load(record)))
    const { id, repository, ref, path } = record ?? {}
    checked.push({
      name: block.name,
      line: block.line,
      source: block.source?.text ?? '',
      ...(id !== undefined && repository !== undefined && ref !== undefined && path !== undefined
        ? { module: { id, repository, ref, path } }
        : {}),
      findings,
    })
  }
  return { blocks: checked, problems }
}

/** A block is checked only against the version that it names: that of another ref has other inputs. */
function recordOf(resolution: Resolution, byId: ReadonlyMap<string, IndexRecord>): IndexRecord | undefined {
  const isNamed = resolution.kind === 'found' || resolution.kind === 'short_commit'
  return isNamed ? byId.get(resolution.module.id) : undefined
}
