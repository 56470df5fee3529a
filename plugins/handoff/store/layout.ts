import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/** The paths of a store (design handoff-store, section 1). */
export interface Layout {
  /** Absolute. */
  readonly root: string
  /** Absolute; the store's own folder. */
  readonly folder: string
  readonly records: string
  readonly locks: string
  readonly temps: string
  readonly cache: string
  /** What belongs to this machine: live sessions, claims and the freshness of the moment. */
  readonly local: string
  readonly config: string
  readonly gitignore: string
}

/** The layout of the store in `folder` for the project at `root`; both absolute. */
export function layoutOf(root: string, folder: string): Layout {
  return {
    root,
    folder,
    records: join(folder, 'records'),
    locks: join(folder, '.locks'),
    temps: join(folder, '.tmp'),
    cache: join(folder, '.cache'),
    local: join(folder, '.local'),
    config: join(folder, 'config.json'),
    gitignore: join(folder, '.gitignore'),
  }
}

/** Excludes from version control what only one machine needs. */
export const GITIGNORE = '.cache/\n.local/\n.locks/\n.tmp/\n'

/** Records may hold what only their owner may read. */
export const RECORD_MODE = 0o600 // design handoff-store, section 1

/** A unique path in the folder of temporary files. */
export function newTemp(layout: Layout, what: string): string {
  return join(layout.temps, `${what}-${process.pid}-${randomBytes(6).toString('hex')}`)
}

/** The file of a record. */
export function recordFile(layout: Layout, id: string): string {
  return join(layout.records, `${id.toLowerCase()}.json`)
}
