/** Where a registry says that the files of a version are: an address in the language of `source`. */
import { queryParameter } from '../domain/module-source.ts'
import { parseDirectory } from '../git/directory.ts'
import { refusals } from '../reasons.ts'

/** `subdirectory` may hold `*`, which means the one directory with such a name. */
export type PackageAddress =
  | {
      readonly kind: 'git'
      readonly url: string
      /** Absent: the default branch. */
      readonly ref?: string
      readonly subdirectory: string
    }
  | {
      readonly kind: 'archive'
      readonly url: URL
      /** As `archive=` names it; absent: what the bytes are. */
      readonly format?: string
      readonly checksum?: Checksum
      readonly subdirectory: string
    }

export interface Checksum {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'
  /** Lower case hex. */
  readonly digest: string
}

const MAX_CHARS = 8192 // signed addresses are long
/** What is for the reader of an address, not for the server. */
const OWN_PARAMETERS = ['archive', 'checksum', 'filename']
const HEX_CHARS = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const

/**
 * Parses the address of a package; a relative one starts at `base`, the URL of the answer that had it.
 * Errors: `invalid`/`package_address_refused`; the message never repeats the address, which may hold a signature.
 */
export function parsePackageAddress(text: string, base: URL): PackageAddress {
  const refused = (why: string) => refusals.package_address_refused({ host: base.host, why })
  const address = text.trim()
  if (address === '') throw refused('it is empty')
  if (address.length > MAX_CHARS) throw refused(`it is longer than ${MAX_CHARS} characters`)
  if (/[\s\p{Cc}\\]/u.test(address)) throw refused('it holds white space, a backslash or control characters')
  const [, forced, rest = address] = /^([A-Za-z0-9]+)::(.*)$/.exec(address) ?? []
  const place = splitPlace(rest, forced === undefined ? base : undefined)
  const getter = forced?.toLowerCase() ?? getterOf(place.address)
  if (getter === 'git') return gitAddress(place, refused)
  if (getter === 'https' || getter === 'http') return archiveAddress(place, refused)
  throw refused('only git and archives over https are read')
}

interface Place {
  /** Without subdirectory and query. */
  readonly address: string
  readonly subdirectory: string
  readonly query: string
}

type Refused = (why: string) => Error

/** `address[//subdirectory][?query]`: the slashes after a scheme do not count. A path starts at `base`. */
function splitPlace(text: string, base: URL | undefined): Place {
  const [whole = '', query = ''] = text.split(/\?(.*)/s)
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(whole)?.[0] ?? ''
  const cut = whole.indexOf('//', scheme.length)
  const subdirectory = cut < 0 ? '' : whole.slice(cut + 2)
  const address = cut < 0 ? whole : whole.slice(0, cut)
  return {
    address: base !== undefined && /^\.{0,2}\//.test(address) ? new URL(address, base).href : address,
    subdirectory: parseDirectory(subdirectory.replace(/^\/+/, '')),
    query,
  }
}

/** What reads an address without `getter::` before it. */
function getterOf(address: string): string | undefined {
  if (/^[^@:/]+@[^:/]+:/.test(address) || /^(?:github\.com|gitlab\.com|bitbucket\.org)\//.test(address))
    return 'git'
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase()
  return scheme === 'ssh' || (scheme === 'https' && address.endsWith('.git')) ? 'git' : scheme
}

function gitAddress({ address, subdirectory, query }: Place, refused: Refused): PackageAddress {
  const url = /^(?:github\.com|gitlab\.com|bitbucket\.org)\//.test(address) ? `https://${address}` : address
  if (!/^(?:https?|ssh):\/\//i.test(url) && !/^[^@:/]+@/.test(url)) {
    throw refused('a git repository is read over https or ssh')
  }
  const ref = queryParameter(query, 'ref')
  return { kind: 'git', url, subdirectory, ...(ref !== undefined && { ref }) }
}

function archiveAddress({ address, subdirectory, query }: Place, refused: Refused): PackageAddress {
  if (!URL.canParse(address)) throw refused('it is not a URL')
  const url = new URL(address)
  if (url.username !== '' || url.password !== '') throw refused('it holds credentials')
  const format = queryParameter(query, 'archive')
  const stated = queryParameter(query, 'checksum')
  // What is left may be signed, and stays as it is written.
  url.search = query
    .split('&')
    .filter((pair) => !OWN_PARAMETERS.includes(pair.split('=', 1)[0] ?? ''))
    .join('&')
  return {
    kind: 'archive',
    url,
    subdirectory,
    ...(format !== undefined && { format }),
    ...(stated !== undefined && { checksum: parseChecksum(stated, refused) }),
  }
}

/** `algorithm:hex`, or hex alone, whose length tells the algorithm. */
function parseChecksum(text: string, refused: Refused): Checksum {
  const [, named, digest = ''] = /^(?:([a-z0-9]+):)?([0-9a-f]+)$/i.exec(text) ?? []
  const algorithms = Object.keys(HEX_CHARS) as (keyof typeof HEX_CHARS)[] // the keys of the table above
  const algorithm = algorithms.find(
    (one) => HEX_CHARS[one] === digest.length && (named === undefined || named.toLowerCase() === one),
  )
  if (algorithm === undefined) throw refused('its checksum is not an md5, sha1, sha256 or sha512 in hex')
  return { algorithm, digest: digest.toLowerCase() }
}
