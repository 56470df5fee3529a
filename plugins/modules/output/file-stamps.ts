import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Disk, realDisk, systemCode, writeFileDurably } from '../../../server/plugin.ts'
import { stateDir } from './module-index.ts'

/** Size, times and identity of a file; any write, replacement or change of its times changes it. */
export type Stamp = string

/**
 * Stamps of the summary files from when their bytes were known, so that an unchanged file is not read at every run.
 * A cache beside the index: where an entry is missing, the file is read.
 */
export interface FileStamps {
  /** Whether the file exists with the bytes of this hash. */
  isIntact(name: string, sha256: string): Promise<boolean>
  /** The file with this stamp holds the bytes of this hash. */
  note(name: string, sha256: string, stamp: Stamp): void
  /** Saves the stamps of these files and drops all others. */
  save(names: Iterable<string>): Promise<void>
}

interface Known {
  readonly sha256: string
  readonly stamp: Stamp
}

/**
 * Stamps of an output directory. As git does it, a stamp counts only where the file had changed before the stamps were
 * saved, by the clock of the file system: else a later write could have left the same times.
 */
export async function openFileStamps(outputDir: string, disk = realDisk): Promise<FileStamps> {
  const path = join(stateDir(outputDir), 'stamps.json')
  const known = await loadStamps(path, disk)
  let changed = false
  const note = (name: string, sha256: string, stamp: Stamp): void => {
    known.set(name, { sha256, stamp })
    changed = true
  }
  return {
    note,
    async isIntact(name, sha256) {
      const file = join(outputDir, name)
      const stamp = await disk.stamp(file)
      const before = known.get(name)
      if (stamp === undefined || (before?.stamp === stamp && before.sha256 === sha256))
        return stamp !== undefined
      const bytes = await disk.readFile(file).catch(() => undefined)
      if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256) return false
      note(name, sha256, stamp)
      return true
    },
    async save(names) {
      if (!changed) return
      changed = false
      const rows: string[][] = []
      for (const name of names) {
        const held = known.get(name)
        if (held) rows.push([name, held.sha256, held.stamp])
      }
      await writeFileDurably(path, JSON.stringify(rows), { disk }).catch((thrown: unknown) => {
        if (systemCode(thrown) === undefined) throw thrown // without stamps the next run reads the files
      })
    },
  }
}

async function loadStamps(path: string, disk: Disk): Promise<Map<string, Known>> {
  const known = new Map<string, Known>()
  try {
    const savedAt = BigInt((await disk.stamp(path))?.split(' ')[1] ?? '')
    const rows: unknown = JSON.parse((await disk.readFile(path)).toString('utf8'))
    for (const row of Array.isArray(rows) ? rows : []) {
      const [name, sha256, stamp] = row as string[] // our own file; a row of another kind matches no file
      if (name && sha256 && stamp && BigInt(stamp.split(' ')[2] ?? '') < savedAt)
        known.set(name, { sha256, stamp })
    }
  } catch {
    known.clear() // none yet, or incomplete
  }
  return known
}
