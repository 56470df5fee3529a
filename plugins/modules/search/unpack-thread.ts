import { Worker } from 'node:worker_threads'
import {
  damaged,
  type PackedVectors,
  type RawRecord,
  startUnpacking,
  withoutVector,
} from './packed-vectors.ts'

/** Records in one message: a few megabytes, some milliseconds of copying. */
const PORTION = 250

/** The thread is given as text, so that it works the same from source, from a bundle and under a loader. */
const THREAD = `
const { readFileSync } = require('node:fs')
const { parentPort, workerData } = require('node:worker_threads')
let parsed
try { parsed = JSON.parse(readFileSync(workerData.file, 'utf8')) } catch {}
const items = parsed && Array.isArray(parsed.items) ? parsed.items : undefined
const dims = parsed && parsed.satchel ? parsed.satchel.dims : undefined
parentPort.on('message', ({ from, count }) => {
  const rows = items.slice(from, from + count).map((item) => item || {})
  const vectors = new Float32Array(rows.length * dims)
  const damaged = rows.findIndex(({ vector }) => !Array.isArray(vector) || vector.length !== dims)
  if (damaged < 0) rows.forEach(({ vector }, row) => vectors.set(vector, row * dims))
  const records = rows.map(({ id, metadata }) => ({ id, metadata }))
  parentPort.postMessage({ records, vectors, damaged }, [vectors.buffer])
})
parentPort.postMessage({ satchel: parsed && parsed.satchel, count: items && items.length })
`

interface Head {
  readonly satchel: unknown
  readonly count: number | undefined
}

interface Portion {
  readonly records: readonly RawRecord[]
  readonly vectors: Float32Array
  /** The row whose vector is none, -1 when all are. */
  readonly damaged: number
}

/**
 * Reads a store's file in a thread of its own and receives its records in portions, so that a large file does not block
 * other work. The same result as `unpackStore`.
 * Errors: `conflict`/`store_damaged`.
 */
export async function unpackInThread(file: string): Promise<PackedVectors> {
  const thread = new Worker(THREAD, { eval: true, workerData: { file }, execArgv: [] })
  try {
    const { satchel, count } = await nextMessage<Head>(thread)
    if (count === undefined) throw damaged(file, 'it is no whole JSON')
    const unpacking = startUnpacking(satchel, count, file)
    for (let from = 0; from < count; from += PORTION) {
      thread.postMessage({ from, count: PORTION })
      const { records, vectors, damaged: bad } = await nextMessage<Portion>(thread)
      if (bad >= 0) throw withoutVector(file, from + bad, unpacking.header.dims)
      unpacking.vectors.set(vectors, from * unpacking.header.dims)
      unpacking.add(records)
    }
    return unpacking.finish()
  } finally {
    await thread.terminate()
  }
}

function nextMessage<T>(thread: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      thread.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit')
      finish()
    }
    thread.once('message', (message: T) => settle(() => resolve(message)))
    thread.once('error', (error) => settle(() => reject(error)))
    thread.once('exit', () => settle(() => reject(new Error('The thread that reads the vectors ended.'))))
  })
}
