import { randomBytes } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { moveFile, removeFile } from '../platform/file-tree.ts'

/** The socket file of a listening server. */
export interface SocketFile {
  /** Removes the file, unless another process replaced it. Call it while the server still listens. */
  remove(): Promise<void>
}

/** Longest path in bytes that the address of a socket holds: more would be cut off, and the server would listen elsewhere. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103

const isPipe = (path: string): boolean => path.startsWith('\\\\.\\pipe\\')

/**
 * Makes `server` listen at `path` with mode 0600 from the start; `listenAt` resolves when it listens. A closing server
 * unlinks the path it was bound to, even if another process owns it by then, so it is bound to a unique path first.
 * A socket that a killed server left is replaced. Errors: those of `listenAt`; EADDRINUSE when `path` is taken,
 * ENAMETOOLONG.
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
  const own = join(dirname(path), `.tmp-${randomBytes(4).toString('hex')}`) // at most 3 bytes longer for a room: paths of up to 100 bytes fit
  if ([own, path].some((each) => Buffer.byteLength(each) > MAX_PATH_BYTES))
    throw Object.assign(new Error('The path is too long'), { code: 'ENAMETOOLONG' })
  if ((await found(path)) && !(await isDead(path)))
    throw Object.assign(new Error('The name is taken'), { code: 'EADDRINUSE' })
  const mask = process.umask(0o177) // `listenAt` creates the file synchronously
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
      // The inode number is not reused while the server listens.
      if (ours !== undefined && (await found(path)) === ours) await removeFile(path)
    },
  }
}

/** Reports whether `path` is a socket at which nothing listens. */
async function isDead(path: string): Promise<boolean> {
  if (!(await lstat(path)).isSocket()) return false
  const socket = connect(path)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(false))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  }).finally(() => socket.destroy()) as Promise<boolean>
}

async function found(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await lstat(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
