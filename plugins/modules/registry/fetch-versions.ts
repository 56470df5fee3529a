/** Brings versions of a registry module into its store, and tells whether those there are still the same. */
import { addTo, counted } from '../../../server/plugin.ts'
import type { Blobs } from '../git/blobs.ts'
import { type Import, openImport } from '../git/import.ts'
import { removeHalfPacks } from '../git/store.ts'
import { MAX_STORE_BYTES, withinSize } from '../git/store-size.ts'
import { createTreeReader } from '../git/tree.ts'
import { isReason, refusals } from '../reasons.ts'
import type { Connection, RegistryOptions } from './connection.ts'
import { type ArchiveAddress, downloadArchive, isSameArchive } from './download.ts'
import type { GitAddress } from './git-packages.ts'
import { readPackage } from './import-package.ts'
import { type PackageAddress, parsePackageAddress } from './package-address.ts'

/** A version as the store has it: its commit, and the message that says what it was made of. */
export interface HeldVersion {
  readonly commit: string
  readonly message: string
}

/** The reading of versions of one module; `failures` says by full name why one has none. */
export interface VersionReading extends RegistryOptions {
  /** That of the store. */
  readonly environment: Readonly<Record<string, string>>
  readonly addresses: Map<string, Promise<PackageAddress>>
  readonly failures: Map<string, unknown>
  connect(): Promise<Connection>
  blobs(): Blobs
  /** Something that a reader should know of a version although it was read. */
  warn(ref: string, code: string, message: string): void
}

/** Addresses are asked for this many at a time. */
const AT_ONCE = 8
const FROM_ARCHIVE = 'archive\n'
const FROM_GIT = 'git\n'

/** The commit that a version has now, in the store or in git; undefined where it has to be read to be known. */
export async function currentCommit(
  reading: VersionReading,
  fullName: string,
  held: HeldVersion | undefined,
): Promise<string | undefined> {
  const address = await addressOf(reading, fullName)
  const { client, packages } = await reading.connect()
  if (address.kind === 'git') {
    const source = await packages.commitOf(address)
    if (address.subdirectory === '.') return source
    return held?.message === originOf(source) ? held.commit : undefined
  }
  if (held === undefined || !held.message.startsWith(FROM_ARCHIVE)) return undefined
  const isSame = await isSameArchive(address, held.message.slice(FROM_ARCHIVE.length), { ...reading, client })
  return isSame ? held.commit : undefined
}

/** Reads versions; one that cannot be read is in `failures`. Only while the lock of the store is held. */
export async function fetchVersions(reading: VersionReading, fullNames: readonly string[]): Promise<void> {
  const found = await inSteps(fullNames, async (fullName) => {
    const address = await attempt(reading, fullName, () => addressOf(reading, fullName))
    return address && { fullName, address }
  })
  const byUrl = new Map<string, GitVersion[]>()
  for (const one of found) {
    if (one?.address.kind === 'archive') {
      const { fullName, address } = one
      await attempt(reading, fullName, () => fetchArchive(reading, fullName, address))
    } else if (one?.address.kind === 'git') {
      const { fullName, address } = one
      addTo(byUrl, address.url, { fullName, address })
    }
  }
  for (const versions of byUrl.values()) await fetchFromGit(reading, versions)
}

/** Runs `work` for each, a few at a time. */
export async function inSteps<In, Out>(
  all: readonly In[],
  work: (one: In) => Promise<Out>,
): Promise<readonly Out[]> {
  const done: Out[] = []
  for (let at = 0; at < all.length; at += AT_ONCE) {
    done.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map(work))))
  }
  return done
}

/** One version that fails costs only itself; an abort or a full store ends all. */
export async function attempt<T>(
  { failures, signal }: VersionReading,
  fullName: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work()
  } catch (thrown) {
    if (signal.aborted || isReason(thrown, 'repository_too_large')) throw thrown
    failures.set(fullName, thrown)
    return undefined
  }
}

/** Asked for once in a run. */
function addressOf(reading: VersionReading, fullName: string): Promise<PackageAddress> {
  const known = reading.addresses.get(fullName)
  if (known !== undefined) return known
  const asked = askAddress(reading, fullName)
  reading.addresses.set(fullName, asked)
  return asked
}

async function askAddress({ connect }: VersionReading, fullName: string): Promise<PackageAddress> {
  const { protocol } = await connect()
  const { address, base } = await protocol.addressOf(versionOf(fullName))
  return parsePackageAddress(address, base)
}

async function fetchArchive(
  reading: VersionReading,
  fullName: string,
  address: ArchiveAddress,
): Promise<void> {
  const { client } = await reading.connect()
  const archive = await downloadArchive(address, { ...reading, client })
  await importing(reading, async (target) => {
    const { files, skipped } = await readPackage(archive, target)
    await target.addCommit(fullName, `${FROM_ARCHIVE}${archive.identity}`, files)
    if (skipped > 0) {
      const message = `${counted(skipped, 'entry', 'entries')} of its archive that ${skipped === 1 ? 'is' : 'are'} no file, directory or link ${skipped === 1 ? 'was' : 'were'} left out.`
      reading.warn(versionOf(fullName), 'entries_skipped', message)
    }
  })
}

interface GitVersion {
  readonly fullName: string
  readonly address: GitAddress
}

/** Versions that one git repository has: one fetch, then a ref of ours for each. */
async function fetchFromGit(reading: VersionReading, versions: readonly GitVersion[]): Promise<void> {
  const { packages } = await reading.connect()
  const fail = (thrown: unknown): void => {
    for (const { fullName } of versions) reading.failures.set(fullName, thrown)
  }
  try {
    const commits = await packages.fetch(versions.map(({ address }) => address))
    const trees = createTreeReader(reading.blobs())
    await importing(reading, async (target) => {
      for (const { fullName, address } of versions) {
        await attempt(reading, fullName, async () => {
          const commit = commits.get(address)
          if (commit === undefined) throw refusals.ref_disappeared()
          if (address.subdirectory === '.') return await target.addRef(fullName, commit)
          const found = await trees.entryAt(commit, address.subdirectory)
          if (found?.entries === undefined)
            throw refusals.registry_directory_missing({ host: reading.remote.host })
          await target.addTree(fullName, originOf(commit), found.oid)
        })
      }
    })
  } catch (thrown) {
    if (reading.signal.aborted || isReason(thrown, 'repository_too_large')) throw thrown
    fail(thrown)
  }
}

/** The message of a commit that has a directory of another commit as its root. */
function originOf(commit: string): string {
  return `${FROM_GIT}${commit}\n`
}

/** Runs `work` with an import whose end counts; what fails leaves nothing behind. */
async function importing(reading: VersionReading, work: (target: Import) => Promise<void>): Promise<void> {
  const { storePath, workDir: baseDir, environment, signal, maxStoreBytes = MAX_STORE_BYTES } = reading
  await withinSize(storePath, maxStoreBytes, async (stop) => {
    const target = openImport({ baseDir, environment, signal: AbortSignal.any([signal, stop]) })
    try {
      await work(target)
      await target.finish()
    } catch (thrown) {
      await target.discard()
      await removeHalfPacks(storePath)
      throw thrown
    }
  })
}

function versionOf(fullName: string): string {
  return fullName.slice('refs/tags/'.length)
}
