/** Reads archives as streams of entries, within bounds; nothing is unpacked to a disk. */
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { slicesOf } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { ArchiveEntry } from './archive-entry.ts'

/** What an archive may cost. */
const MAX_UNPACKED_BYTES = 256 * 1024 ** 2 // modules design 8: bytes read per ref
const MAX_ENTRIES = 100_000
/** Source code shrinks to a tenth; an archive that grows more than this many times is a trap. */
const MAX_RATIO = 200
/** Up to this size the ratio does not count. */
const SMALL_BYTES = 16 * 1024 ** 2

/**
 * The entries of a tar (plain or gzip) or zip archive, as its first bytes tell; `host` is who sent it.
 * Errors: `invalid`/`archive_refused`; `too_large`/`package_too_large`; those of the libraries for a damaged one.
 */
export async function* readArchive(bytes: Buffer, host: string): AsyncGenerator<ArchiveEntry> {
  const budget = createBudget(bytes.length, host)
  const format = formatOf(bytes, host)
  yield* format === 'zip' ? zipEntries(bytes, budget, host) : tarEntries(bytes, format, budget)
}

type Format = 'zip' | 'tar' | 'tar.gz'

const FOREIGN: readonly (readonly [string, RegExp])[] = [
  ['bzip2', /^BZh/],
  ['xz', /^\xfd7zXZ\0/],
  ['zstd', /^\x28\xb5\x2f\xfd/],
]

function formatOf(bytes: Buffer, host: string): Format {
  const start = bytes.toString('latin1', 0, 512)
  if (start.startsWith('\x1f\x8b')) return 'tar.gz'
  if (/^PK[\x03\x05][\x04\x06]/.test(start)) return 'zip'
  if (start.startsWith('ustar', 257)) return 'tar'
  const foreign = FOREIGN.find(([, magic]) => magic.test(start))?.[0]
  if (foreign !== undefined) {
    throw refusals.archive_refused({ host, why: `it is packed with ${foreign}; tar.gz and zip are read` })
  }
  const why = /^\s*</.test(start) ? 'it is a page of HTML' : 'it is neither tar.gz nor zip'
  throw refusals.archive_refused({ host, why })
}

interface Budget {
  /** Errors: `too_large`/`package_too_large`. */
  spend(bytes: number): void
  entry(): void
}

function createBudget(packed: number, host: string): Budget {
  let unpacked = 0
  let entries = 0
  const tooLarge = (why: string) => refusals.package_too_large({ host, why })
  return {
    spend(bytes) {
      unpacked += bytes
      if (unpacked > MAX_UNPACKED_BYTES) throw tooLarge('it unpacks to more than 256 MiB')
      if (unpacked > SMALL_BYTES && unpacked > packed * MAX_RATIO) {
        throw tooLarge(`it unpacks to more than ${MAX_RATIO} times its size`)
      }
    },
    entry() {
      entries += 1
      if (entries > MAX_ENTRIES) throw tooLarge(`it has more than ${MAX_ENTRIES} entries`)
    },
  }
}

async function* tarEntries(bytes: Buffer, format: Format, budget: Budget): AsyncGenerator<ArchiveEntry> {
  const unpacked = Readable.toWeb(Readable.from(unpackedPieces(bytes, format, budget)))
  const entries = unpacked.pipeThrough(createTarDecoder({ strict: true })) as AsyncIterable<ParsedTarEntry> // Node's streams are iterable
  for await (const { header, body } of entries) {
    budget.entry()
    const { name, type = 'file', size, linkname = '' } = header
    const content = () => body as unknown as AsyncIterable<Uint8Array> // as above
    yield { path: name, kind: TAR_KINDS[type] ?? 'other', size, target: linkname, content }
    await body.cancel()
  }
}

const TAR_KINDS: Readonly<Record<string, ArchiveEntry['kind']>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'link',
  link: 'hard_link',
  'pax-global-header': 'directory', // says something of the archive, and is not an entry
}

async function* unpackedPieces(bytes: Buffer, format: Format, budget: Budget): AsyncGenerator<Buffer> {
  const packed = Readable.from(slicesOf(bytes))
  const source: AsyncIterable<Buffer> = format === 'tar' ? packed : packed.pipe(createGunzip())
  for await (const piece of source) {
    budget.spend(piece.length)
    yield piece
  }
}

const TYPE_BITS = 0o170000
const LINK_BITS = 0o120000

async function* zipEntries(bytes: Buffer, budget: Budget, host: string): AsyncGenerator<ArchiveEntry> {
  const zip = await openZip(bytes)
  try {
    for (let entry = await nextEntry(zip); entry !== undefined; entry = await nextEntry(zip)) {
      budget.entry()
      if (entry.isEncrypted()) throw refusals.archive_refused({ host, why: 'it is encrypted' })
      budget.spend(entry.uncompressedSize)
      const mode = entry.externalFileAttributes >>> 16
      const isLink = (mode & TYPE_BITS) === LINK_BITS
      const current = entry
      const content = () => zipContent(zip, current)
      yield {
        path: entry.fileName,
        kind: entry.fileName.endsWith('/') ? 'directory' : isLink ? 'link' : 'file',
        size: entry.uncompressedSize,
        target: isLink ? await textOf(content()) : '',
        content,
      }
    }
  } catch (thrown) {
    // The library refuses such names itself.
    const isPath =
      thrown instanceof Error && /relative path|absolute path|characters in fileName/.test(thrown.message)
    throw isPath ? refusals.archive_path_refused({ host }, { cause: thrown }) : thrown
  } finally {
    zip.close()
  }
}

function openZip(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, zip) => {
      if (error) reject(error)
      else resolve(zip)
    })
  })
}

function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const settled =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        for (const [name, listener] of listeners) zip.off(name, listener)
        settle(value)
      }
    const listeners = [
      ['entry', settled(resolve)],
      ['end', settled(() => resolve(undefined))],
      ['error', settled(reject)],
    ] as const
    for (const [name, listener] of listeners) zip.on(name, listener)
    zip.readEntry()
  })
}

async function* zipContent(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await new Promise<Readable>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)))
  })
  yield* stream as AsyncIterable<Uint8Array>
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
