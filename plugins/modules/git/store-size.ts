import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusals } from '../reasons.ts'

/** Largest total size of the packs of a store (design modules, section 8). */
export const MAX_STORE_BYTES = 2 * 1024 ** 3
const LOOK_EVERY_MS = 500

/**
 * Runs `work` while the packs of the store, including those being received, hold at most `maxBytes`; aborts the signal
 * of `work` as soon as they exceed it.
 * Errors: `too_large`/`repository_too_large`, and those of `work`.
 */
export async function withinSize<T>(
  path: string,
  maxBytes: number,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController()
  const look = async (): Promise<void> => {
    if ((await packBytes(path)) > maxBytes) stop.abort()
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS) // `packBytes` never rejects
  try {
    const done = await work(stop.signal)
    await look()
    if (!stop.signal.aborted) return done
  } catch (thrown) {
    if (!stop.signal.aborted) throw thrown
  } finally {
    clearInterval(timer)
  }
  throw refusals.clone_too_large({ size: sizeText(maxBytes) })
}

/** The size of the packs of a store. A file that cannot be read, because it is being renamed or does not exist yet, counts as 0 bytes. */
export async function packBytes(path: string): Promise<number> {
  const folder = join(path, 'objects', 'pack')
  const names = await readdir(folder).catch(() => [])
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function sizeText(bytes: number): string {
  return `${Math.round((bytes / 1024 ** 3) * 100) / 100} GiB`
}
