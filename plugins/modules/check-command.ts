import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import { defineCommand, gitRootOf, type Terminal } from '../../server/plugin.ts'
import { CHECK_LEVELS } from './domain/check-levels.ts'
import { MODULE_FILE_MAX_BYTES } from './domain/module-files.ts'
import type { ModuleIndex } from './output/module-index.ts'
import { refusals } from './reasons.ts'
import type { CallDirectory } from './service/call-tree.ts'
import type { CheckedTree } from './service/check-tree.ts'
import { type ModuleService, placeOf } from './service/module-service.ts'

const FORMATS = ['text', 'json', 'sarif', 'github'] as const
type Format = (typeof FORMATS)[number]

/** Exit code of findings. */
const FOUND_EXIT = 3
/** Calls of local modules are judged without. */
const NOTHING_INGESTED =
  'Nothing has been ingested yet, so only calls of local modules were compared. Run `satchel ingest`.'
/** A tree may name many versions that no ingest has read. */
const READS_OF_TREE = { count: 100, ms: 300_000 }

/** `satchel modules check FILE|DIR|-`: what `module_check` finds, for all files of a configuration. */
export function checkCommand(service: ModuleService, version: string) {
  const { workingDirectory, config } = service
  return defineCommand({
    cli: 'modules check',
    title: 'Check module calls',
    description:
      'Checks the module blocks of a file, of standard input (-) or of every directory below one against the modules that they call: those that were ingested, and local directories. Outputs that are read in other files, names that no file declares, versions of providers and Terraform that exclude one another, and names that are used twice count too. The exit code is 3 if something is found.',
    positional: ['path'],
    input: z.object({
      path: z.string().min(1).max(4096).describe('A Terraform file, a directory, or - for standard input.'),
      format: z
        .enum(FORMATS)
        .default('text')
        .describe('text; json; sarif, for code scanning; github, for the log of a workflow.'),
      fail_on: z
        .enum(CHECK_LEVELS)
        .default('note')
        .describe(
          'The least level that makes the exit code 3; note: also calls of modules that are not ingested.',
        ),
      exclude: z
        .array(z.string().max(4096))
        .default([])
        .describe('Files and directories to leave out: paths below the directory, with * and **.'),
      output_dir: z.string().max(4096).optional().describe('Where the summaries are.'),
    }),
    example: 'satchel modules check .',
    async run({ signal }, { path, format, fail_on, exclude, output_dir }, terminal) {
      const outputDir = placeOf(service, resolve(workingDirectory, output_dir ?? config.output_dir))
      const directories = await read(workingDirectory, { path, exclude }, terminal)
      const index = await service.storedIndex(outputDir)
      const tree = await check(service, { directories, index, outputDir, path, signal })
      const { reportOf } = await import('./answers/check-report.ts')
      const report = reportOf(tree, files(directories), fail_on)
      await print(terminal, {
        tree,
        report,
        format,
        version,
        isFile: directories.length === 1 && directories[0]?.isWhole === false && exclude.length === 0,
      })
      const { hasOnlyLocalCalls } = await import('./service/check-tree.ts')
      if (index === undefined && !hasOnlyLocalCalls(directories)) terminal.note(NOTHING_INGESTED)
      await warn(terminal, outputDir)
      return report.failing > 0 ? FOUND_EXIT : 0
    },
  })
}

async function read(
  workingDirectory: string,
  { path, exclude }: { readonly path: string; readonly exclude: readonly string[] },
  { stdin }: Terminal,
): Promise<readonly CallDirectory[]> {
  if (path !== '-')
    return await (await import('./service/call-tree.ts')).readCallTree(workingDirectory, path, exclude)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    bytes += chunk.length
    if (bytes > MODULE_FILE_MAX_BYTES) throw refusals.call_file_unreadable({ file: 'standard input' })
    chunks.push(Buffer.from(chunk))
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (text.includes('\ufffd')) throw refusals.call_file_unreadable({ file: 'standard input' })
  const place = await realpath(workingDirectory)
  return [{ place, name: '.', files: [{ name: '-', text }], unread: [], isWhole: false }]
}

interface Checked {
  readonly directories: readonly CallDirectory[]
  readonly index: ModuleIndex | undefined
  readonly outputDir: string
  readonly path: string
  readonly signal: AbortSignal
}

async function check(
  service: ModuleService,
  { directories, outputDir, ...given }: Checked,
): Promise<CheckedTree> {
  const [{ checkTree }, { openLocalModules }, { createCheckLookup }] = await Promise.all([
    import('./service/check-tree.ts'),
    import('./service/local-modules.ts'),
    import('./service/version-lookup.ts'),
  ])
  const typed = given.path === '-' ? '.' : given.path
  const places = [
    ...(await Promise.all(['.', typed].map((path) => realpath(resolve(service.workingDirectory, path))))),
    ...directories.slice(0, 1).map(({ place }) => place), // that of a file
  ]
  const repositories = await Promise.all(places.map(gitRootOf))
  const roots = [...places, ...repositories.filter((root) => root !== undefined)]
  const local = await openLocalModules(directories, roots)
  const summaries = new Map<string, ReturnType<ModuleService['summary']>>()
  try {
    return await checkTree(directories, {
      local,
      lookup: createCheckLookup(service, given, { outputDir, index: given.index, reads: READS_OF_TREE }),
      async load(record) {
        const summary = summaries.get(record.id) ?? service.summary(outputDir, record)
        summaries.set(record.id, summary)
        return await summary
      },
    })
  } finally {
    await local.close()
  }
}

function files(directories: readonly CallDirectory[]): number {
  return directories.reduce((sum, directory) => sum + directory.files.length + directory.unread.length, 0)
}

interface Printed {
  readonly tree: CheckedTree
  readonly report: Readonly<Record<string, unknown>>
  readonly format: Format
  readonly version: string
  readonly isFile: boolean
}

async function print(terminal: Terminal, { tree, report, format, version, isFile }: Printed): Promise<void> {
  const document = async (data: Readonly<Record<string, unknown>>): Promise<void> =>
    terminal.write(`${JSON.stringify(data, undefined, 2)}\n`)
  if (format === 'sarif') {
    const { sarifOf } = await import('./answers/check-sarif.ts')
    return await document(sarifOf(tree, version))
  }
  if (format === 'json' || terminal.json) return await document(report)
  const { fileTables, githubText, reportHeadline, reportText } = await import('./answers/check-report.ts')
  if (isFile && format === 'text') return await terminal.answer(reportHeadline(tree, 1), fileTables(tree))
  terminal.write(format === 'github' ? githubText(tree) : reportText(tree, Number(report['files'])))
}

/** What is not there cannot be compared. */
async function warn(terminal: Terminal, outputDir: string): Promise<void> {
  const { loadPartialStore } = await import('./service/partial-store.ts')
  const partial = await loadPartialStore(outputDir)
  if (partial !== undefined) terminal.note(`The ingested modules are incomplete. ${partial.next}`)
}
