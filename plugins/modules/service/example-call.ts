/** How the repository of a module calls it in its own examples. */
import { resolve } from 'node:path'
import { inTurns, keepRecent } from '../../../server/plugin.ts'
import { quoteHcl } from '../domain/hcl-text.ts'
import type { ModuleCode } from '../domain/module-code.ts'
import { type RealCall, smallestCalls } from '../domain/real-calls.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { ModuleUsage } from '../domain/usage.ts'
import { type ExampleFile, readExamples } from '../git/example-files.ts'
import { type EditedCall, editCall } from '../hcl/edit-call.ts'
import { readingModuleBlocks } from '../hcl/module-blocks.ts'
import { readHcl } from '../hcl/reader.ts'
import { referencesOf } from '../hcl/references.ts'
import { usesOf } from './call-file.ts'
import type { ModuleService } from './module-service.ts'

/** A real call, ready to be copied but for what it refers to. */
export interface ExampleCall {
  /** Where it is in the repository. */
  readonly file: string
  readonly line: number
  /** The block, with the pinned source; values of sensitive inputs are variables. */
  readonly hcl: string
  /** The inputs that it gives. */
  readonly inputs: string[]
  /** What the block takes from the configuration around it. */
  readonly refers_to: string[]
  /** The outputs that the example reads. */
  readonly outputs: string[]
}

/** A longer call shows more than how the module is called. */
const MAX_CHARS = 4_000
/** Of a block that cannot be edited for sure the next is taken, up to this many. */
const MAX_TRIED = 5

/** Modules whose calls stay in memory, at most some thousand characters each: a commit never changes. */
const CALLS_KEPT = 256

/**
 * Finds the smallest call of a module in the examples of its repository, or of its package in a registry, at that version,
 * with the source of `usage`. Undefined where there is none, and where the clone was removed before the first look; nothing
 * is fetched. Reading a commit starts a process, which is done once for each.
 */
export function createExampleCalls(service: Pick<ModuleService, 'host' | 'config' | 'workingDirectory'>) {
  const kept = keepRecent<string, { found?: ExampleCall | undefined }>(CALLS_KEPT)
  return async ({ summary, usage, code, signal }: AskedExample): Promise<ExampleCall | undefined> => {
    const { repository, commit, path } = summary
    const known = kept.get(
      JSON.stringify([repository, commit, path, usage.source, usage.version]),
      () => ({}),
    )
    if ('found' in known) return known.found
    const cloneDir = resolve(service.workingDirectory, service.config.clone_dir)
    const files = await readExamples({ cloneDir, repository, commit, env: service.host.env, signal }, path)
    if (files === undefined) return undefined // an ingest may bring it
    known.found = await smallestOf(files, { summary, usage, code, signal })
    return known.found
  }
}

async function smallestOf(
  files: readonly ExampleFile[],
  { summary, usage, code, signal }: AskedExample,
): Promise<ExampleCall | undefined> {
  const calls = smallestCalls(await callsIn(files, signal), summary, await code())
  for (const call of calls.slice(0, MAX_TRIED)) {
    const text = files.find((file) => file.path === call.file)?.text ?? ''
    const edited = pinned(text, call, { summary, usage })
    if (edited !== undefined) return await described(edited, call, { files, signal })
  }
  return undefined
}

interface AskedExample {
  readonly summary: ModuleSummary
  readonly usage: Pick<ModuleUsage, 'source' | 'version'>
  /** The code of the module, where it is stored. */
  code(): Promise<ModuleCode | undefined>
  readonly signal: AbortSignal
}

async function callsIn(files: readonly ExampleFile[], signal: AbortSignal): Promise<readonly RealCall[]> {
  const calls: RealCall[] = []
  for (const { path: file, text } of files) {
    if (!/^\s*module\s/m.test(text)) continue
    const { blocks } = await inTurns(readingModuleBlocks(text), signal)
    const lines = new Map(readHcl(text).blocks.map(({ line = 0, endLine = line }) => [line, endLine]))
    for (const block of blocks) {
      const end = lines.get(block.line) ?? block.line
      const size = text
        .split('\n')
        .slice(block.line - 1, end)
        .join('\n').length
      if (size <= MAX_CHARS) calls.push({ file, block, size })
    }
  }
  return calls
}

/** Where the ref pins the version, a `version` beside the source becomes a comment. */
function pinned(
  text: string,
  { block }: RealCall,
  { summary, usage: { source, version } }: Pick<AskedExample, 'summary' | 'usage'>,
): EditedCall | undefined {
  const sensitive = new Set(summary.variables.filter((one) => one.sensitive === true).map(({ name }) => name))
  const stated = block.inputs.filter(({ name, value }) => sensitive.has(name) && value.kind !== 'expression')
  const hasVersion = block.version !== undefined
  const wanted = version === undefined ? [] : [['version', quoteHcl(version)] as const]
  return editCall(text, block.line, {
    replaced: new Map([
      ['source', quoteHcl(source)],
      ...(hasVersion ? wanted : []),
      ...stated.map(({ name }) => [name, `var.${name}`] as const),
    ]),
    renamed: [],
    retired:
      hasVersion && version === undefined ? [{ name: 'version', note: 'the ref pins the version' }] : [],
    added: hasVersion ? [] : wanted.map(([name, value]) => ({ name, value, below: 'source' })),
  })
}

async function described(
  { block: hcl }: EditedCall,
  { file, block: { name, line, inputs } }: RealCall,
  { files, signal }: { readonly files: readonly ExampleFile[]; readonly signal: AbortSignal },
): Promise<ExampleCall> {
  const directory = file.slice(0, file.lastIndexOf('/') + 1)
  const beside = files.filter(
    ({ path }) => path.startsWith(directory) && !path.slice(directory.length).includes('/'),
  )
  const uses = await usesOf(
    beside.map(({ path, text }) => ({ name: path, text })),
    signal,
  )
  const [block] = readHcl(hcl).blocks
  return {
    file,
    line,
    hcl: `${hcl}\n`,
    inputs: inputs.map((input) => input.name),
    refers_to: block === undefined ? [] : [...referencesOf(block)],
    outputs: [...new Set((uses.get(name) ?? []).map((use) => use.name))].sort(),
  }
}
