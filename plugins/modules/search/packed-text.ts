import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** A text as a segment holds it: an ingest keeps one for each module until the store is written. */
export interface PackedText {
  readonly bytes: Uint8Array
}

/** Packs a text; most shrink to a third. */
export function packText(text: string): PackedText {
  return { bytes: deflateRawSync(text, { level: 4 }) }
}

export function unpackText({ bytes }: PackedText): string {
  return inflateRawSync(bytes).toString('utf8')
}
