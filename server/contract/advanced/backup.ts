/** A file or folder of a store. */
export interface StorePart {
  /** `sidecar`: unique in its store. */
  readonly name: string
  /** Absolute. One that does not exist is left out. */
  readonly path: string
  /** Matches paths in the folder, with slashes, that are not copied: locks and what can be computed again. */
  readonly except?: RegExp
}

/** State of a plugin that is copied and restored as a whole. */
export interface BackupStore {
  /** `records`: unique in the plugin, and the same on every machine. */
  readonly name: string
  readonly parts: readonly StorePart[]
  /** Says why the store cannot be replaced now, in one sentence; undefined if it can. */
  inUse?(): Promise<string | undefined>
}
