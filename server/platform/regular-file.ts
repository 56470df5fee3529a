import { constants, open } from 'node:fs/promises'
import { devNull } from 'node:os'

/** What a path that should be a file of text holds. */
export type RegularFile =
  | { readonly kind: 'text'; readonly text: string }
  /** A folder, pipe or device. */
  | { readonly kind: 'no file' }
  | { readonly kind: 'too large' }

/**
 * The text of a regular file. Anything else is reported without reading: a read of a pipe waits for its writer, and some
 * devices never end. The null device is an empty text. Nothing is read of a file beyond `maxBytes`.
 * Errors: the file system's own.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<RegularFile> {
  if (path === devNull) return { kind: 'text', text: '' }
  // Without O_NONBLOCK, which Windows lacks, opening a pipe waits as well.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { kind: 'no file' }
    return stats.size > maxBytes ? { kind: 'too large' } : { kind: 'text', text: await file.readFile('utf8') }
  } finally {
    await file.close()
  }
}
