import { access, constants } from 'node:fs/promises'
import { systemCode } from './disk.ts'

/** Why this user cannot write to a file or folder, as a code of the system such as `EROFS`; undefined if nothing prevents it. */
export async function writeFault(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK)
    return undefined
  } catch (thrown) {
    return systemCode(thrown) ?? 'EIO'
  }
}
