import { join } from 'node:path'
import type { BackupStore, StorePart } from '../contract/advanced/backup.ts'
import { realDisk, systemCode } from '../platform/disk.ts'
import { digestFile } from '../platform/file-copy.ts'

/** A file of a store. */
export interface StoreFile {
  /** `PART` for a part that is a file, `PART/PATH` for one in a folder, with slashes. */
  readonly name: string
  readonly path: string
  readonly stamp: string
  readonly modifiedMs: number
}

/** The files of a store by name; links and other special files are left out. */
export async function storeFiles({ parts }: BackupStore): Promise<ReadonlyMap<string, StoreFile>> {
  const files = new Map<string, StoreFile>()
  for (const part of parts) await collect(part, '', files)
  return files
}

async function collect(part: StorePart, below: string, files: Map<string, StoreFile>): Promise<void> {
  if (below !== '' && part.except?.test(below)) return
  const path = join(part.path, below)
  const [facts, stamp] = await Promise.all([realDisk.stat(path), realDisk.stamp(path)])
  if (facts === undefined || stamp === undefined) return
  if (facts.kind === 'file') {
    const name = below === '' ? part.name : `${part.name}/${below}`
    files.set(name, { name, path, stamp, modifiedMs: facts.modifiedMs })
  }
  if (facts.kind !== 'directory') return
  const entries = await realDisk.list(path).catch((thrown: unknown) => {
    if (systemCode(thrown) === 'ENOENT') return [] // removed meanwhile
    throw thrown
  })
  for (const entry of [...entries].sort()) {
    await collect(part, below === '' ? entry : `${below}/${entry}`, files)
  }
}

/** The digest of a file; undefined if it is removed. */
export async function digestNow(path: string): Promise<string | undefined> {
  return digestFile(path).then(
    ({ sha256 }) => sha256,
    (thrown: unknown) => {
      if (systemCode(thrown) === 'ENOENT') return undefined
      throw thrown
    },
  )
}
