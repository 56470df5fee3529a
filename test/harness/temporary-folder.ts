import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { undoAfter } from './undo.ts'

/** A new folder below the system's temporary one, removed after the test. */
export async function temporaryFolder(t: TestContext, prefix?: string): Promise<string> {
  return temporaryFolderSync(t, prefix)
}

export function temporaryFolderSync(t: TestContext, prefix = 'satchel-test-'): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  // Hosts of this process are stopped later and may write until then.
  undoAfter(t, () => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
