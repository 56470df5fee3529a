/** Which hosts may be reached on behalf of one registry, and at which addresses. */
import type { LookupFunction } from 'node:net'
import { isIP } from 'node:net'
import { admitHost, isPrivateHost, type Trust } from '../git/admission.ts'
import { refusals } from '../reasons.ts'
import { type RegistryRemote, remoteEndpoint } from './remote.ts'

export interface Reach {
  /** Whether this is the host of the registry itself. */
  isOwn(url: URL): boolean
  /** The trust in addresses that the registry gives out, of git repositories too. */
  readonly named: Trust
  /**
   * How to resolve the host of a URL so that only a permitted address is connected; undefined: as the system does.
   * Errors: `forbidden`/`host_refused`, `unavailable`/`network`.
   */
  resolverOf(url: URL): Promise<LookupFunction | undefined>
}

/**
 * A registry that the operator names may be anywhere; what a registry on the public internet names has to be there too,
 * unless the configuration (`known`: `host:port`) names its host. A caller's registry is bound like a caller's git host.
 */
export async function openReach(
  remote: RegistryRemote,
  trust: Trust,
  known: ReadonlySet<string>,
): Promise<Reach> {
  const own = remoteEndpoint(remote)
  const named = trust.kind === 'operator' ? await trustInNamed(remote, known) : trust
  const isOwn = (url: URL): boolean => endpointOf(url) === own
  return {
    isOwn,
    named,
    async resolverOf(url) {
      const host = hostOf(url)
      const addresses = await admitHost(host, endpointOf(url), isOwn(url) ? trust : named)
      return addresses && pinnedLookup(addresses)
    },
  }
}

async function trustInNamed(remote: RegistryRemote, known: ReadonlySet<string>): Promise<Trust> {
  if (await isPrivateHost(hostOf(new URL(`https://${remote.host}`)))) return { kind: 'operator' }
  const resolvePath = async (): Promise<string> => {
    throw refusals.package_address_refused({ host: remote.host, why: 'it is a path on this machine' })
  }
  return { kind: 'caller', known, resolvePath }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** `host:port` in the form of `remoteEndpoint`. */
function endpointOf(url: URL): string {
  return `${hostOf(url)}:${url.port || (url.protocol === 'http:' ? 80 : 443)}`
}

/** Whether a URL stays on this machine: only there http is spoken. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const rows = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, answer) => {
    const [first] = rows
    if (all === true) answer(null, rows)
    else answer(null, first?.address ?? '', first?.family)
  }
}
