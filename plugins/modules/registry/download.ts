/** Downloads the archive of a version, and asks whether it is still the one that was read. */
import { createHash } from 'node:crypto'
import { withRetries } from '../git/repository.ts'
import { refusals } from '../reasons.ts'
import { type HttpAnswer, type RegistryClient, requireTransport, statusFailure } from './http-client.ts'
import { type PackageAddress, parsePackageAddress } from './package-address.ts'

export type ArchiveAddress = Extract<PackageAddress, { readonly kind: 'archive' }>

export interface Archive {
  readonly bytes: Buffer
  readonly host: string
  readonly subdirectory: string
  /** What tells a later run that it is the same: lines of `name: value`. */
  readonly identity: string
}

export interface DownloadOptions {
  readonly client: RegistryClient
  readonly retryDelaysMs: readonly number[]
  readonly signal: AbortSignal
}

const MAX_BYTES = 64 * 1024 ** 2
const TOTAL_MS = 5 * 60_000
const ACCEPT = '*/*'
const FORMATS: readonly string[] = ['zip', 'tar.gz', 'tgz', 'tar']
/** An address may lead to an answer that names the next one, as a registry does. */
const MAX_ADDRESSES = 3
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/

/**
 * The archive at an address, its checksum verified where the address has one.
 * Errors: `conflict`/`checksum_mismatch`, `invalid`/`archive_refused`, `too_large`/`package_too_large`, those of the client.
 */
export async function downloadArchive(
  address: ArchiveAddress,
  options: DownloadOptions,
  left = MAX_ADDRESSES,
): Promise<Archive> {
  const { host } = address.url
  if (address.format !== undefined && !FORMATS.includes(address.format)) {
    throw refusals.archive_refused({ host, why: 'its form is not read; tar.gz and zip are' })
  }
  const answer = await getArchive(address, options)
  const next = answer.headers['x-terraform-get']
  if (typeof next === 'string') {
    const further = parsePackageAddress(next, answer.url)
    if (further.kind !== 'archive' || left <= 1)
      throw refusals.package_address_refused({ host, why: 'it leads to others' })
    const checksum = further.checksum ?? address.checksum
    return await downloadArchive({ ...further, ...(checksum && { checksum }) }, options, left - 1)
  }
  requireChecksum(address, answer)
  const { body: bytes } = answer
  return { bytes, host, subdirectory: address.subdirectory, identity: identityOf(address, answer) }
}

async function getArchive(
  { url }: ArchiveAddress,
  { client, ...options }: DownloadOptions,
): Promise<HttpAnswer> {
  requireTransport(url, url.host)
  return await withRetries(async () => {
    const answer = await client.get(url, { accept: ACCEPT, maxBytes: MAX_BYTES, totalMs: TOTAL_MS })
    if (answer.status === 404) throw refusals.registry_version_missing({ host: url.host })
    if (answer.status !== 200 && answer.status !== 204) throw statusFailure(answer)
    return answer
  }, options)
}

function requireChecksum({ checksum }: ArchiveAddress, { body, url: { host } }: HttpAnswer): void {
  if (checksum === undefined) return
  const { algorithm, digest } = checksum
  if (createHash(algorithm).update(body).digest('hex') !== digest) {
    throw refusals.checksum_mismatch({ host, algorithm })
  }
}

function identityOf({ checksum }: ArchiveAddress, { headers: { etag } }: HttpAnswer): string {
  if (checksum !== undefined) return `checksum: ${checksum.algorithm}:${checksum.digest}\n`
  return etag !== undefined && ETAG.test(etag) ? `etag: ${etag}\n` : ''
}

/**
 * Whether an address still leads to the archive with this identity. A server that tells nothing to compare counts as
 * unchanged: a registry does not change a version.
 */
export async function isSameArchive(
  { url, checksum }: ArchiveAddress,
  identity: string,
  { client, ...options }: DownloadOptions,
): Promise<boolean> {
  const stated = /^checksum: (.*)$/m.exec(identity)?.[1]
  if (checksum !== undefined || stated !== undefined) {
    return stated === (checksum && `${checksum.algorithm}:${checksum.digest}`)
  }
  const etag = /^etag: (.*)$/m.exec(identity)?.[1]
  if (etag === undefined) return true
  requireTransport(url, url.host)
  return await withRetries(async () => {
    const wishes = { accept: ACCEPT, maxBytes: MAX_BYTES, totalMs: TOTAL_MS, unlessEtag: etag }
    const answer = await client.get(url, wishes)
    if (answer.status !== 200 && answer.status !== 304) throw statusFailure(answer)
    return answer.status === 304 || answer.headers.etag === etag
  }, options)
}
