import { createHash } from 'node:crypto'
import { type FileHandle, realpath } from 'node:fs/promises'
import { isAbsolute, join, win32 } from 'node:path'
import { isInside, openToRead, systemCode } from '../../../server/plugin.ts'
import { createLineEndHash } from '../domain/line-ends.ts'
import { withSlashes } from '../domain/path-pattern.ts'
import type { FileFact } from '../domain/world-facts.ts'
import { placeOf } from './read-file.ts'

// design handoff, section 7
const MAX_FILES = 1000
const MAX_BYTES = 10 * 1024 * 1024
const LIMIT_MS = 2000

const NO_DIGESTS: ReadonlySet<string> = new Set()

/**
 * The file at each path of a record, hashed if it is inside `root`. Nothing outside the root is read, even if a path
 * is replaced by a link during the check. After `limitMs` or 1,000 files the rest is `unhashed`.
 */
export function fileFacts(
  root: string,
  paths: readonly string[],
  now: () => number,
  limitMs = LIMIT_MS,
): Promise<ReadonlyMap<string, FileFact>> {
  return comparedFacts(root, new Map(paths.map((path) => [path, NO_DIGESTS])), now, limitMs)
}

/**
 * As `fileFacts`, for a comparison with recorded digests, in lower case: where one is not that of the bytes, the
 * file is also hashed with other line ends.
 */
export async function comparedFacts(
  root: string,
  recorded: ReadonlyMap<string, ReadonlySet<string>>,
  now: () => number,
  limitMs = LIMIT_MS,
): Promise<ReadonlyMap<string, FileFact>> {
  const realRoot = await realpath(root)
  const deadline = now() + limitMs
  const facts = new Map<string, FileFact>()
  for (const [path, digests] of recorded) {
    if (facts.size >= MAX_FILES) facts.set(path, { kind: 'file', unhashed: 'too_many' })
    else if (now() > deadline) facts.set(path, { kind: 'file', unhashed: 'out_of_time' })
    else facts.set(path, await factOf(realRoot, path, digests))
  }
  return facts
}

async function factOf(realRoot: string, path: string, digests: ReadonlySet<string>): Promise<FileFact> {
  const wanted = isAbsolute(path) ? path : join(realRoot, path)
  const detail = outsideBecause(realRoot, path, wanted)
  if (detail !== undefined) return { kind: 'outside', detail }
  try {
    const real = await realpath(wanted)
    if (!isInside(real, realRoot)) return { kind: 'outside', detail: 'a link to a place outside the project' }
    return await hashed(realRoot, real, digests)
  } catch (thrown) {
    const code = systemCode(thrown)
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
      const elsewhere = withSlashes(path)
      return elsewhere === path ? { kind: 'missing' } : factOf(realRoot, elsewhere, digests)
    }
    if (code === 'ELOOP') return { kind: 'outside', detail: 'a link that cannot be resolved' }
    if (code === 'EACCES' || code === 'EPERM') return { kind: 'file' }
    throw thrown
  }
}

/** Why a path names nothing in the project; undefined if it may. */
function outsideBecause(realRoot: string, path: string, wanted: string): string | undefined {
  if (path.includes('\0')) return 'the path contains a NUL'
  if (win32.isAbsolute(path) && !isAbsolute(path)) return 'an absolute path of another machine'
  if (isInside(wanted, realRoot)) return undefined
  return isAbsolute(path) ? 'an absolute path outside the project' : 'a path outside the project'
}

/** Opens the resolved path and checks its place: a link created meanwhile is refused before a byte is read. */
async function hashed(realRoot: string, real: string, digests: ReadonlySet<string>): Promise<FileFact> {
  const file = await openToRead(real)
  try {
    const opened = await file.stat()
    const place = await placeOf(file, real)
    if (place === undefined || !isInside(place, realRoot)) {
      return { kind: 'outside', detail: 'a link to a place outside the project' }
    }
    if (opened.isDirectory()) return { kind: 'directory' }
    if (!opened.isFile()) return { kind: 'file' }
    if (opened.size > MAX_BYTES) return { kind: 'file', unhashed: 'too_big' }
    const sha256 = (opened.size <= MAX_POINTER_BYTES && (await pointedAt(file))) || (await digest(file))
    if ([...digests].every((recorded) => recorded === sha256)) return { kind: 'file', sha256 }
    return { kind: 'file', sha256, byLineEnds: await digestsByLineEnds(file) }
  } finally {
    await file.close()
  }
}

/** The largest pointer of git-lfs, by its specification. */
const MAX_POINTER_BYTES = 1024
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n(?:[a-z0-9.-]+ .*\n)*?oid (sha256:[0-9a-f]{64})\r?\n/

/** The digest of the file in whose place a clone without git-lfs has a pointer: it is the same file. */
async function pointedAt(file: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_POINTER_BYTES), 0, MAX_POINTER_BYTES, 0)
  return POINTER.exec(buffer.toString('latin1', 0, bytesRead))?.[1]
}

async function digest(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of piecesOf(file)) hash.update(piece)
  return `sha256:${hash.digest('hex')}`
}

async function digestsByLineEnds(file: FileHandle): Promise<readonly string[]> {
  const hash = createLineEndHash()
  for await (const piece of piecesOf(file)) hash.add(piece)
  return hash.digests()
}

/** The bytes from the start of the file. A piece is overwritten by the next one. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) return
    yield chunk.subarray(0, bytesRead)
    position += bytesRead
  }
}
