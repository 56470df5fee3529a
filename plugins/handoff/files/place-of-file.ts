import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'

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
