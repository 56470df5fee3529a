import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { storeDamaged } from './damage.ts'
import { type Disk, removeQuietly } from './disk.ts'
import type { Ledger } from './ledger.ts'

/** Texts by their sha256, one file each, outside the database so that a checkpoint stays small. */
export interface Bodies {
  /** Undefined when there is none. Errors: `unavailable`/`store_damaged` when the file is not what its name says. */
  read(sha256: string): string | undefined
  has(sha256: string): boolean
  /** Durable when resolved. On an error nothing of it stays under the name. */
  write(sha256: string, text: string): Promise<void>
  drop(sha256: string): Promise<void>
}

export const VERSIONS_DIRECTORY = 'versions'
const FILE_MODE = 0o600

export function openBodies(disk: Disk, sidecar: string, tempPath: () => string): Bodies {
  const directory = join(sidecar, VERSIONS_DIRECTORY)
  const create = async (sha256: string, text: string): Promise<void> => {
    const temp = tempPath()
    try {
      await disk.create(temp, text, FILE_MODE)
      await disk.rename(temp, join(directory, sha256))
    } catch (thrown) {
      await removeQuietly(disk, temp)
      throw thrown
    }
  }
  return {
    has: (sha256) => disk.stat(join(directory, sha256)) !== undefined,
    read: (sha256) => {
      const path = join(directory, sha256)
      if (!disk.stat(path)) return undefined
      const bytes = disk.read(path)
      if (sha256Of(bytes) !== sha256)
        throw storeDamaged('A stored text is damaged.', { file: `versions/${sha256}` })
      return bytes.toString('utf8')
    },
    write: async (sha256, text) => {
      if (!disk.stat(join(directory, sha256))) await create(sha256, text)
      // Also for one that was there: its name may date from a write that failed before this step.
      await disk.syncDirectory(directory)
    },
    drop: async (sha256) => {
      if (disk.stat(join(directory, sha256))) await disk.unlink(join(directory, sha256))
    },
  }
}

/**
 * Gives the newest version's text, read again only when the version changed.
 * Errors: `unavailable`/`store_damaged` when it is gone.
 */
export function newestTextOf(ledger: Ledger, bodies: Bodies): () => string {
  let cached: { hash: string; text: string } | undefined
  return () => {
    const { hash, version } = ledger.meta
    if (cached?.hash === hash) return cached.text
    const text = version === 0 ? '' : bodies.read(hash)
    if (text === undefined) throw storeDamaged('The newest text is missing.', { file: `versions/${hash}` })
    cached = { hash, text }
    return text
  }
}

/** Lower-case hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
