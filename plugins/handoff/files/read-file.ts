import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'
import {
  type CallContext,
  openToRead,
  readBounded,
  type SatchelError,
  systemCode,
} from '../../../server/plugin.ts'
import { MAX_FILE_BYTES } from '../domain/record-size.ts'
import { quoted } from '../domain/secrets.ts'
import { refusals } from '../reasons.ts'

/**
 * The bytes of a file that the caller may read.
 * Errors: `forbidden`/`path_refused`, `not_found`/`file_not_found`, `too_large`/`record_too_large`.
 */
export async function readFileInside(ctx: Pick<CallContext, 'resolvePath'>, path: string): Promise<Buffer> {
  const real = await ctx.resolvePath(path)
  try {
    const file = await openToRead(real)
    try {
      if ((await placeOf(file, real)) !== real) throw refused(path)
      const bytes = await readBounded(file, MAX_FILE_BYTES)
      if (bytes === undefined) throw refusals.file_not_read({ limit: MAX_FILE_BYTES })
      return bytes
    } finally {
      await file.close()
    }
  } catch (thrown) {
    throw asReadError(thrown, path)
  }
}

function asReadError(thrown: unknown, path: string): unknown {
  const code = systemCode(thrown)
  const shown = { path: quoted(path, 200) }
  if (code === 'ENOENT' || code === 'ENOTDIR') return refusals.file_not_found(shown)
  if (code === 'EISDIR') return refusals.folder_given(shown)
  if (code === 'ELOOP' || code === 'EACCES' || code === 'EPERM') return refused(path, thrown)
  return code === undefined ? thrown : refusals.file_failed({ ...shown, error: code }, { cause: thrown })
}

function refused(path: string, cause?: unknown): SatchelError {
  return refusals.path_refused({ path: quoted(path, 200) }, { cause })
}

/**
 * The real path of a file that was opened as `path`: one of its folders may have been replaced by a link meanwhile. On
 * Linux the kernel reports it. Other systems resolve the name again, which a link that exists only for a moment could
 * still deceive. Undefined if the file is no longer there.
 */
export async function placeOf(file: FileHandle, path: string): Promise<string | undefined> {
  const reported = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  if (reported !== undefined) return reported
  const again = await realpath(path)
  const [opened, there] = [await file.stat(), await stat(again)]
  return there.ino === opened.ino && there.dev === opened.dev ? again : undefined
}
