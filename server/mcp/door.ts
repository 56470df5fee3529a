import type { Log } from '../contract/context.ts'
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
}

/** What every server instance of one process shares. No state of a connection lives here. */
export interface Door extends DoorOptions {
  /** What is served, compiled when first asked for. */
  catalog(): Promise<Catalog>
}

/** A door that compiles its catalog once, at the first request that needs it. */
export function createDoor(options: DoorOptions): Door {
  let compiled: Promise<Catalog> | undefined
  return {
    ...options,
    catalog() {
      compiled ??= options.boot.then((host) => createCatalog(host, options.raw))
      return compiled
    },
  }
}
