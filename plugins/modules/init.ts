import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { defineCommand, makeDirectoryDurably, realDisk, systemCode } from '../../server/plugin.ts'
import { storageFailure } from './output/summary-files.ts'
import { refusals } from './reasons.ts'

/** What `satchel init` writes: every key of the module service, with its meaning. */
export const SAMPLE_CONFIG = `# yaml-language-server: $schema=./node_modules/satchel/schemas/config.json
# Repositories of Terraform/OpenTofu modules. git uses the credentials of this machine.
repositories:
  - url: https://github.com/terraform-aws-modules/terraform-aws-vpc.git
    name: terraform-aws-vpc      # optional: the name in file names and lists
    branches: []                 # branches to read
    include_tags: true           # read tags, newest first
    max_tags: 1                  # 0: all
    path: .                      # directory of the module
    recursive: true              # every module directory below it
    exclude_paths: ["examples/**", "wrappers/**"]
  # - url: terraform-aws-modules/vpc/aws   # of a registry; with its host before it for another than the public one

output_dir: ./output             # JSON summaries
clone_dir: ./repos               # bare clones

embedding:
  enabled: true                  # search by meaning; this strategy downloads nothing
  strategy: vectordb-default     # or local-transformers, hosted-a, hosted-b
  vectordb_path: ./vectordb
  collection_name: infra_modules

mcp:
  auto_ingest: true
  ingest_on_startup: false
  refresh_interval_hours: 24
`

/** The configuration file that every verb reads without `--config`. */
const DEFAULT_PATH = 'satchel.yaml'

/** `satchel init [config_path]`. Errors: `conflict`/`file_exists`, `unavailable`/`storage_failed`. */
export function initCommand(workingDirectory: string) {
  return defineCommand({
    cli: 'init',
    title: 'Write a sample configuration',
    description: 'Writes a commented sample configuration. An existing file is never changed.',
    positional: ['[config_path]'],
    input: z.object({
      config_path: z.string().min(1).max(4096).default(DEFAULT_PATH).describe('Where to write it.'),
    }),
    example: 'satchel init',
    async run(_ctx, { config_path }, terminal) {
      await writeNewFile(resolve(workingDirectory, config_path), SAMPLE_CONFIG)
      terminal.write(
        terminal.json
          ? `${JSON.stringify({ config_path })}\n`
          : `Wrote ${config_path}. Name your repositories in it, then run: satchel ingest${ingestWords(config_path)}\n`,
      )
      return 0
    },
  })
}

/** The words that name the file to an ingest; none for the one that it reads by itself. */
function ingestWords(path: string): string {
  return path === DEFAULT_PATH ? '' : ` ${path}`
}

async function writeNewFile(path: string, text: string): Promise<void> {
  try {
    await makeDirectoryDurably(dirname(path))
    await realDisk.create(path, text)
    await realDisk.syncDirectory(dirname(path))
  } catch (thrown) {
    if (systemCode(thrown) === 'EEXIST') {
      throw refusals.file_exists()
    }
    throw storageFailure(thrown, path)
  }
}
