import { type FileHandle, readlink, realpath, stat } from 'node:fs/promises'

/**
 * Where a file that was opened as `path` stands: a folder on its way may have been swapped for a link meanwhile. Linux
 * tells; elsewhere its name is looked up again, which a link that comes and goes quickly enough could still deceive.
 * Undefined: not there any more.
 */
export async function placeOf(file: FileHandle, path: string): Promise<string | undefined> {
  const told = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined)
  if (told !== undefined) return told
  const again = await realpath(path)
  const [opened, there] = [await file.stat(), await stat(again)]
  return there.ino === opened.ino && there.dev === opened.dev ? again : undefined
}
