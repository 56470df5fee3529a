import type { Log } from './contract/context.ts'
import type { RunningHost } from './host.ts'
import { endsWithin } from './platform/within.ts'

/** Time for plugins to stop before the process ends without them. */
const STOP_LIMIT_MS = 2_000

/** Stops the host, with a time limit for plugins that hang in `stop`. A failed start has stopped its host already. */
export async function stopWithin(boot: Promise<RunningHost>, log: Log): Promise<void> {
  const stopped = boot.then(
    (host) => host.stop(),
    () => undefined,
  )
  if (!(await endsWithin(STOP_LIMIT_MS, stopped)))
    log.error('a plugin did not stop in time', { limit_ms: STOP_LIMIT_MS })
}
