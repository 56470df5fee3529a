import type { Log } from '../contract/context.ts'
import { isSatchelError, type SatchelError } from '../contract/errors.ts'
import type { RunningHost } from '../host.ts'
import { type Catalog, createCatalog } from './descriptors.ts'
import type { RawTable } from './raw-table.ts'

export interface DoorOptions {
  /** All requests except `initialize` and `server/discover` wait for it. */
  readonly boot: Promise<RunningHost>
  /** The version of the package, for `serverInfo`. */
  readonly version: string
  /** What a model reads before its first call. */
  readonly instructions?: string
  readonly log: Log
  /** Resolves a path that callers of this door may use. Errors: `forbidden`/`path_refused`. */
  resolvePath(path: string): Promise<string>
  readonly raw?: RawTable
  /** Loads the declarations of a remote server; called again until the server is reached. */
  loadRemote?(host: RunningHost): Promise<RawTable | undefined>
}

/** State shared by all server instances of a process; none of it belongs to a connection. */
export interface Door extends DoorOptions {
  /** Returns the catalog, compiled at the first call. */
  catalog(): Promise<Catalog>
}

/** Creates a door that compiles its catalog at the first request that needs it. */
export function createDoor(options: DoorOptions): Door {
  let compiled: Promise<Catalog> | undefined
  const remoteTable = async (host: RunningHost): Promise<RawTable | SatchelError | undefined> => {
    try {
      return await options.loadRemote?.(host)
    } catch (error) {
      if (!isSatchelError(error)) throw error
      options.log.warn('the remote server cannot be reached; serving without it', { error })
      compiled = undefined
      return error
    }
  }
  const compile = async (): Promise<Catalog> => {
    const host = await options.boot
    return createCatalog(host, options.raw ?? (await remoteTable(host)))
  }
  return {
    ...options,
    catalog() {
      compiled ??= compile()
      return compiled
    },
  }
}
