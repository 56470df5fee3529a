/** What the summaries of an output directory lack, because a run has not read it yet or could not read it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurns } from '../../../server/plugin.ts'
import { isNamed } from '../catalog/find.ts'
import { isRepositoryOf, parseSource } from '../domain/module-source.ts'
import { readingModuleBlocks } from '../hcl/module-blocks.ts'
import { loadRunState, type RunState } from '../output/run-state.ts'

export interface PartialStore {
  /** `interrupted`: the run ended before it had read everything; `failed`: it read all that it could. */
  readonly state: 'running' | 'interrupted' | 'failed'
  readonly repositories: number
  /** Repositories that the run, or one before it, has read. */
  readonly read: number
  readonly failures: number
  /** The first of what is missing. */
  readonly missing: MissingPlace[]
  readonly next: string
}

interface MissingPlace {
  readonly repository: string
  readonly ref?: string | undefined
  readonly path?: string | undefined
  /** `waiting`, or the reason of its failure. */
  readonly why: string
}

/** What is missing is listed up to this many places; the counts tell of the rest. */
const MAX_MISSING = 10

const NEXT = {
  running: 'The ingest is running: ask again later.',
  interrupted: 'The last ingest did not end: run `satchel ingest`, or call ingest_modules.',
  failed: 'The last ingest could not read everything: see `missing`, then run `satchel ingest`.',
} as const

/** Undefined where nothing is missing and no run is under way. */
export async function loadPartialStore(outputDir: string): Promise<PartialStore | undefined> {
  const run = await loadRunState(outputDir)
  if (run === undefined) return undefined
  const isOver = !run.isRunning
  if (isOver && run.waiting.length === 0 && run.failures === 0) return undefined
  const state = run.isRunning ? 'running' : run.waiting.length > 0 ? 'interrupted' : 'failed'
  const unread = run.waiting.filter(({ known }) => !known)
  const missing = [
    ...unread.map(({ repository }) => ({ repository, why: 'waiting' })),
    ...run.failed.map(({ repository, ref, path, reason }) => ({
      ...{ repository, why: reason },
      ...(ref !== undefined && { ref }),
      ...(path !== undefined && { path }),
    })),
  ]
  return {
    state,
    repositories: run.repositories,
    read: readCount(run),
    failures: run.failures,
    missing: missing.slice(0, MAX_MISSING),
    next: NEXT[state],
  }
}

function readCount({ repositories, waiting, failed }: RunState): number {
  const lacking = [...waiting, ...failed.filter(({ ref, path }) => ref === undefined && path === undefined)]
  return (
    repositories - new Set(lacking.filter(({ known }) => !known).map(({ repository }) => repository)).size
  )
}

/** Whether a caller means a repository of this URL and name. */
export type Means = (repository: string, name: string) => boolean

/** What the input of a tool names: a repository, or the sources of the module blocks of a text. */
export async function namedRepositories(
  input: { readonly repository?: unknown; readonly hcl?: unknown },
  signal: AbortSignal,
): Promise<readonly Means[]> {
  const { repository: named, hcl } = input
  if (typeof named === 'string' && named !== '') return [(url, name) => isNamed(url, name, named)]
  if (typeof hcl !== 'string') return []
  const { blocks } = await inTurns(readingModuleBlocks(hcl), signal)
  return blocks.flatMap(({ source: written }): readonly Means[] => {
    const source = parseSource(written?.text ?? '')
    return source.kind === 'git' || source.kind === 'registry' ? [(url) => isRepositoryOf(source, url)] : []
  })
}

/** Longest wait for one run, over all calls; most clients give up on a call after 60 seconds. */
const WAIT_MS = 20_000
const LOOK_EVERY_MS = 100

/** Waits for repositories that the running ingest reads for the first time. */
export interface FirstReading {
  /** Resolves when the run has read what is named, has ended, or has been waited for as long as it may. */
  wait(outputDir: string, named: readonly Means[], signal: AbortSignal): Promise<void>
}

/** `isExpected`: whether a run has begun that has not said anything yet. */
export function createFirstReading(isExpected: () => boolean, waitMs = WAIT_MS): FirstReading {
  const looks = new Map<string, number>()
  return {
    async wait(outputDir, named, signal) {
      for (;;) {
        const run = await loadRunState(outputDir)
        const isBefore = (run === undefined || !run.isRunning) && isExpected()
        const isWaiting = isBefore || (run?.isRunning === true && named.some((means) => isUnread(run, means)))
        const key = `${outputDir}\0${isBefore ? '' : run?.began_at}`
        const looked = looks.get(key) ?? 0
        if (!isWaiting || looked >= waitMs / LOOK_EVERY_MS) return
        looks.set(key, looked + 1)
        await sleep(LOOK_EVERY_MS, undefined, { signal })
      }
    },
  }
}

function isUnread({ waiting }: RunState, means: Means): boolean {
  return waiting.some(({ known, repository, name }) => !known && means(repository, name))
}
