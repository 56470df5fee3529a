import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

const RECORD_BYTES = 400 // what the record of a commit takes
const JOURNAL_BYTES = 1024 * 1024

/**
 * What a document commit must do to the disk, and nothing else: two new files, a record, two renames, five flushes
 * (design workspace-engine 1). The least that any engine with these promises costs here. The caller closes it.
 */
export function openBareCommit(directory: string): {
  commit(text: string): Promise<void>
  close(): void
} {
  const folder = join(directory, 'bare')
  const versions = join(folder, 'versions')
  mkdirSync(versions, { recursive: true })
  const journal = openSync(join(folder, 'journal'), 'w')
  writeSync(journal, Buffer.alloc(JOURNAL_BYTES))
  fsyncSync(journal)
  const record = Buffer.alloc(RECORD_BYTES, 'x')
  const temp = join(folder, 'temp')
  let commits = 0
  const place = (text: string, path: string): void => {
    const file = openSync(temp, 'wx')
    writeFileSync(file, text)
    fsyncSync(file)
    closeSync(file)
    renameSync(temp, path)
  }
  const flushNames = (path: string): void => {
    const names = openSync(path, 'r')
    fsyncSync(names)
    closeSync(names)
  }
  return {
    commit: async (text) => {
      place(text, join(versions, String(commits)))
      flushNames(versions)
      writeSync(journal, record, 0, RECORD_BYTES, (commits * RECORD_BYTES) % (JOURNAL_BYTES - RECORD_BYTES))
      fdatasyncSync(journal)
      place(text, join(folder, 'plan.md'))
      flushNames(folder)
      commits += 1
    },
    close: () => closeSync(journal),
  }
}
