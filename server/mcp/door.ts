import type { Log } from '../contract/context.ts'
import { isSatchelError, type SatchelError } from '../contract/errors.ts'
import type { RunningHost } from '../host.ts'
import { type Catalog, createCatalog } from './descriptors.ts'
import type { RawTable } from './raw-table.ts'

export interface DoorOptions {
  /** Answers to `initialize` and `server/discover` do not wait for it, all others do. */
  readonly boot: Promise<RunningHost>
  /** Of the package, for `serverInfo`. */
  readonly version: string
  readonly log: Log
  /** Confined to what callers of this door may touch. Errors: `forbidden`/`path_refused`. */
  resolvePath(path: string): Promise<string>
  readonly raw?: RawTable
  /** What stands beside the host's own and may be out of reach; asked again until it was reached. */
  annex?(host: RunningHost): Promise<RawTable | undefined>
}

/** What every server instance of one process shares. No state of a connection lives here. */
export interface Door extends DoorOptions {
  /** What is served, compiled when first asked for. */
  catalog(): Promise<Catalog>
}

/** A door that compiles its catalog once, at the first request that needs it. */
export function createDoor(options: DoorOptions): Door {
  let compiled: Promise<Catalog> | undefined
  const elsewhere = async (host: RunningHost): Promise<RawTable | SatchelError | undefined> => {
    try {
      return await options.annex?.(host)
    } catch (error) {
      if (!isSatchelError(error)) throw error
      options.log.warn('what is elsewhere cannot be reached; serving without it', { error })
      compiled = undefined
      return error
    }
  }
  const compile = async (): Promise<Catalog> => {
    const host = await options.boot
    return createCatalog(host, options.raw ?? (await elsewhere(host)))
  }
  return {
    ...options,
    catalog() {
      compiled ??= compile()
      return compiled
    },
  }
}
