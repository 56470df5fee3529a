import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const RECORD_BYTES = 1024
const FILE_BYTES = 4 * 1024 * 1024

/** The least that a durable record costs on this disk. The bench that opened it closes it. */
export interface DiskFloor {
  write(): Promise<void>
  close(): void
}

/**
 * Writes records one behind the other over blocks that the file has already, as a journal does: a flush of an append
 * writes the file's new length too and takes half as long again.
 */
export function openDiskFloor(directory: string): DiskFloor {
  const file = openSync(join(directory, 'floor'), 'w')
  writeSync(file, Buffer.alloc(FILE_BYTES))
  fsyncSync(file)
  const record = Buffer.alloc(RECORD_BYTES, 'x')
  let at = 0
  return {
    write: async () => {
      writeSync(file, record, 0, RECORD_BYTES, at)
      fdatasyncSync(file)
      at = (at + RECORD_BYTES) % FILE_BYTES
    },
    close: () => closeSync(file),
  }
}
