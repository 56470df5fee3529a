import { parseRegistryAddress, type RegistryAddress } from '../domain/registry-address.ts'
import { endpoint, nameFromUrl, parseRemoteUrl, type RemoteUrl } from '../git/url.ts'
import { refusals } from '../reasons.ts'

/** A module of a registry, as a remote whose tags are its versions. */
export interface RegistryRemote extends RegistryAddress {
  readonly scheme: 'registry'
}

/** What an entry of the configuration names. */
export type Remote = RemoteUrl | RegistryRemote

/**
 * Parses the `url` of an entry: the address of a module in a registry, or the URL of a git repository.
 * Errors: `invalid`/`url_refused`, as `parseRemoteUrl` has them.
 */
export function parseRemote(typed: string, workingDirectory: string): Remote {
  const address = parseRegistryAddress(typed)
  if (address !== undefined && isPlainHost(address.host)) return { ...address, scheme: 'registry' }
  const [base = ''] = typed.split(/\/\/|\?/, 1)
  if (parseRegistryAddress(base) !== undefined) {
    throw refusals.url_refused({
      why: 'a registry address has no path and no version here; give them as path and branches',
    })
  }
  return parseRemoteUrl(typed, workingDirectory)
}

/** Whether a host is what it looks like, and no other spelling of an address (`0x7f.1`). */
function isPlainHost(host: string): boolean {
  try {
    return new URL(`http://${host}/`).host === host
  } catch {
    return false
  }
}

/** `host:port` in a comparable form, undefined for a local repository. */
export function remoteEndpoint(remote: Remote): string | undefined {
  if (remote.scheme !== 'registry') return endpoint(remote)
  return remote.host.includes(':') ? remote.host : `${remote.host}:443`
}

/** What a repository is called unless the configuration names it: a module of a registry as its repository would be. */
export function nameOfRemote(remote: Remote): string {
  if (remote.scheme !== 'registry') return nameFromUrl(remote.url)
  return `terraform-${remote.provider}-${remote.name}`
}
