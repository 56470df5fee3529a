import { createHash } from 'node:crypto'
import type { ModuleSummary } from '../domain/summary.ts'

/** A summary as its file holds it, in pieces that may be shared with other summaries: do not modify them. */
export interface PrintedSummary {
  readonly pieces: readonly Uint8Array[]
  /** Of the whole file, hex. */
  readonly sha256: string
}

/** A summary as 2-space JSON with a final newline. */
export function printSummary(summary: ModuleSummary): PrintedSummary {
  return printed([Buffer.from(`${JSON.stringify(summary, null, 2)}\n`)])
}

/** Fields that fill most of a summary, each a piece of its own. */
const LARGE = new Set(['variables', 'outputs', 'resources', 'data', 'readme_content'])
/** Limit for the kept fields of earlier summaries. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

/** Prints the summaries of a run. */
export interface SummaryPrinter {
  /**
   * Prints as `printSummary` does, byte for byte. A large field that holds the same text, or the very same rows, as in
   * the last summary of this directory is not printed again: most files stay as they are from one ref to the next.
   */
  print(summary: ModuleSummary): PrintedSummary
  /** Forgets the fields of a repository, and with them everything that was read of its files. */
  forget(repository: string): void
}

/** Remembers fields until `forget`, or until they are more than it keeps. */
export function createSummaryPrinter(): SummaryPrinter {
  const fields = createFieldMemory()
  const print = (summary: ModuleSummary): PrintedSummary => {
    const pieces: Uint8Array[] = []
    let open = '{\n'
    let separator = ''
    for (const [key, value] of Object.entries(summary)) {
      if (value === undefined) continue
      open += `${separator}  ${JSON.stringify(key)}: `
      separator = ',\n'
      if (LARGE.has(key)) {
        const place = [summary.repository, summary.path, key].join('\0')
        pieces.push(Buffer.from(open), fields.bytesOf(place, value))
        open = ''
      } else open += fieldText(value)
    }
    pieces.push(Buffer.from(`${open}\n}\n`))
    return printed(pieces)
  }
  return { print, forget: (repository) => fields.forget(`${repository}\0`) }
}

/** A value as printed inside an object: `{\n  "": …\n}` without the surrounding text. */
function fieldText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return JSON.stringify({ '': value }, null, 2).slice('{\n  "": '.length, -'\n}'.length)
}

interface Kept {
  readonly value: unknown
  readonly bytes: Buffer
}

/** The last value and bytes of each place, the oldest forgotten first. */
function createFieldMemory() {
  const kept = new Map<string, Kept>()
  let bytesKept = 0
  const drop = (place: string, known: Kept | undefined): void => {
    if (kept.delete(place)) bytesKept -= known?.bytes.length ?? 0
  }
  return {
    forget(prefix: string): void {
      for (const [place, known] of kept) if (place.startsWith(prefix)) drop(place, known)
    },
    bytesOf(place: string, value: unknown): Buffer {
      const known = kept.get(place)
      if (known !== undefined && isSame(known.value, value)) return known.bytes
      const bytes = Buffer.from(fieldText(value))
      drop(place, known)
      kept.set(place, { value, bytes })
      bytesKept += bytes.length
      for (const [oldest, old] of kept) {
        if (bytesKept <= MAX_KEPT_BYTES) break
        drop(oldest, old)
      }
      return bytes
    },
  }
}

/** Rows are compared by identity: equal copies are printed again, with the same result. */
function isSame(known: unknown, value: unknown): boolean {
  if (!Array.isArray(known) || !Array.isArray(value)) return known === value
  return known.length === value.length && known.every((row, at) => row === value[at])
}

function printed(pieces: readonly Uint8Array[]): PrintedSummary {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return { pieces, sha256: hash.digest('hex') }
}
