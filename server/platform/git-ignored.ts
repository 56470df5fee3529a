import { join } from 'node:path'
import type { Disk } from './disk.ts'
import { replaceFile } from './durable-file.ts'

/** What a folder says of itself that no commit may hold. */
export const IGNORE_FILE = '.gitignore'

interface IgnoreOptions {
  readonly disk: Disk
  readonly mode: number
}

/**
 * Makes git ignore a folder that exists, and all in it. The folder says so itself: an ignore file above it belongs to the
 * user, or a checkout of another branch takes it away.
 */
export async function ignoreFolder(folder: string, { disk, mode }: IgnoreOptions): Promise<void> {
  const path = join(folder, IGNORE_FILE)
  if (!(await disk.stat(path))) await replaceFile(path, '*\n', { disk, mode })
}
