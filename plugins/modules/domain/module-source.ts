/** Parses the `source` of a module call and finds the indexed module that it names. */
import { posix } from 'node:path'
import { newestAdmitted } from './constraint.ts'
import { spellingsOf } from './nearest-names.ts'
import { parseRegistryAddress, registrySpellings } from './registry-address.ts'

/** A parsed `source`. `repository` is `host/path`, without scheme, user and `.git`. */
export type ModuleSource =
  | { readonly kind: 'git'; readonly repository: string; readonly path: string; readonly ref?: string }
  | {
      readonly kind: 'registry'
      /** The repository that usually publishes it; where the index has one of `addresses`, that is meant. */
      readonly repository: string
      readonly addresses: readonly string[]
      readonly path: string
      /** Only in Terragrunt's form; otherwise the block has an argument of this name. */
      readonly version?: string
    }
  | { readonly kind: 'local' }
  | { readonly kind: 'other' }

type GitOrRegistry = ModuleSource & { readonly kind: 'git' | 'registry' }

/** What the index knows of one module version. */
export interface IndexedModule {
  readonly id: string
  readonly repository: string
  readonly ref: string
  readonly ref_kind: 'branch' | 'tag'
  readonly path: string
  readonly commit: string
  /** Whether this is the ref that `latest` means for the repository and path. */
  readonly latest: boolean
}

/**
 * The target of a call: an indexed version, the start of the id of its commit, a ref that is not indexed, or nothing that
 * the index knows.
 */
export type Resolution =
  | { readonly kind: 'found'; readonly module: IndexedModule }
  | { readonly kind: 'short_commit'; readonly ref: string; readonly module: IndexedModule }
  | {
      readonly kind: 'unknown_ref'
      readonly ref: string
      readonly latest?: IndexedModule | undefined
      /** The ref that is there, with or without the "v" that this one lacks or has. */
      readonly meant?: string | undefined
      /** A sentence: why it could not be read either. */
      readonly why?: string | undefined
      /** Whether the repository is known not to have it. */
      readonly isMissing?: boolean
    }
  | { readonly kind: 'not_indexed' }
  /** The source or version is an expression. */
  | { readonly kind: 'computed' }
  /** The ref was read, and has no module in that directory; `why` is the sentence that says so. */
  | { readonly kind: 'no_module'; readonly why: string }
  /** A registry address that fits repositories of several hosts. */
  | { readonly kind: 'ambiguous'; readonly repositories: readonly string[] }
  | { readonly kind: 'local' }

/** Terragrunt writes registry addresses as `tfr://[host]/namespace/name/provider?version=…`. */
const TERRAGRUNT = /^tfr:\/\/\/?/
const HOSTED = /^(?:github\.com|gitlab\.com|bitbucket\.org)\//

/** Registry addresses of repositories whose URL does not tell them: address -> URL, `owner/name` or name. */
export type RegistryAliases = Readonly<Record<string, string>>

/** Parses a source address: git URLs in all their spellings, registry addresses, local paths. */
export function parseSource(text: string, aliases: RegistryAliases = {}): ModuleSource {
  const source = text.trim()
  if (/^\.{1,2}\//.test(source) || source === '.' || source === '..') return { kind: 'local' }
  const [address = '', query = ''] = source.split('?', 2)
  const { base, path } = splitPath(address)
  const registry = HOSTED.test(base) ? undefined : parseRegistryAddress(base.replace(TERRAGRUNT, ''))
  if (registry !== undefined) {
    const { namespace, name, provider } = registry
    const alias = aliasOf(base, aliases)
    const repository =
      alias === undefined
        ? `${namespace}/terraform-${provider}-${name}`.toLowerCase()
        : canonicalRepository(alias)
    const version = TERRAGRUNT.test(base) ? asTerraform(query, 'version') : undefined
    const addresses = registrySpellings(registry)
    return { kind: 'registry', repository, addresses, path, ...(version !== undefined && { version }) }
  }
  const repository = canonicalRepository(base)
  if (!repository.includes('/')) return { kind: 'other' }
  const ref = asTerraform(query, 'ref')
  return { kind: 'git', repository, path, ...(ref !== undefined && ref !== 'HEAD' && { ref }) }
}

/** The name of a branch or tag without a prefix that git accepts: `v1` of `refs/tags/v1` and `tags/v1`. */
export function shortRef(ref: string): string {
  return ref.replace(/^(?:refs\/(?:tags|heads)|tags)\//, '')
}

/** The public registries may be left out of an address. */
const PUBLIC_REGISTRY = /^(?:tfr:\/\/\/?|(?:tfr:\/\/)?registry\.(?:terraform\.io|opentofu\.org)\/|tfr:\/\/)/

function aliasOf(address: string, aliases: RegistryAliases): string | undefined {
  const plain = (text: string): string => text.trim().toLowerCase().replace(PUBLIC_REGISTRY, '')
  const wanted = plain(address)
  return Object.entries(aliases).find(([key]) => plain(key) === wanted)?.[1]
}

/** A parameter of a query as Terraform reads it: a plus sign is a blank. */
function asTerraform(query: string, name: string): string | undefined {
  return new URLSearchParams(query).get(name) || undefined
}

/** A parameter of a query, undefined where it is absent or empty; a plus sign is not a blank. */
export function queryParameter(query: string, name: string): string | undefined {
  return new URLSearchParams(query.replaceAll('+', '%2B')).get(name) || undefined
}

/** `base//path`: the double slash after the scheme does not count. */
export function splitPath(address: string): { base: string; path: string } {
  const scheme = address.indexOf('://')
  const cut = address.indexOf('//', scheme === -1 ? 0 : scheme + 3)
  if (cut === -1) return { base: address, path: '.' }
  return {
    base: address.slice(0, cut),
    path: posix.normalize(address.slice(cut + 2)).replace(/^\/+|\/+$/g, '') || '.',
  }
}

/**
 * One spelling for every address of a repository: `host/path` in lower case; a local one is its path. Azure DevOps and
 * Bitbucket Server name one repository differently over https and ssh.
 */
export function canonicalRepository(url: string): string {
  return plainAddress(url).toLowerCase()
}

/** Servers of these hosts ignore case, and any user reads the same repositories. */
const FORGES = /^(?:github\.com|gitlab\.com|bitbucket\.org|dev\.azure\.com)\//

/**
 * Equal for the spellings of one repository, and never for two that a server may tell apart: what is cloned once. As
 * `canonicalRepository`, but paths keep their case except at the well-known hosts, ssh users other than `git` count, and a
 * local repository is its path, and `http:`, which not everyone may use, is not `https:`. A module of a registry is no
 * repository of the same host.
 */
export function repositoryKey(url: string): string {
  const registry = parseRegistryAddress(url)
  if (registry !== undefined) return `registry:${registry.url.toLowerCase()}`
  const local = /^(?:file:\/\/)?(\/.*?)\/*$/i.exec(url)?.[1]
  if (local !== undefined) return /^file:/i.test(url) ? decoded(local) : local
  const address = `${/^http:/i.test(url) ? 'http://' : ''}${plainAddress(url)}`
  if (FORGES.test(address.toLowerCase())) return address.toLowerCase()
  const user = /^(?:ssh:\/\/)?([^/@:]+)@/i.exec(url)?.[1] ?? 'git'
  return user === 'git' ? address : `${user}@${address}`
}

/** `host/path` as it is written. */
function plainAddress(url: string): string {
  const plain = url.replace(/^git::/, '')
  const withoutScheme = plain.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const slashed =
    plain === withoutScheme ? withoutScheme.replace(/^([^/:]+):(?!\d+\/)/, '$1/') : withoutScheme
  const withoutUser = slashed.replace(/^[^/@]*@/, '')
  const ownPorts = Object.entries(OWN_PORTS).find(([scheme]) => plain.toLowerCase().startsWith(scheme))?.[1]
  const host = ownPorts === undefined ? withoutUser : withoutUser.replace(ownPorts, '$1/')
  const path = decoded(host)
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
    .replace(/\/{2,}/g, '/')
  return SPELLINGS.reduce((text, { written, means }) => text.replace(written, means), path)
}

/** Ports that may be left out: those of the schemes, and that of Bitbucket Server. */
const OWN_PORTS = {
  'ssh:': /^([^/:]+):(?:22|7999)\//,
  'https:': /^([^/:]+):443\//,
  'http:': /^([^/:]+):80\//,
} as const

const SPELLINGS: readonly { readonly written: RegExp; readonly means: string }[] = [
  // Azure DevOps: ssh, its former ssh and web hosts, and a repository with the name of its project
  { written: /^(?:ssh\.dev\.azure\.com|vs-ssh\.visualstudio\.com)\/v3\//i, means: 'dev.azure.com/' },
  { written: /^([a-z0-9-]+)\.visualstudio\.com\/(?:defaultcollection\/)?/i, means: 'dev.azure.com/$1/' },
  { written: /^(dev\.azure\.com\/[^/]+)\/_git\/([^/]+)$/i, means: '$1/$2/$2' },
  { written: /^(dev\.azure\.com\/[^/]+\/[^/]+)\/_git\//i, means: '$1/' },
  // Bitbucket Server over https
  { written: /^([^/]+)\/scm\/([^/]+\/[^/]+)$/i, means: '$1/$2' },
]

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The indexed module that a call means; a ref may be a commit. Without a ref: its branch, else its `latest`.
 * A registry address means the repository `terraform-<provider>-<name>` of its namespace, and the newest tag that
 * `version` admits.
 */
export function resolveSource(
  source: ModuleSource,
  version: string | undefined,
  index: readonly IndexedModule[],
): Resolution {
  if (source.kind === 'local') return { kind: 'local' }
  if (source.kind === 'other') return { kind: 'not_indexed' }
  const fitting = index.filter(
    (module) => module.path === source.path && isRepositoryOf(source, module.repository),
  )
  const candidates = ofOwnAddress(source, fitting, ({ repository }) => repository)
  const latest = candidates.find((module) => module.latest) ?? candidates[0]
  if (latest === undefined) return { kind: 'not_indexed' }
  const repositories = new Map(
    candidates.map(({ repository }) => [canonicalRepository(repository), repository]),
  )
  if (repositories.size > 1) return { kind: 'ambiguous', repositories: [...repositories.values()] }
  if (source.kind === 'registry') return resolveVersion(source.version ?? version, candidates, latest)
  // A registry may have the host of git repositories, as gitlab.com has.
  if (parseRegistryAddress(latest.repository)) return resolveVersion(version, candidates, latest)
  const { ref } = source
  if (ref === undefined) {
    return { kind: 'found', module: candidates.find((module) => module.ref_kind === 'branch') ?? latest }
  }
  const short = shortRef(ref)
  const wanted = new Set([ref, short, `refs/tags/${short}`, `refs/heads/${short}`])
  const module = candidates.find((candidate) => wanted.has(candidate.ref))
  return module === undefined ? resolveCommit(ref, candidates, latest) : { kind: 'found', module }
}

const SHORTEST_COMMIT = 7

/** A ref that is the id of an indexed commit, or its start. Of several refs of one commit the tag counts. */
function resolveCommit(ref: string, candidates: readonly IndexedModule[], latest: IndexedModule): Resolution {
  const commit = ref.toLowerCase()
  const isCommit = /^[0-9a-f]+$/.test(commit) && commit.length >= SHORTEST_COMMIT
  const found = isCommit ? candidates.filter((candidate) => candidate.commit.startsWith(commit)) : []
  const module = found.find(({ ref_kind }) => ref_kind === 'tag') ?? found[0]
  const isOne = new Set(found.map((candidate) => candidate.commit)).size === 1
  if (module === undefined || !isOne) {
    const meant = spellingsOf(ref).find((spelling) =>
      candidates.some((candidate) => candidate.ref === spelling),
    )
    return { kind: 'unknown_ref', ref, latest, meant }
  }
  return module.commit === commit ? { kind: 'found', module } : { kind: 'short_commit', ref, module }
}

/** Whether a source is of the repository with this URL. */
export function isRepositoryOf(source: GitOrRegistry, url: string): boolean {
  return isAddressOf(source, canonicalRepository(url))
}

/** The same for an address as `canonicalRepository` gives it. */
export function isAddressOf(source: GitOrRegistry, address: string): boolean {
  if (address === source.repository) return true
  if (source.kind === 'git') return false
  return address.endsWith(`/${source.repository}`) || source.addresses.includes(address)
}

/** Of what a source may mean: what was read from its own address in a registry, if anything was. */
export function ofOwnAddress<Found>(
  source: ModuleSource,
  found: readonly Found[],
  urlOf: (one: Found) => string,
): readonly Found[] {
  if (source.kind !== 'registry') return found
  const own = found.filter((one) => source.addresses.includes(canonicalRepository(urlOf(one))))
  return own.length > 0 ? own : found
}

function resolveVersion(
  version: string | undefined,
  candidates: readonly IndexedModule[],
  latest: IndexedModule,
): Resolution {
  if (version === undefined) return { kind: 'found', module: latest }
  const module = newestAdmitted(version, candidates, ({ ref }) => ref)
  return module === undefined ? { kind: 'unknown_ref', ref: version, latest } : { kind: 'found', module }
}
