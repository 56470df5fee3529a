import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { pathToFileURL } from 'node:url'
import { refusals } from '../reasons.ts'
import { isPublicAddress } from './public-address.ts'
import { endpoint, type RemoteUrl } from './url.ts'

/** The source of a URL: the operator (configuration, command line), or a caller of REST or MCP. */
export type Trust =
  | { readonly kind: 'operator' }
  | {
      readonly kind: 'caller'
      /** `endpoint()` of every repository of the operator's own configuration, and the URLs themselves. */
      readonly known: ReadonlySet<string>
      /** The real path, where this caller may read it. Errors: `forbidden`/`path_refused`. */
      resolvePath(path: string): Promise<string>
      /** All addresses of a host; absent: the system's resolver. */
      resolveHost?(host: string): Promise<readonly string[]>
    }

/** Options that bind git to the address that was checked. */
export interface Admission {
  readonly remote: RemoteUrl
  readonly config: readonly string[]
  readonly sshOptions: readonly string[]
  /** True when `config` or `sshOptions` pin an address: needs git 2.37 or our own ssh command. */
  readonly pinned: boolean
  readonly warnings: readonly string[]
}

/**
 * Checks that the caller may use this URL.
 * Errors: `forbidden`/`host_refused` where a caller's host is not public; `forbidden`/`path_refused` for a local
 * path outside the caller's roots; `invalid`/`url_refused` for `http://` from a caller.
 */
export async function admit(remote: RemoteUrl, trust: Trust): Promise<Admission> {
  const free: Admission = { remote, config: [], sshOptions: [], pinned: false, warnings: [] }
  if (trust.kind === 'operator') {
    if (remote.scheme !== 'http') return free
    return { ...free, warnings: ['http is neither private nor checked for changes; prefer https.'] }
  }
  if (trust.known.has(remote.url)) return free
  if (remote.localPath !== undefined) {
    const localPath = await trust.resolvePath(remote.localPath)
    return { ...free, remote: { ...remote, localPath, fetchUrl: pathToFileURL(localPath).href } }
  }
  if (remote.scheme === 'http') {
    throw refusals.http_refused()
  }
  const at = endpoint(remote)
  if (at === undefined || remote.host === undefined) throw refusals.host_missing()
  const addresses = await admitHost(remote.host, at, trust)
  return addresses === undefined ? free : pinnedTo(remote, remote.host, at, addresses)
}

/**
 * The addresses at which this caller may reach a host; undefined: any. `at` is its `host:port`.
 * Errors: `forbidden`/`host_refused`, `unavailable`/`network`.
 */
export async function admitHost(
  host: string,
  at: string,
  trust: Trust,
): Promise<readonly string[] | undefined> {
  if (trust.kind === 'operator' || trust.known.has(at)) return undefined
  return await publicAddresses(host, trust.resolveHost ?? systemResolver)
}

/** Whether a host has an address that is not on the public internet; false where it cannot be resolved. */
export async function isPrivateHost(host: string): Promise<boolean> {
  const addresses = isIP(host) === 0 ? await systemResolver(host).catch(() => []) : [host]
  return addresses.some((address) => !isPublicAddress(address))
}

async function publicAddresses(
  host: string,
  resolveHost: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await resolved(host, resolveHost) : [host]
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return addresses
  throw refusals.host_refused()
}

async function resolved(
  host: string,
  resolveHost: (host: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await resolveHost(host)
  } catch (cause) {
    throw refusals.host_unresolved({ cause })
  }
}

async function systemResolver(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

function pinnedTo(remote: RemoteUrl, host: string, at: string, addresses: readonly string[]): Admission {
  const base = { remote, pinned: true, warnings: [] }
  const first = addresses[0] ?? ''
  if (remote.scheme === 'ssh') {
    return { ...base, config: [], sshOptions: [`HostName=${first}`, `HostKeyAlias=${host}`] }
  }
  const list = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',')
  const resolve = isIP(host) === 0 ? [`http.curloptResolve=${at}:${list}`] : []
  return { ...base, config: [...resolve, 'http.followRedirects=false'], sshOptions: [] }
}
