import type { Git } from './command.ts'
import { type KeptPlace, keptListing } from './kept-listing.ts'
import { isRefName } from './ref-name.ts'

/** A branch or tag of a remote. */
export interface RemoteRef {
  readonly kind: 'branch' | 'tag'
  /** Without `refs/heads/` and `refs/tags/`. */
  readonly name: string
  /** 40 or 64 hex; for an annotated tag the object it finally names. */
  readonly commit: string
}

/** The refs of a remote. */
export interface RemoteListing {
  readonly branches: ReadonlyMap<string, RemoteRef>
  readonly tags: ReadonlyMap<string, RemoteRef>
  /** Short name of the default branch; undefined for an empty repository or a HEAD that names no branch. */
  readonly defaultBranch: string | undefined
  readonly objectFormat: 'sha1' | 'sha256'
  /** Refs the remote offers under names git itself forbids; shown escaped. */
  readonly refused: readonly string[]
}

const MAX_LISTING_BYTES = 64 * 1024 * 1024

/** Asks the remote for its refs. Errors: those of modules design 2.6. */
export async function listRemote(git: Git, url: string): Promise<RemoteListing> {
  return parseListing(
    await git.run(
      ['ls-remote', '--symref', '--', url, 'HEAD', 'refs/heads/*', 'refs/tags/*'],
      MAX_LISTING_BYTES,
    ),
  )
}

/**
 * Asks a repository on this machine for its refs: by the program that `ls-remote` would start through a shell, one
 * process in place of three; none where its refs are as they were when the file `kept` was written.
 * Errors: those of git, without the words that `ls-remote` adds.
 */
export async function listLocal(git: Git, path: string, kept?: KeptPlace): Promise<RemoteListing> {
  const ask = async (): Promise<string> =>
    listingOf(await git.run(['upload-pack', '--advertise-refs', '--', path], MAX_LISTING_BYTES))
  return parseListing(
    kept ? await keptListing({ path, file: kept.file, now: kept.now().getTime() }, ask) : await ask(),
  )
}

/**
 * The words of `ls-remote --symref` for those of `upload-pack --advertise-refs`: four digits of length, id, a blank, the
 * name; behind the first name and a NUL what the server can do, also where HEAD leads.
 */
function listingOf(advertised: string): string {
  const symbolic = /\0.*\bsymref=HEAD:(\S+)/.exec(advertised)?.[1]
  const refs = advertised.split('\n').flatMap((line) => {
    const [, id, name] = /^[0-9a-f]{4}([0-9a-f]{40,64}) ([^\0]+)/.exec(line) ?? []
    return name !== undefined && /^(?:HEAD$|refs\/(?:heads|tags)\/)/.test(name) ? [`${id}\t${name}`] : []
  })
  return [...(symbolic === undefined ? [] : [`ref: ${symbolic}\tHEAD`]), ...refs].join('\n')
}

/** Reads the output of `ls-remote --symref`. Exported for tests. */
export function parseListing(output: string): RemoteListing {
  const seen: Seen = { symbolic: undefined, head: undefined, ids: new Map(), peeled: new Map(), refused: [] }
  for (const line of output.split('\n')) readLine(line, seen)
  const branches = new Map<string, RemoteRef>()
  const tags = new Map<string, RemoteRef>()
  for (const [ref, id] of seen.ids) {
    const commit = seen.peeled.get(ref) ?? id
    if (ref.startsWith('refs/heads/')) {
      const name = ref.slice('refs/heads/'.length)
      branches.set(name, { kind: 'branch', name, commit })
    } else {
      const name = ref.slice('refs/tags/'.length)
      tags.set(name, { kind: 'tag', name, commit })
    }
  }
  const someId = seen.head ?? [...seen.ids.values()][0]
  return {
    branches,
    tags,
    defaultBranch: defaultBranch(seen, branches),
    objectFormat: someId?.length === 64 ? 'sha256' : 'sha1',
    refused: seen.refused,
  }
}

interface Seen {
  symbolic: string | undefined
  head: string | undefined
  readonly ids: Map<string, string>
  readonly peeled: Map<string, string>
  readonly refused: string[]
}

function readLine(line: string, seen: Seen): void {
  const [left, ref] = line.split('\t')
  if (left === undefined || ref === undefined) return
  if (left.startsWith('ref: ')) {
    if (ref === 'HEAD') seen.symbolic = left.slice('ref: '.length)
    return
  }
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(left)) return
  if (ref === 'HEAD') {
    seen.head = left
    return
  }
  const isPeeled = ref.endsWith('^{}')
  const full = isPeeled ? ref.slice(0, -3) : ref
  const name = /^refs\/(?:heads|tags)\/(.*)$/s.exec(full)?.[1]
  if (name === undefined) return // what only ends like a name that was asked for
  if (!isRefName(name)) seen.refused.push(JSON.stringify(full.slice(0, 120)))
  else if (isPeeled) seen.peeled.set(full, left)
  else seen.ids.set(full, left)
}

function defaultBranch(seen: Seen, branches: ReadonlyMap<string, RemoteRef>): string | undefined {
  const named = seen.symbolic?.startsWith('refs/heads/')
    ? seen.symbolic.slice('refs/heads/'.length)
    : undefined
  if (named !== undefined && branches.has(named)) return named
  for (const usual of ['main', 'master']) if (branches.has(usual)) return usual
  return [...branches.values()].find((branch) => branch.commit === seen.head)?.name
}

/** Whether a remote lists the ref of a record or reading. */
export function hasRef(
  listing: RemoteListing,
  { ref, ref_kind }: { readonly ref: string; readonly ref_kind: RemoteRef['kind'] },
): boolean {
  const refs = ref_kind === 'tag' ? listing.tags : listing.branches
  return refs.has(ref.replace(/^refs\/(heads|tags)\//, ''))
}
