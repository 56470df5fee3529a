import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddingOptions, embeddingOptions, repositoryEntry } from '../../../plugins/modules/config.ts'
import { ingest } from '../../../plugins/modules/ingest/ingest.ts'
import { openModuleReader } from '../../../plugins/modules/ingest/module-reader.ts'
import type { IngestReport } from '../../../plugins/modules/ingest/report.ts'
import { loadLexicon } from '../../../plugins/modules/search/lexicon-file.ts'
import { searchIndexSaver } from '../../../plugins/modules/search/search-index-file.ts'
import { vectorOpener } from '../../../plugins/modules/search/vector-update.ts'
import { buildRemote, type MadeCommit } from '../../../plugins/modules/testing/build-remote.ts'
import { silent } from '../../../plugins/modules/testing/ingest-world.ts'
import type { Disk } from '../../../server/plugin.ts'

/** How one run ingests. */
export interface IngestHow {
  readonly recursive: boolean
  readonly prune: boolean
  readonly embeddings: boolean
}

/** What a run is asked for that must bring everything up to date. */
export const EVERYTHING_ASKED: IngestHow = { recursive: true, prune: true, embeddings: true }

/**
 * A repository whose refs change between runs. It, its clone and the parse cache are on this machine's disk: a run
 * fetches or computes them again. What a run answers for lies below `outputDir` and `vectorDir`, on the disk it is given.
 */
export interface IngestStage {
  readonly outputDir: string
  readonly vectorDir: string
  readonly embedding: EmbeddingOptions
  /** Brings the remote to a state, `0` to `STATES - 1`. */
  show(state: number): Promise<void>
  run(disk: Disk, how: IngestHow): Promise<IngestReport>
  close(): Promise<void>
}

const REMOTE = 'terraform-aws-network.git'

const text = (name: string): string =>
  `variable "${name}" {\n  description = "The ${name} of the network."\n  type        = string\n}\noutput "id" {\n  value = var.${name}\n}\n`

const OLD: MadeCommit = {
  files: { 'main.tf': text('a'), 'modules/one/main.tf': text('b') },
  tags: ['v1.0.0'],
}
const NEW: MadeCommit = {
  files: { 'main.tf': text('changed'), 'modules/two/main.tf': text('c') },
  tags: ['v1.1.0'],
}
const LAST: MadeCommit = { files: { 'README.md': '# Network\n' }, removes: ['modules/one/main.tf'] }
/** Grows, changes a file of its branch, and loses a tag and a module. */
const REMOTES: readonly (readonly MadeCommit[])[] = [[OLD], [OLD, NEW], [{ ...OLD, tags: [] }, NEW, LAST]]
export const STATES = REMOTES.length

/** Makes the states of the remote in `dir`, which the caller removes. None is shown yet. */
export async function makeRemotes(dir: string): Promise<void> {
  const remote = join(dir, REMOTE)
  for (const [state, commits] of REMOTES.entries()) {
    await buildRemote(remote, commits)
    await rename(remote, join(dir, `state-${state}`))
  }
}

/** A stage over the remotes in `dir`; the caller closes it. */
export async function openIngestStage(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<IngestStage> {
  const outputDir = join(dir, 'out')
  const remote = join(dir, REMOTE)
  let shown: number | undefined
  const embedding = embeddingOptions.parse({ enabled: true, vectordb_path: join(dir, 'vectors') })
  const reader = await openModuleReader()
  const { signal } = new AbortController()
  let seconds = Date.UTC(2026, 10, 21) / 1000
  const now = (): Date => new Date(1000 * seconds++)
  return {
    outputDir,
    vectorDir: join(dir, 'vectors'),
    embedding,
    async show(state) {
      if (shown !== undefined) await rename(remote, join(dir, `state-${shown}`))
      shown = state
      await rename(join(dir, `state-${state}`), remote)
    },
    async run(disk, { recursive, prune, embeddings }) {
      const parts = { loadLexicon: () => loadLexicon(undefined), workingDirectory: dir, env: {}, now, disk }
      const vectors = embeddings ? await vectorOpener(parts)(embedding, 'operator', signal) : undefined
      const entry = repositoryEntry.parse({ url: `file://${remote}`, branches: ['main'], recursive })
      const { report } = await ingest({
        entries: [entry],
        outputDir,
        cloneDir: join(dir, 'clones'),
        prune,
        trust: { kind: 'operator' },
        workingDirectory: dir,
        env,
        signal,
        log: silent,
        disk,
        reader,
        vectors,
        saveSearch: searchIndexSaver(() => loadLexicon(undefined)),
        retryDelaysMs: [],
        now,
        progress: () => {},
      })
      return report
    },
    close: () => reader.close(),
  }
}
