import { accessSync, constants, mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { undoAfter } from './undo.ts'

const MEMORY = '/dev/shm' // of Linux

/** A new folder below the system's temporary one, removed after the test. */
export async function temporaryFolder(t: TestContext, prefix?: string): Promise<string> {
  return temporaryFolderSync(t, prefix)
}

export function temporaryFolderSync(t: TestContext, prefix = 'satchel-test-', parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, prefix)))
  // Hosts of this process are stopped later and may write until then.
  undoAfter(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/**
 * The same in memory, where the system has files there: for tests that copy, flush and remove many small files, and ask
 * nothing of the disk below them.
 */
export function memoryFolderSync(t: TestContext): string {
  return temporaryFolderSync(t, undefined, isWritable(MEMORY) ? MEMORY : undefined)
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
