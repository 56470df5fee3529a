/** Versions whose files a registry keeps in git: their commits, and fetching them into the store of the registry. */
import { admit, type Trust } from '../git/admission.ts'
import { isCommitId } from '../git/ref-name.ts'
import type { RemoteListing, RemoteRef } from '../git/remote.ts'
import { openRepository, type Repository, type RepositoryOptions, type WantedRef } from '../git/repository.ts'
import { parseRemoteUrl } from '../git/url.ts'
import { isReason, refusals } from '../reasons.ts'
import type { PackageAddress } from './package-address.ts'
import { isLoopback } from './reach.ts'

export type GitAddress = Extract<PackageAddress, { readonly kind: 'git' }>

/** The git repositories that one registry names. Its owner calls `close`. */
export interface GitPackages {
  /** The commit that an address means now. Errors: `not_found`/`ref_not_found`, and those of git. */
  commitOf(address: GitAddress): Promise<string>
  /** Fetches the commits of addresses of one URL; those that the remote no longer gives out are missing. */
  fetch(addresses: readonly GitAddress[]): Promise<ReadonlyMap<GitAddress, string>>
  close(): Promise<void>
}

interface GitPackageOptions extends Omit<RepositoryOptions, 'admission'> {
  /** The host of the registry, for messages. */
  readonly host: string
  /** In who asked for the registry. */
  readonly trust: Trust
  /** In what the registry names. */
  readonly named: Trust
}

interface Source {
  readonly git: Repository
  listing: Promise<RemoteListing> | undefined
}

export function openGitPackages(options: GitPackageOptions): GitPackages {
  const sources = new Map<string, Promise<Source>>()
  const sourceOf = (url: string): Promise<Source> => {
    const known = sources.get(url)
    if (known !== undefined) return known
    const opened = openSource(url, options)
    sources.set(url, opened)
    return opened
  }
  const listingOf = (source: Source): Promise<RemoteListing> => {
    source.listing ??= source.git.list()
    return source.listing
  }
  const wantedRef = async (address: GitAddress): Promise<WantedRef> => {
    const { ref } = address
    if (ref !== undefined && isCommitId(ref))
      return { fullName: ref.toLowerCase(), commit: ref.toLowerCase() }
    return namedRef(await listingOf(await sourceOf(address.url)), ref)
  }
  return {
    commitOf: async (address) => (await wantedRef(address)).commit,
    async fetch(addresses) {
      const [first] = addresses
      if (first === undefined) return new Map()
      const source = await sourceOf(first.url)
      const asked = await Promise.allSettled(
        addresses.map(async (address) => [address, await wantedRef(address)] as const),
      )
      const wanted = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const failed = asked.find((one) => one.status === 'rejected')
      if (wanted.length === 0 && failed !== undefined) throw failed.reason
      const refs = [...new Map(wanted.map(([, ref]) => [ref.fullName, ref])).values()]
      const commits = await fetchRefs(source, refs, listingOf)
      return new Map(
        wanted.flatMap(([address, { fullName }]) => {
          const commit = commits.get(fullName)
          return commit === undefined ? [] : [[address, commit] as const]
        }),
      )
    },
    async close() {
      const opened = await Promise.allSettled(sources.values())
      await Promise.all(opened.map((one) => (one.status === 'fulfilled' ? one.value.git.close() : undefined)))
    },
  }
}

async function openSource(
  url: string,
  { host, trust, named, ...options }: GitPackageOptions,
): Promise<Source> {
  const remote = parseRemoteUrl(url, '/')
  if (remote.scheme === 'file' || (remote.scheme === 'http' && !isLoopback(new URL(remote.url)))) {
    throw refusals.package_address_refused({ host, why: 'a git repository is read over https or ssh' })
  }
  const checked = await admit(remote, named)
  // What is checked for the operator is where a registry leads to; git then follows a renamed repository as it always does.
  const admission = trust.kind === 'operator' ? await admit(remote, trust) : checked
  return { git: openRepository({ ...options, admission }), listing: undefined }
}

function namedRef(listing: RemoteListing, ref: string | undefined): WantedRef {
  const name = ref?.replace(/^refs\/(?:tags|heads)\//, '')
  const found =
    name === undefined
      ? listing.branches.get(listing.defaultBranch ?? '')
      : (listing.tags.get(name) ?? listing.branches.get(name))
  if (found === undefined) throw refusals.ref_disappeared()
  return wantedOf(found)
}

function wantedOf({ kind, name, commit }: RemoteRef): WantedRef {
  return { fullName: `refs/${kind === 'tag' ? 'tags' : 'heads'}/${name}`, commit }
}

/** A server may refuse a commit by its id; it gives out any ref that names it. */
async function fetchRefs(
  source: Source,
  refs: readonly WantedRef[],
  listingOf: (source: Source) => Promise<RemoteListing>,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await source.git.fetch(refs, 'sha1')
  } catch (thrown) {
    if (!isReason(thrown, 'ref_not_found')) throw thrown
    const { tags, branches } = await listingOf(source)
    const listed = [...tags.values(), ...branches.values()]
    const byName = refs.flatMap((ref) => {
      const same = listed.find(({ commit }) => commit === ref.commit)
      return same === undefined ? [] : [{ wanted: ref.fullName, ...wantedOf(same) }]
    })
    if (byName.length === 0) throw thrown
    const commits = await source.git.fetch(byName, 'sha1')
    return new Map(
      byName.flatMap(({ wanted, fullName, commit }) =>
        commits.get(fullName) === commit ? [[wanted, commit] as const] : [],
      ),
    )
  }
}
