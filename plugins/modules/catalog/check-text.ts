import { type CheckFinding, checkInputs, checkSource, type GivenBlock } from '../domain/check.ts'
import { checkForm, checkUse } from '../domain/check-call.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readModuleBlocks } from '../hcl/module-blocks.ts'
import { readOutputUses } from '../hcl/output-uses.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { CallResolver, ResolvedCall } from './resolve-calls.ts'

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

/** Checks every `module` block of an HCL text against the version that it calls. */
export async function checkText(
  text: string,
  resolve: CallResolver | ((block: GivenBlock) => Promise<ResolvedCall>),
  load: (record: IndexRecord) => Promise<ModuleSummary>,
): Promise<CheckedText> {
  const { blocks, problems } = readModuleBlocks(text)
  const outputs = readOutputUses(text)
  const checked: CheckedBlock[] = []
  const earlier = new Map<string, number>()
  for (const block of blocks) {
    const { resolution, record } = await resolve(block)
    const findings = [...checkForm(block, earlier), ...checkSource(block, resolution)]
    const summary = record && (await load(record))
    // Of two blocks with one name it is not known which is read.
    const isOne = blocks.filter(({ name }) => name === block.name).length === 1
    const read = isOne ? (outputs.get(block.name) ?? []) : []
    if (summary) findings.push(...checkInputs(block, summary), ...checkUse(block, read, summary))
    if (!earlier.has(block.name)) earlier.set(block.name, block.line)
    findings.sort((a, b) => a.line - b.line)
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
