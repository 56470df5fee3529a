import { createHash } from 'node:crypto'
import type { FileFact } from './world-facts.ts'

/** Hashes a text with each of the line ends that git may check it out with. */
export interface LineEndHash {
  add(piece: Buffer): void
  /** `sha256:<hex>` of the text with LF only, then with CRLF only. None if it has a NUL: git leaves such files as they are. */
  digests(): readonly string[]
}

/** Takes the pieces of one file in their order. */
export function createLineEndHash(): LineEndHash {
  const [lf, crlf] = [createHash('sha256'), createHash('sha256')]
  let isBinary = false
  /** A CR at the end of a piece: an LF may follow. */
  let held = ''
  const take = (text: string): void => {
    const lines = text.replaceAll('\r\n', '\n')
    lf.update(lines, 'latin1')
    crlf.update(lines.replaceAll('\n', '\r\n'), 'latin1')
  }
  return {
    add(piece) {
      isBinary ||= piece.includes(0)
      if (isBinary) return
      // One character for each byte: the bytes of any encoding stay as they are.
      const text = held + piece.toString('latin1')
      held = text.endsWith('\r') ? '\r' : ''
      take(text.slice(0, text.length - held.length))
    },
    digests() {
      if (isBinary) return []
      take(held)
      return [lf, crlf].map((hash) => `sha256:${hash.digest('hex')}`)
    },
  }
}

/**
 * How a file agrees with a recorded digest, in lower case; undefined if its content is another. `line_ends`: it differs in nothing but
 * line ends, which checkouts of one commit do too (`core.autocrlf`).
 */
export function agreement(fact: FileFact | undefined, digest: string): 'bytes' | 'line_ends' | undefined {
  if (fact?.kind !== 'file' || fact.sha256 === undefined) return undefined
  if (fact.sha256 === digest) return 'bytes'
  return fact.byLineEnds?.includes(digest) ? 'line_ends' : undefined
}
