import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { dirname, join } from 'node:path'
import { moveFile, removeFile } from '../platform/file-tree.ts'

/** The file by which a listening server is found. */
export interface SocketFile {
  /** Removes it, unless another process has put its own in this place. While the server still listens. */
  remove(): Promise<void>
}

const isPipe = (path: string): boolean => path.startsWith('\\\\.\\pipe\\')

/**
 * Lets `server` listen at `path`, mode 0600 from the first moment; `listenAt` resolves when it does. A server unlinks the
 * name that it was bound to when it closes, whoever has that name by then: so it is bound to a name of its own first.
 * Errors: those of `listenAt`; EADDRINUSE when `path` is taken.
 */
export async function listenPrivately(
  server: Server,
  path: string,
  listenAt: (path: string) => Promise<void>,
): Promise<SocketFile> {
  if (isPipe(path)) {
    await listenAt(path)
    return { remove: async () => {} }
  }
  if (await found(path)) throw Object.assign(new Error('The name is taken'), { code: 'EADDRINUSE' })
  const own = join(dirname(path), `.tmp-${randomBytes(4).toString('hex')}`) // at most 3 bytes longer: paths of up to 100 bytes fit
  const mask = process.umask(0o177) // the file is made before `listenAt` waits
  const listening = listenAt(own)
  process.umask(mask)
  await listening
  try {
    await moveFile(own, path)
  } catch (thrown) {
    server.close()
    throw thrown
  }
  const ours = await found(path)
  return {
    remove: async () => {
      // Its number is not given away while the server listens.
      if (ours !== undefined && (await found(path)) === ours) await removeFile(path)
    },
  }
}

async function found(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await lstat(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
