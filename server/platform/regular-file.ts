import type { Stats } from 'node:fs'
import { constants, type FileHandle, open } from 'node:fs/promises'
import { devNull } from 'node:os'

/** What a path that should be a file holds. */
export type RegularBytes =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly stats: Stats }
  /** A folder, pipe or device. */
  | { readonly kind: 'no file' }
  | { readonly kind: 'too large' }

/** The same as text. */
export type RegularFile =
  | { readonly kind: 'text'; readonly text: string }
  | Exclude<RegularBytes, { readonly kind: 'bytes' }>

/**
 * The text of a regular file. Anything else is reported without reading: a read of a pipe waits for its writer, and some
 * devices never end. The null device is an empty text. Nothing is read of a file beyond `maxBytes`.
 * Errors: the file system's own.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<RegularFile> {
  if (path === devNull) return { kind: 'text', text: '' }
  const found = await readRegularBytes(path, maxBytes)
  return found.kind === 'bytes' ? { kind: 'text', text: found.bytes.toString('utf8') } : found
}

/** As `readRegularFile`, undecoded, with the facts of the file; the null device is not a file. */
export async function readRegularBytes(path: string, maxBytes: number): Promise<RegularBytes> {
  // Without O_NONBLOCK, which Windows lacks, opening a pipe waits as well.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { kind: 'no file' }
    if (stats.size > maxBytes) return { kind: 'too large' }
    const bytes = await readBounded(file, maxBytes)
    return bytes === undefined ? { kind: 'too large' } : { kind: 'bytes', bytes, stats }
  } finally {
    await file.close()
  }
}

/** Bytes that one read asks for. */
const PIECE_BYTES = 64 * 1024

/**
 * The bytes from the start of an open file to its end; undefined as soon as there are more than `maxBytes`. The size that
 * the system states is not enough: a device states none, and some never end.
 */
export async function readBounded(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = []
  for (let size = 0; ; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, maxBytes + 1 - size))
    const { bytesRead } = await file.read(piece, 0, piece.length, null)
    if (bytesRead === 0) return Buffer.concat(pieces)
    size += bytesRead
    if (size > maxBytes) return undefined
    pieces.push(piece.subarray(0, bytesRead))
  }
}

/**
 * The whole file at `path`, following links; undefined if it is longer than `maxBytes`. Waits for the writer of a pipe,
 * for what a shell substitutes. Errors: the file system's own.
 */
export async function readFileBounded(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await open(path)
  try {
    return await readBounded(file, maxBytes)
  } finally {
    await file.close()
  }
}
