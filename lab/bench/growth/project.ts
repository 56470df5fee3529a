import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { latestVersions } from '../../../plugins/modules/catalog/versions.ts'
import type { ModuleSummary } from '../../../plugins/modules/domain/summary.ts'
import { loadIndex } from '../../../plugins/modules/output/index-file.ts'
import { loadSummary } from '../../../plugins/modules/output/summary-files.ts'
import { buildRemote, type MadeCommit } from '../../../plugins/modules/testing/build-remote.ts'
import { withReadme } from '../../../plugins/modules/testing/many-records.ts'
import { OWN_SUMMARIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { type GrownModules, growModules } from './grown-modules.ts'

/** Refs of each module. */
export const REFS = 3

/** The modules that others are made of: those of an output directory, or satchel's own. */
export async function grownModules(outputDir: string | undefined): Promise<GrownModules> {
  if (outputDir === undefined) return growModules(OWN_SUMMARIES.map(withReadme))
  const dir = resolve(outputDir)
  const index = await loadIndex(dir)
  const records = index ? latestVersions(index) : []
  const summaries: ModuleSummary[] = []
  for (const { summary_file } of records) summaries.push(await loadSummary(dir, summary_file))
  return growModules(summaries)
}

/** Writes the summaries of `modules` modules at their refs, and a configuration with one repository to ingest. */
export async function writeSummaries(dir: string, grown: GrownModules, modules: number): Promise<void> {
  const out = join(dir, 'out')
  await mkdir(out, { recursive: true })
  for (let n = 0; n < modules; n++) {
    for (let version = 0; version < REFS; version++) {
      const summary = grown.summary(n, version)
      await writeFile(join(out, `m${n}-${version}.json`), JSON.stringify(summary))
    }
  }
  const url = await buildRemote(join(dir, 'terraform-aws-changing.git'), [firstCommit(grown)])
  const settings = {
    repositories: [{ url, max_tags: REFS }],
    output_dir: out,
    clone_dir: join(dir, 'clones'),
    embedding: { enabled: true, vectordb_path: join(dir, 'vectors') },
    mcp: { auto_ingest: false },
  }
  await writeFile(join(dir, 'satchel.yaml'), JSON.stringify(settings))
}

/** Gives the ingested repository another tag. */
export async function changeRepository(dir: string, grown: GrownModules): Promise<void> {
  const first = firstCommit(grown)
  const next = { files: filesOf(grown, 1), tags: ['v1.1.0'] }
  await buildRemote(join(dir, 'terraform-aws-changing.git'), [first, next])
}

function firstCommit(grown: GrownModules): MadeCommit {
  return { files: filesOf(grown, 0), tags: ['v1.0.0'] }
}

function filesOf(grown: GrownModules, version: number): Record<string, string> {
  const { variables, readme_content } = grown.summary(0, version)
  const block = (name: string): string => `variable ${JSON.stringify(name)} {\n  type = string\n}\n`
  return { 'main.tf': variables.map(({ name }) => block(name)).join('\n'), 'README.md': readme_content }
}

/** Bytes of what the search keeps: the state folder of the output directory, and the vectors. */
export async function bytesOnDisk(
  dir: string,
): Promise<{ readonly index: number; readonly vectors: number }> {
  const size = async (folder: string): Promise<number> => {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    const facts = await Promise.all(names.map((name) => stat(join(folder, name))))
    return facts.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
  }
  return { index: await size(join(dir, 'out', '.satchel')), vectors: await size(join(dir, 'vectors')) }
}
