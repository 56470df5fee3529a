import type { CallContext, Host } from '../../../server/plugin.ts'
import { counted, isSatchelError } from '../../../server/plugin.ts'
import type { ModulesConfig } from '../config.ts'
import type { IndexHead } from '../output/index-file.ts'
import { refusals } from '../reasons.ts'

/** Keeps the index of an MCP server fresh, in the background (modules design 7). */
export interface Freshness {
  /**
   * Called before a module tool reads: starts the first run, or one whose time has come.
   * Errors: `unavailable`/`first_ingest_running` while there is nothing to read yet.
   */
  beforeCall(ctx: CallContext, index: Pick<IndexHead, 'finished_at'> | undefined): Promise<void>
  /** Whether a run of this process is under way. */
  isRunning(): boolean
  /** `ingest_on_startup`: starts after a delay, because clients start two servers and end one of them. */
  onStart(): void
  /** Aborts a running ingest and waits for it. */
  stop(): Promise<void>
}

const HOUR_MS = 3_600_000
/** Clients start two servers and end one after 1 to 2 seconds. */
const START_DELAY_MS = 3000
/** Delay after a failed run. */
const RETRY_MS = 60_000

interface Running {
  readonly done: Promise<void>
  readonly abort: AbortController
  progress: { done: number; total: number; message: string }
}

/** One run of the operator's configuration. */
export type BackgroundRun = (
  signal: AbortSignal,
  progress: CallContext['progress'],
) => Promise<{
  readonly modules: number
  readonly failures: readonly unknown[]
  readonly duration_ms: number
}>

/** Runs nothing before the first call; its timers keep no process alive. */
export function createFreshness(host: Host, config: ModulesConfig, ingest: BackgroundRun): Freshness {
  let running: Running | undefined
  let lastTryMs = Number.NEGATIVE_INFINITY
  let startTimer: NodeJS.Timeout | undefined

  const start = (): void => {
    if (running || host.signal.aborted || host.now().getTime() - lastTryMs < RETRY_MS) return
    lastTryMs = host.now().getTime()
    const abort = new AbortController()
    const run: Running = { abort, progress: { done: 0, total: 0, message: '' }, done: Promise.resolve() }
    const signal = AbortSignal.any([abort.signal, host.signal])
    const done = runInBackground(host, signal, () =>
      ingest(signal, (finished, total = 0, message = '') => {
        run.progress = { done: Math.floor(finished), total, message }
      }),
    ).finally(() => {
      running = undefined
    })
    running = Object.assign(run, { done })
  }
  const isDue = (index: Pick<IndexHead, 'finished_at'>): boolean => {
    const hours = config.mcp.refresh_interval_hours
    if (hours === 0) return false
    const finished = index.finished_at === null ? Number.NEGATIVE_INFINITY : Date.parse(index.finished_at)
    return host.now().getTime() - finished >= hours * HOUR_MS
  }
  return {
    async beforeCall(ctx, index) {
      const wanted = ctx.door === 'mcp' && config.mcp.auto_ingest && namesRepositories(config)
      if (!wanted) return
      if (index === undefined || isDue(index)) start()
      if (index === undefined && running) throw firstRun(running.progress)
    },
    isRunning: () => running !== undefined,
    onStart() {
      if (!config.mcp.ingest_on_startup || !namesRepositories(config)) return
      startTimer = setTimeout(start, START_DELAY_MS)
      startTimer.unref()
    },
    async stop() {
      clearTimeout(startTimer)
      running?.abort.abort()
      await running?.done
    },
  }
}

function namesRepositories(config: ModulesConfig): boolean {
  return config.repositories.length > 0 || typeof config.mcp.config_file === 'string'
}

async function runInBackground(
  { log }: Host,
  signal: AbortSignal,
  ingest: () => ReturnType<BackgroundRun>,
): Promise<void> {
  try {
    const { failures, modules, duration_ms } = await ingest()
    log.info('modules ingested', { modules, failures: failures.length, duration_ms })
  } catch (thrown) {
    // Another process is ingesting, or the server is stopping: no error.
    if (signal.aborted || (isSatchelError(thrown) && thrown.reason === 'ingest_running')) return
    log.warn('ingesting in the background failed', { error: thrown })
  }
}

function firstRun(progress: Running['progress']) {
  const { done, total } = progress
  return refusals.first_ingest_running(
    { done, total: counted(total, 'repository', 'repositories') },
    { details: { ...progress } },
  )
}
