import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Log } from '../../../server/plugin.ts'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { type RepositoryEntry, repositoryEntry } from '../config.ts'
import { ingest } from '../ingest/ingest.ts'
import { openModuleReader } from '../ingest/module-reader.ts'
import type { IngestReport } from '../ingest/report.ts'
import type { RunRequest } from '../ingest/run.ts'

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

export interface World {
  readonly dir: string
  readonly outputDir: string
  readonly cloneDir: string
  run(entries: readonly Partial<RepositoryEntry>[], more?: Partial<RunRequest>): Promise<IngestReport>
  files(): Promise<string[]>
  /** What lies in the folder of the clones besides their locks. */
  clones(): Promise<string[]>
  summary(file: string): Promise<Record<string, unknown>>
  index(): Promise<{
    records: {
      id: string
      summary_file: string
      last_updated: string
      ref: string
      other_names?: { name: string; summary_file: string }[]
    }[]
  }>
}

export async function openWorld(t: TestContext): Promise<World> {
  const dir = await temporaryFolder(t)
  const reader = await openModuleReader()
  t.after(() => reader.close())
  const outputDir = join(dir, 'out')
  const cloneDir = join(dir, 'clones')
  let clock = 1_800_000_000_000
  const tick = (): Date => {
    clock += 1000
    return new Date(clock)
  }
  return {
    dir,
    outputDir,
    cloneDir,
    async run(entries, more = {}) {
      const { report } = await ingest({
        entries: entries.map((entry) => repositoryEntry.parse(entry)),
        outputDir,
        cloneDir,
        trust: { kind: 'operator' },
        workingDirectory: dir,
        env: process.env,
        now: tick,
        signal: new AbortController().signal,
        log: silent,
        reader,
        retryDelaysMs: [],
        progress: () => undefined,
        ...more,
      })
      return report
    },
    clones: async () => (await readdir(cloneDir)).filter((name) => name !== '.locks').sort(),
    files: async () => (await readdir(outputDir)).filter((name) => name.endsWith('.json')).sort(),
    summary: async (file) => JSON.parse(await readFile(join(outputDir, file), 'utf8')),
    index: async () => JSON.parse(await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8')),
  }
}

export const MAIN = 'variable "name" {\n  type = string\n}\n\noutput "id" {\n  value = var.name\n}\n'
