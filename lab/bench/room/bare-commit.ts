import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const ROWS_BYTES = 400 // what the record of a commit takes beside its text
const JOURNAL_BYTES = 1024 * 1024

/**
 * What a document commit must do, and nothing else: the file's replacement, a record with the text, a look whether the file
 * still holds the version before, a rename, three flushes (design workspace-engine 1, decisions 9 and 173). The least that
 * any engine with these promises costs here. The caller closes it.
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
  const [temp, document] = [join(folder, 'temp'), join(folder, 'plan.md')]
  let end = 0
  let newest = Buffer.alloc(0)
  writeFileSync(document, newest)
  const append = (content: Buffer): void => {
    const record = Buffer.allocUnsafe(content.length + ROWS_BYTES).fill('x', content.length)
    content.copy(record)
    // Without a checksum a record that a power cut tore passes for a whole one.
    record.writeUInt32LE(crc32(record.subarray(4)))
    if (end + record.length > JOURNAL_BYTES) end = 0
    writeSync(journal, record, 0, record.length, end)
    fdatasyncSync(journal)
    end += record.length
  }
  const stage = (content: Buffer): void => {
    const file = openSync(temp, 'wx')
    writeSync(file, content)
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
      const content = Buffer.from(text)
      stage(content)
      append(content)
      if (!readFileSync(document).equals(newest)) throw new Error('Another program wrote the file')
      renameSync(temp, document)
      flushNames()
      newest = content
    },
    close: () => closeSync(journal),
  }
}
