import { type CheckFinding, checkInputs, checkSource } from '../domain/check.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readModuleBlocks } from '../hcl/module-blocks.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { createCallResolver } from './resolve-calls.ts'

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
  const resolve = createCallResolver(index)
  const { blocks, problems } = readModuleBlocks(text)
  const checked: CheckedBlock[] = []
  for (const block of blocks) {
    const { resolution, record } = resolve(block)
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
