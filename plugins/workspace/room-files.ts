import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'

const SIDECAR = /^\.(.+)\.satchel$/

/** The names of the documents in a folder around which a room was opened. */
export async function roomNamesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.flatMap((name) => SIDECAR.exec(name)?.[1] ?? [])
}

/** Those in the folder that the beginning of a path names, written as the path goes on. */
export async function roomFilesAt(typed: string, cwd: string): Promise<readonly string[]> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1)
  return (await roomNamesIn(resolve(cwd, folder))).map((name) => folder + name)
}
