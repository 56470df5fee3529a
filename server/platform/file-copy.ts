import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { realDisk } from './disk.ts'
import { openToRead } from './file-tree.ts'

const CHUNK_BYTES = 1024 * 1024
const FILE_MODE = 0o600

/** What was read of a file. */
export interface FileDigest {
  readonly size: number
  /** In hex. */
  readonly sha256: string
}

/** Reads a file and returns its digest. A symbolic link is refused (`ELOOP`). Errors are the file system's own. */
export async function digestFile(path: string): Promise<FileDigest> {
  return readThrough(path, undefined)
}

/**
 * Copies a file to a new one of mode 0600 and returns the digest of what was copied. `flushFile` makes it durable.
 * Errors: `EEXIST`, and the file system's own.
 */
export async function copyToNewFile(from: string, to: string): Promise<FileDigest> {
  const target = await open(to, 'wx', FILE_MODE)
  try {
    return await readThrough(from, target)
  } finally {
    await target.close()
  }
}

/** Makes the content of a file durable; its name is so after a sync of the directory. */
export async function flushFile(path: string): Promise<void> {
  const file = realDisk.openSync(path)
  try {
    await realDisk.flush(file)
  } finally {
    realDisk.closeSync(file)
  }
}

async function readThrough(path: string, target: FileHandle | undefined): Promise<FileDigest> {
  const hash = createHash('sha256')
  const file = await openToRead(path)
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let size = 0; ; ) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, size)
      if (bytesRead === 0) return { size, sha256: hash.digest('hex') }
      const read = chunk.subarray(0, bytesRead)
      hash.update(read)
      await target?.writeFile(read)
      size += bytesRead
    }
  } finally {
    await file.close()
  }
}
