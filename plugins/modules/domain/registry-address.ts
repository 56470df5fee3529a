/** The address of a module in a registry: `[host/]namespace/name/provider`. */

export interface RegistryAddress {
  /** `host/namespace/name/provider`: stored, printed and hashed into ids. */
  readonly url: string
  /** Lower case, with the port where one is written. */
  readonly host: string
  readonly namespace: string
  readonly name: string
  readonly provider: string
}

/** What an address without a host means. */
const PUBLIC_HOST = 'registry.terraform.io'
/** Both serve the same modules, and a call need not name them. */
const PUBLIC_HOSTS: readonly string[] = [PUBLIC_HOST, 'registry.opentofu.org']
/** `github.com/…` is an address of git in every call. */
const GIT_HOSTS: readonly string[] = ['github.com', 'bitbucket.org']

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const HOST = `(?:${LABEL}(?:\\.${LABEL})+(?::\\d{1,5})?|${LABEL}:\\d{1,5}|localhost)`
const NAME = '[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?'
const ADDRESS = new RegExp(`^(?:(${HOST})/)?(${NAME})/(${NAME})/([a-z0-9-]{1,64})$`)

/** Undefined for any other text: URLs, `user@host:path`, paths, addresses with a path or a version. */
export function parseRegistryAddress(text: string): RegistryAddress | undefined {
  const [, typedHost, namespace, name, provider] = ADDRESS.exec(text) ?? []
  if (namespace === undefined || name === undefined || provider === undefined) return undefined
  const host = (typedHost ?? PUBLIC_HOST).toLowerCase()
  if (GIT_HOSTS.includes(host)) return undefined
  return { url: `${host}/${namespace}/${name}/${provider}`, host, namespace, name, provider }
}

/** The URLs, in lower case, that name the same module: letter case does not count, and the public registries are one. */
export function registrySpellings({ host, namespace, name, provider }: RegistryAddress): readonly string[] {
  const hosts = PUBLIC_HOSTS.includes(host) ? PUBLIC_HOSTS : [host]
  return hosts.map((one) => [one, namespace, name, provider].join('/').toLowerCase())
}

/** The address as a call writes it: without the host of the default registry. */
export function callAddress({ url, host }: RegistryAddress): string {
  return host === PUBLIC_HOST ? url.slice(host.length + 1) : url
}
