import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { realDisk } from './disk.ts'
import { makeFolder } from './file-tree.ts'

/** A file that lines are added to. */
export interface DurableLines {
  /** Resolves when the line is on disk. Errors: the file system's own. */
  add(line: string): Promise<void>
}

interface Waiting {
  readonly line: string
  readonly settle: (failure?: unknown) => void
}

/**
 * Adds lines to `path` with mode 0600; one flush serves all lines that wait. The file is opened for each flush, so that
 * a program that rotates it needs no signal.
 */
export function createDurableLines(path: string): DurableLines {
  let waiting: Waiting[] = []
  let isFlushing = false
  const flush = async (): Promise<void> => {
    if (isFlushing) return
    isFlushing = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const failure = await append(path, batch.map(({ line }) => `${line}\n`).join('')).catch(
        (thrown: unknown) => thrown ?? new Error('not written'),
      )
      for (const { settle } of batch) settle(failure)
    }
    isFlushing = false
  }
  return {
    add: (line) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, settle: (failure) => (failure === undefined ? resolve() : reject(failure)) })
        void flush() // each line is told of a failure
      }),
  }
}

async function append(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path))
  const file = await open(path, 'a+', 0o600)
  try {
    await file.appendFile((await isTorn(file)) ? `\n${text}` : text)
    await realDisk.flush(file.fd)
  } finally {
    await file.close()
  }
  await realDisk.syncDirectory(dirname(path))
}

/** Reports whether the last line has no end, as after a write to a full disk: a further one would be lost in it. */
async function isTorn(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat()
  if (size === 0) return false
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}
