/** Checks every module call of the directories of a configuration. */
import { posix } from 'node:path'
import { addTo } from '../../../server/plugin.ts'
import { type CalledModule, type CheckedBlock, checkBlocks } from '../catalog/check-text.ts'
import type { CheckFinding, GivenBlock } from '../domain/check.ts'
import { checkNames, type NameFinding } from '../domain/check-names.ts'
import type { EphemeralOutputs } from '../domain/expression-type.ts'
import { plainLine } from '../domain/hcl-text.ts'
import { keptEphemerals } from '../domain/kept-values.ts'
import { isOverrideFile, isTofuFile, moduleFlavour } from '../domain/module-files.ts'
import { parseSource } from '../domain/module-source.ts'
import { overridden } from '../domain/overridden-call.ts'
import {
  type NeedsOfCall,
  type Requirement,
  requirementConflicts,
  requirementsOf,
} from '../domain/requirement-conflicts.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { readJsonModuleBlocks, readModuleBlocks } from '../hcl/module-blocks.ts'
import type { IndexRecord } from '../output/module-index.ts'
import type { CallDirectory } from './call-tree.ts'
import { namesOf, scopeOf } from './directory-names.ts'
import type { LocalModule, LocalModules } from './local-modules.ts'
import type { VersionLookup } from './version-lookup.ts'

/** What is known of modules that are called. */
export interface CheckWorld {
  readonly lookup: Pick<VersionLookup, 'call'>
  readonly local: LocalModules
  load(record: IndexRecord): Promise<ModuleSummary>
}

interface Checking extends CheckWorld {
  /** What the local directories need that were looked at, by their places. */
  readonly needs: Map<string, readonly Requirement[]>
}

/** What is wrong with the text of a file. */
export interface FileProblem {
  readonly file: string
  readonly line: number
  readonly message: string
}

export interface CheckedTree {
  readonly blocks: readonly CheckedBlock[]
  readonly problems: readonly FileProblem[]
  /** What is wrong outside of the blocks; each names its file. */
  readonly findings: readonly CheckFinding[]
}

/** Calls of one file; more are of no configuration that a person wrote. */
const MAX_BLOCKS = 5_000
/** Modules that call modules that call modules. */
const MAX_NESTING = 20

/** Checks directory by directory; one that cannot be read in part is checked in part, with a problem for each file. */
export async function checkTree(
  directories: readonly CallDirectory[],
  world: CheckWorld,
): Promise<CheckedTree> {
  const blocks: CheckedBlock[] = []
  const problems: FileProblem[] = []
  const findings: CheckFinding[] = []
  const checking: Checking = { ...world, needs: new Map() }
  for (const directory of directories) {
    const { calls, ...read } = readCalls(directory)
    problems.push(...read.problems)
    findings.push(...read.refused)
    const names = await namesOf(directory)
    const wrongNames = checkNames(names)
    if (calls.length === 0 && !namesMarks(directory)) {
      findings.push(...wrongNames.map(outsideOfBlocks))
      continue
    }
    const called = new Map<GivenBlock, CalledModule>()
    for (const block of calls) called.set(block, await calledBy(directory, block, world))
    const { summary } = await world.local.of(directory)
    const scope = scopeOf(names, summary, ephemeralOutputs(called))
    if (scope) findings.push(...keptEphemerals(names.kept, summary, scope))
    const around = { reads: names.reads, ...(scope && { scope }) }
    const checked = await checkBlocks(
      calls,
      around,
      async (block) => called.get(block) ?? { resolution: { kind: 'not_indexed' } },
    )
    const conflicts = await conflictsOf(directory, called, checking)
    const placed = placedIn(checked, wrongNames)
    findings.push(...placed.outside)
    blocks.push(
      ...checked.map((one, at) =>
        withMore(one, [...(conflicts.get(calls[at]) ?? []), ...(placed.inside.get(one) ?? [])]),
      ),
    )
  }
  return { blocks, problems, findings }
}

/** Only then can a value be ephemeral or sensitive that comes from no call. */
function namesMarks({ files }: CallDirectory): boolean {
  return files.some(({ text }) => /ephemeral|sensitive/.test(text))
}

/** By the names of the calls. Of two blocks with one name the last counts; Terraform refuses both. */
function ephemeralOutputs(
  called: ReadonlyMap<GivenBlock, CalledModule>,
): ReadonlyMap<string, EphemeralOutputs> {
  return new Map(
    [...called].map(([{ name, meta }, { summary }]) => {
      const ephemeral = summary?.outputs.flatMap((output) => (output.ephemeral === true ? [output.name] : []))
      const isRepeated = meta?.has('count') === true || meta?.has('for_each') === true
      return [name, { isRepeated, ephemeral: new Set(ephemeral) }]
    }),
  )
}

/** Findings about names, by the block that they are in. */
function placedIn(
  blocks: readonly CheckedBlock[],
  findings: readonly NameFinding[],
): {
  readonly inside: ReadonlyMap<CheckedBlock, readonly CheckFinding[]>
  readonly outside: readonly CheckFinding[]
} {
  const inside = new Map<CheckedBlock, CheckFinding[]>()
  const outside: CheckFinding[] = []
  for (const { call, ...finding } of findings) {
    const named = blocks.filter(({ name }) => name === call)
    const block = named.find(({ file }) => file === finding.file) ?? named[0]
    if (block === undefined) outside.push(finding)
    else addTo(inside, block, finding)
  }
  return { inside, outside }
}

function outsideOfBlocks({ call: _, ...finding }: NameFinding): CheckFinding {
  return finding
}

function withMore(block: CheckedBlock, more: readonly CheckFinding[]): CheckedBlock {
  if (more.length === 0) return block
  return { ...block, findings: [...more, ...block.findings].sort((a, b) => a.line - b.line) }
}

/** The calls of a directory with their overrides, what could not be read, and overrides that Terraform refuses. */
export function readCalls({ files, unread }: CallDirectory): {
  readonly calls: readonly GivenBlock[]
  readonly problems: readonly FileProblem[]
  readonly refused: readonly CheckFinding[]
} {
  const problems = unread.map((file) => ({
    file,
    line: 1,
    message: 'It is not a regular file of UTF-8 text with at most 1 MiB.',
  }))
  const base: GivenBlock[] = []
  const overrides: GivenBlock[] = []
  for (const { name, text } of files) {
    const read =
      moduleFlavour(posix.basename(name)) === 'json'
        ? readJsonModuleBlocks(text)
        : readModuleBlocks(text, MAX_BLOCKS)
    problems.push(...read.problems.map(({ line, message }) => ({ file: name, line, message })))
    const into = isOverrideFile(posix.basename(name)) ? overrides : base
    into.push(...read.blocks.map((block) => ({ ...block, file: name })))
  }
  const refused = overrides.flatMap((block) => refusedOverride(block, base))
  return { calls: base.map((block) => overridden(block, overrides)), problems, refused }
}

function refusedOverride(
  { name, file, line, meta }: GivenBlock,
  base: readonly GivenBlock[],
): CheckFinding[] {
  const place = { code: 'block_refused', ...(file !== undefined && { file }) } as const
  const dependsOn = meta?.get('depends_on')
  if (!base.some((block) => block.name === name)) {
    const message = `No file that is not an override has a module block "${plainLine(name)}", so Terraform refuses this one.`
    return [{ ...place, line, message }]
  }
  if (dependsOn === undefined) return []
  return [{ ...place, line: dependsOn, message: 'An override file cannot state depends_on.' }]
}

/** Whether no call needs what an ingest reads. */
export function hasOnlyLocalCalls(directories: readonly CallDirectory[]): boolean {
  return directories.every((directory) =>
    readCalls(directory).calls.every(({ source }) => parseSource(source?.text ?? './').kind === 'local'),
  )
}

async function calledBy(
  { place }: CallDirectory,
  block: GivenBlock,
  { lookup, local, load }: CheckWorld,
): Promise<CalledModule> {
  const { resolution, record } = await lookup.call(block)
  if (resolution.kind !== 'local' || block.source === undefined)
    return { resolution, record, summary: record && (await load(record)) }
  const target = await local.at(place, block.source.text)
  if (target.kind === 'module')
    return { resolution, summary: target.module.summary, unread: target.module.directory.unread }
  const { line, text } = block.source
  // Terraform takes a directory without code as a module without inputs.
  if (target.kind === 'empty' && block.inputs.length === 0) return { resolution }
  if (target.kind !== 'outside') {
    const message = `${plainLine(text)} has no Terraform code.`
    return { resolution, findings: [{ line, code: 'local_module_missing', message }] }
  }
  const message = `${plainLine(text)} is outside of the checked directory, its repository and the working directory, so the arguments were not checked. Check a directory that holds both.`
  return { resolution, findings: [{ line, code: 'local_module_outside', message }] }
}

async function conflictsOf(
  directory: CallDirectory,
  called: ReadonlyMap<GivenBlock, CalledModule>,
  world: Checking,
): Promise<ReadonlyMap<GivenBlock | undefined, readonly CheckFinding[]>> {
  const { summary } = await world.local.of(directory)
  // Terraform reads no .tofu file: a directory that has one is of OpenTofu.
  const isOpenTofu = summary.files.some(isTofuFile)
  const calls: NeedsOfCall[] = []
  for (const [block, module] of called) {
    const needs = await needsOf(directory, block, module, world, [directory.place])
    const counted = needs.filter(({ isOfTofu }) => isOpenTofu || !isOfTofu)
    calls.push({ block, needs: counted.map((need) => ({ ...need, by: `module.${block.name}` })) })
  }
  const found = new Map<GivenBlock, CheckFinding[]>()
  const { findings } = requirementConflicts(requirementsOf(summary, 'this directory'), calls)
  for (const { block, finding } of findings) addTo(found, block, finding)
  return found
}

/** What a call needs: that of the module, and for a local one that of all that it calls. */
async function needsOf(
  from: CallDirectory,
  block: GivenBlock,
  { record, summary }: CalledModule,
  world: Checking,
  above: readonly string[],
): Promise<readonly Requirement[]> {
  if (record !== undefined) return summary === undefined ? [] : requirementsOf(await world.load(record), '')
  const isLocal = summary !== undefined && block.source !== undefined
  const target = isLocal ? await world.local.at(from.place, block.source.text) : undefined
  if (target?.kind !== 'module') return []
  const { directory } = target.module
  if (above.includes(directory.place) || above.length > MAX_NESTING) return []
  const known = world.needs.get(directory.place)
  return known ?? (await allNeeds(target.module, world, [...above, directory.place]))
}

async function allNeeds(
  { directory, summary }: LocalModule,
  world: Checking,
  above: readonly string[],
): Promise<readonly Requirement[]> {
  const calls: NeedsOfCall[] = []
  for (const block of readCalls(directory).calls) {
    const module = await calledBy(directory, block, world)
    calls.push({ block, needs: await needsOf(directory, block, module, world, above) })
  }
  const { needs } = requirementConflicts(requirementsOf(summary, ''), calls)
  world.needs.set(directory.place, needs)
  return needs
}
