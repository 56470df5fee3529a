import { inTurns } from '../../../server/plugin.ts'
import { callReads, readsByCall } from '../domain/call-reads.ts'
import {
  type CheckFinding,
  checkInputs,
  checkRefused,
  checkSource,
  checkWhole,
  type GivenBlock,
} from '../domain/check.ts'
import { type BlockPlace, checkForm, checkUse, type ReadOutput } from '../domain/check-call.ts'
import type { PlacedRead } from '../domain/configuration-names.ts'
import { eachValueType } from '../domain/each-value.ts'
import { NO_SCOPE, type TypeScope } from '../domain/expression-type.ts'
import { plainLine } from '../domain/hcl-text.ts'
import { isTofuFile } from '../domain/module-files.ts'
import type { Resolution } from '../domain/module-source.ts'
import { shownSource } from '../domain/shown-source.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readingFileNames } from '../hcl/file-names.ts'
import { readingModuleBlocks } from '../hcl/module-blocks.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { CallResolver, ResolvedCall } from './resolve-calls.ts'

/** One `module` block, what it calls, and what is wrong with it. */
export interface CheckedBlock {
  readonly name: string
  readonly file?: string
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

/** What a block calls: a version of the index, a local directory, or what is not there to be compared with. */
export interface CalledModule {
  readonly resolution: Resolution
  readonly record?: IndexRecord | undefined
  /** Absent: the arguments are not judged. */
  readonly summary?: Pick<ModuleSummary, 'variables' | 'outputs' | 'providers' | 'diagnostics'> | undefined
  /** Files of the module that are not in its summary. */
  readonly unread?: readonly string[]
  /** What is wrong with what is called. */
  readonly findings?: readonly CheckFinding[]
}

/** Checks every `module` block of an HCL text against the version that it calls. */
export async function checkText(
  text: string,
  resolve: CallResolver | ((block: GivenBlock) => Promise<ResolvedCall>),
  load: (record: IndexRecord) => Promise<ModuleSummary>,
  signal?: AbortSignal,
): Promise<CheckedText> {
  const { blocks, problems } = await inTurns(readingModuleBlocks(text), signal)
  // Of a part of a directory it is not known what the other files declare.
  const { reads } = await inTurns(readingFileNames(undefined, text), signal)
  const checked = await checkBlocks(blocks, { reads }, async (block) => {
    const { resolution, record } = await resolve(block)
    return { resolution, record, summary: record && (await load(record)) }
  })
  return { blocks: checked, problems }
}

/** What is known of the text around the blocks: the names that it reads and, of a whole directory, their types. */
export interface AroundBlocks {
  readonly reads: readonly PlacedRead[]
  readonly scope?: TypeScope
}

/** Checks the `module` blocks of one directory. */
export async function checkBlocks(
  blocks: readonly GivenBlock[],
  { reads, scope }: AroundBlocks,
  called: (block: GivenBlock) => Promise<CalledModule>,
): Promise<CheckedBlock[]> {
  const checked: CheckedBlock[] = []
  const ofCalls = readsByCall(reads)
  const earlier = new Map<string, BlockPlace>()
  const counts = new Map<string, number>()
  for (const { name } of blocks) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const block of blocks) {
    const { findings: given = [], ...module } = await called(block)
    const { resolution, record } = module
    const own = scopeIn(block, scope)
    const findings = [...given, ...checkForm(block, earlier, own), ...checkSource(block, resolution)]
    // Of two blocks with one name it is not known which is read.
    const known = counts.get(block.name) === 1 ? (ofCalls.get(block.name) ?? []) : []
    const { outputs, faults } = callReads(block, known)
    findings.push(...faults, ...checkArguments(block, outputs, module, own))
    if (!earlier.has(block.name)) earlier.set(block.name, block)
    findings.sort((a, b) => a.line - b.line)
    checked.push({
      name: block.name,
      ...(block.file !== undefined && { file: block.file }),
      line: block.line,
      source: shownSource(block.source?.text ?? ''),
      ...(record && { module: placeOf(record) }),
      findings,
    })
  }
  return checked
}

/** The names that a block has beside those of its directory. */
function scopeIn({ repeats }: GivenBlock, scope: TypeScope = NO_SCOPE): TypeScope {
  const forEach = repeats?.get('for_each')
  if (forEach === undefined) return scope
  const each = eachValueType(forEach, scope)
  return { ...scope, forEach, ...(each && { each }) }
}

/** What a call and the reads of its outputs have to do with the interface of the module, if that is known whole. */
function checkArguments(
  block: GivenBlock,
  read: readonly ReadOutput[],
  { summary, unread }: Pick<CalledModule, 'summary' | 'unread'>,
  scope: TypeScope,
): CheckFinding[] {
  if (summary === undefined) return []
  const gaps = checkWhole(block, summary, unread)
  if (gaps.length > 0) return gaps
  const found = [...checkInputs(block, summary, scope), ...checkUse(block, read, summary)]
  return [...checkRefused(block, summary), ...saidOfTofu(found, block, summary)]
}

/** What `.tofu` files declare is not there for Terraform. A block in such a file is of OpenTofu. */
function saidOfTofu(
  findings: readonly CheckFinding[],
  { file = '' }: GivenBlock,
  { variables, outputs }: Pick<ModuleSummary, 'variables' | 'outputs'>,
): readonly CheckFinding[] {
  const places = [...variables, ...outputs].map(({ position }) => position?.file ?? '')
  const tofu = isTofuFile(file) ? undefined : places.find(isTofuFile)
  if (tofu === undefined) return findings
  const said = `So it is for OpenTofu: Terraform does not read ${plainLine(tofu)}.`
  return findings.map((finding) => ({ ...finding, message: `${finding.message} ${said}` }))
}

function placeOf({ id, repository, ref, path }: IndexRecord): NonNullable<CheckedBlock['module']> {
  return { id, repository, ref, path }
}
