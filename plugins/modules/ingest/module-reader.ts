import { posix } from 'node:path'
import { findLicences } from '../domain/licence.ts'
import type { ModuleFacts } from '../domain/module-facts.ts'
import { findReadme } from '../domain/readme.ts'
import { summarize } from '../domain/summarize.ts'
import type { SummaryInput } from '../domain/summarize-input.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import type { TreeFile } from '../git/tree.ts'
import { PARSER_VERSION, parseModuleFile } from '../hcl/parse-file.ts'

/** Turns files of a repository into summaries. The caller that opens it closes it. */
export interface ModuleReader {
  /** Part of every cache key. */
  readonly parserVersion: string
  /** How often the reference parser was asked so far. */
  referenceReads(): number
  parseFile(name: string, bytes: Uint8Array): Promise<ModuleFacts>
  summarize(input: SummaryInput): ModuleSummary
  findReadme(files: readonly TreeFile[]): TreeFile | undefined
  /** Those of the directory first, then those of the root. */
  findLicences(files: readonly TreeFile[], rootFiles: readonly TreeFile[]): readonly TreeFile[]
  close(): Promise<void>
}

/** The reader of this program; its reference parser starts when it is first needed. */
export async function openModuleReader(): Promise<ModuleReader> {
  const { openReference } = await import('../hcl/reference.lazy.ts')
  const reference = openReference()
  let reads = 0
  return {
    parserVersion: PARSER_VERSION,
    referenceReads: () => reads,
    async parseFile(name, bytes) {
      const facts = await parseModuleFile(name, bytes, reference)
      reads += facts.referenceReads
      return facts
    },
    summarize,
    findReadme: (files) => fileNamed(files, findReadme(namesOf(files))),
    findLicences: (files, rootFiles) => [...licencesOf(files), ...licencesOf(rootFiles)],
    close: () => reference.close(),
  }
}

function licencesOf(files: readonly TreeFile[]): TreeFile[] {
  return findLicences(namesOf(files)).flatMap((name) => fileNamed(files, name) ?? [])
}

function namesOf(files: readonly TreeFile[]): string[] {
  return files.map(({ path }) => posix.basename(path))
}

function fileNamed(files: readonly TreeFile[], name: string | undefined): TreeFile | undefined {
  return name === undefined ? undefined : files.find(({ path }) => posix.basename(path) === name)
}
