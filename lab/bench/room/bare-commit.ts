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

const ROWS_BYTES = 400 // what the record of a commit takes beside its text
const JOURNAL_BYTES = 1024 * 1024

/**
 * What a document commit must do to the disk, and nothing else: the file's replacement, a record with the text, a
 * rename, three flushes (design workspace-engine 1, decision 9). The least that any engine with these promises costs
 * here. The caller closes it.
 */
export function openBareCommit(directory: string): {
  commit(text: string): Promise<void>
  close(): void
} {
  const folder = join(directory, 'bare')
  mkdirSync(folder)
  const journal = openSync(join(folder, 'journal'), 'w')
  writeSync(journal, Buffer.alloc(JOURNAL_BYTES))
  fsyncSync(journal)
  const temp = join(folder, 'temp')
  let end = 0
  const append = (record: Buffer): void => {
    if (end + record.length > JOURNAL_BYTES) end = 0
    writeSync(journal, record, 0, record.length, end)
    fdatasyncSync(journal)
    end += record.length
  }
  const stage = (text: string): void => {
    const file = openSync(temp, 'wx')
    writeFileSync(file, text)
    fsyncSync(file)
    closeSync(file)
  }
  const flushNames = (): void => {
    const names = openSync(folder, 'r')
    fsyncSync(names)
    closeSync(names)
  }
  return {
    commit: async (text) => {
      stage(text)
      append(Buffer.from(text.padEnd(text.length + ROWS_BYTES, 'x')))
      renameSync(temp, join(folder, 'plan.md'))
      flushNames()
    },
    close: () => closeSync(journal),
  }
}
