import { join } from 'node:path'
import type { Disk } from '../../../server/plugin.ts'
import { recordLost, storeDamaged } from './damage.ts'
import { journalPath } from './journal.ts'
import { type Codec, type JournalRecord, type JournalScan, journalCodec } from './journal-record.ts'
import { createJournalTexts, type JournalTexts } from './journal-texts.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Sql } from './sql.ts'
import type { Found, StoreContent } from './store.ts'

export const IMAGE_NAME = 'room.db'

export interface TornTail {
  readonly generation: number
  /** Where the good records end. */
  readonly length: number
  readonly bytes: number
}

/** The room as it was kept, in memory; nothing was written. */
export interface Recovered {
  readonly ledger: Ledger
  /** What the replayed records brought and gave up. */
  readonly texts: JournalTexts
  readonly found: Found
  /** No image: nothing was ever acknowledged here. */
  readonly created: boolean
  /** The image's generation; 0 when created. */
  readonly generation: number
  /** Generations whose journals exist, ascending. */
  readonly journals: readonly number[]
  readonly torn: TornTail | undefined
}

/** A checkpoint and the journals that were kept with it, however. */
export interface Kept {
  readonly image: Uint8Array | undefined
  /** Generations whose journals exist, ascending. */
  readonly journals: readonly number[]
  read(generation: number): Buffer
}

/** Reads checkpoint and journals in files; see `recoverKept`. */
export async function recover(
  disk: Disk,
  sidecar: string,
  sql: Sql,
  content: StoreContent,
  codec: Codec = journalCodec,
): Promise<Recovered> {
  const journals = await journalGenerations(disk, sidecar)
  const imagePath = join(sidecar, IMAGE_NAME)
  const image = disk.statSync(imagePath) ? disk.readFileSync(imagePath) : undefined
  const read = (generation: number): Buffer => disk.readFileSync(journalPath(sidecar, generation))
  return recoverKept({ image, journals, read }, sql, { content, codec })
}

/**
 * Reads checkpoint and journals. Errors: `unavailable`/`store_damaged` with `details` `{file, offset?, seq?}` when an
 * acknowledged record cannot be read; `invalid`/`unsupported_version` when a newer satchel wrote it.
 */
export function recoverKept(
  { image, journals, read: bytesOf }: Kept,
  sql: Sql,
  { content, codec }: { readonly content: StoreContent; readonly codec: Codec },
): Recovered {
  const { schema, statements } = content
  const read = (generation: number, firstSeq: number): JournalScan =>
    codec.scan(bytesOf(generation), generation, firstSeq)
  const texts = createJournalTexts()
  if (!image) {
    refuseOrphans(journals, read)
    const ledger = openLedger(sql, schema, statements)
    return { ledger, texts, found: 'fresh', created: true, generation: 0, journals, torn: undefined }
  }
  const ledger = openLedger(sql, schema, statements, image)
  const generation = ledger.generation()
  const { records, torn } = readJournals(read, generation, ledger.meta.seq, journals)
  if (records.length > 0) ledger.replay(records)
  for (const record of records) texts.apply(record)
  const clean = records.length === 0 && !torn && journals.length === 1
  const found = ledger.meta.version === 0 ? 'fresh' : clean ? 'clean' : 'unclean'
  return { ledger, texts, found, created: false, generation, journals, torn }
}

async function journalGenerations(disk: Disk, sidecar: string): Promise<readonly number[]> {
  const names = disk.statSync(sidecar) ? await disk.list(sidecar) : []
  return names
    .flatMap((name) => /^journal-(\d{1,15})\.log$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

type ReadJournal = (generation: number, firstSeq: number) => JournalScan

function readJournals(
  read: ReadJournal,
  generation: number,
  imageSeq: number,
  journals: readonly number[],
): { records: JournalRecord[]; torn: TornTail | undefined } {
  // Its name was durable before the image was renamed into place: without it records are missing.
  if (!journals.includes(generation)) {
    throw storeDamaged('The journal of the checkpoint is missing.', { file: `journal-${generation}.log` })
  }
  const records: JournalRecord[] = []
  let torn: TornTail | undefined
  for (const at of journals.filter((found) => found >= generation)) {
    const scan = read(at, imageSeq + records.length + 1)
    if (scan.end.kind === 'damaged') throw hole(at, scan.end.offset, scan.end.seq)
    // The next generation begins only when this one is flushed: what follows a hole was acknowledged with it.
    if (torn && scan.records.length > 0) {
      throw hole(torn.generation, torn.length, imageSeq + records.length + 1)
    }
    for (const record of scan.records) records.push(record)
    if (scan.end.kind === 'torn') torn ??= { generation: at, length: scan.length, bytes: scan.end.bytes }
  }
  return { records, torn }
}

function hole(generation: number, offset: number, seq: number): Error {
  return recordLost({ file: `journal-${generation}.log`, offset, seq })
}

/** Without an image only the empty journals of interrupted creations may be there. */
function refuseOrphans(journals: readonly number[], read: ReadJournal): void {
  for (const generation of journals) {
    const scan = read(generation, 1)
    if (scan.records.length > 0 || scan.end.kind === 'damaged') {
      throw storeDamaged('The room has a journal but no checkpoint.', { file: IMAGE_NAME })
    }
  }
}
