import { basename, dirname, join } from 'node:path'
import type { BackupStore, StorePart } from '../contract/advanced/backup.ts'
import type { RunningHost } from '../host.ts'
import { realDisk } from '../platform/disk.ts'
import { makeDirectoryDurably } from '../platform/durable-file.ts'
import { copyToNewFile, digestFile, flushFile } from '../platform/file-copy.ts'
import { moveFile, removeTree } from '../platform/file-tree.ts'
import { folderOf, type Manifest, readManifest, type StoredStore } from './manifest.ts'
import { refusals, refusingFaults } from './refusals.ts'
import { digestNow, storeFiles } from './store-files.ts'

const FOLDER_MODE = 0o700

export interface RestoreOptions {
  readonly folder: string
  /** Replace stores that differ from the backup; their content is kept beside them. */
  readonly force: boolean
}

/** One store after a restore. */
export interface RestoredStore {
  readonly plugin: string
  readonly store: string
  readonly files: number
  /** False if it had the content of the backup. */
  readonly changed: boolean
  /** Where the content is that the store had before. */
  readonly kept: readonly string[]
}

/** A store of the backup and its place here. */
interface Placed {
  readonly saved: StoredStore
  readonly store: BackupStore
}

/**
 * Puts the stores of a backup in their places. Everything is verified, and every refusal made, before the first change. A
 * store is written beside its place and renamed; a kill leaves the old store, or moves that the same command completes.
 * Errors: those of `readManifest`; `invalid`/`backup_damaged`; `conflict`/`store_in_use`, `store_differs`;
 * `unavailable`/`restore_not_written`.
 */
export async function restore(
  host: RunningHost,
  { folder, force }: RestoreOptions,
): Promise<readonly RestoredStore[]> {
  const manifest = await readManifest(folder)
  await verify(folder, manifest)
  const placed = await placesOf(host, manifest)
  const changed: Placed[] = []
  for (const each of placed) {
    const different = await differences(each)
    if (different.length === 0) continue
    changed.push(each)
    await requireFree(each)
    const present = different.filter(({ isHere }) => isHere)
    const [first] = present
    if (force || first === undefined) continue
    const { plugin, store } = each.saved
    throw refusals.store_differs({
      store: `${plugin}/${store}`,
      count: present.length,
      example: first.name,
    })
  }
  const at = host.now().toISOString().replaceAll(/[-:.]/g, '')
  const restored: RestoredStore[] = []
  for (const each of placed) {
    const isChanged = changed.includes(each)
    const { plugin, store, files } = each.saved
    const refuse = (fault: { readonly error: string; readonly path: string }, options: { cause: unknown }) =>
      refusals.restore_not_written({ store: `${plugin}/${store}`, ...fault }, options)
    const kept = isChanged ? await refusingFaults(refuse, () => replaceStore(folder, each, at)) : []
    restored.push({ plugin, store, files: files.length, changed: isChanged, kept })
  }
  return restored
}

async function verify(folder: string, { stores }: Manifest): Promise<void> {
  for (const saved of stores) {
    for (const { name, size, sha256 } of saved.files) {
      const place = `${saved.plugin}/${saved.store}/${name}`
      const found = await digestFile(join(folderOf(folder, saved), name)).catch(() => undefined)
      if (found === undefined) throw refusals.backup_damaged({ place, fault: 'it cannot be read' })
      if (found.size !== size || found.sha256 !== sha256) {
        throw refusals.backup_damaged({ place, fault: 'its digest is wrong' })
      }
    }
  }
}

async function placesOf(host: RunningHost, { stores }: Manifest): Promise<readonly Placed[]> {
  const placed: Placed[] = []
  for (const saved of stores) {
    const names = stores.filter(({ plugin }) => plugin === saved.plugin).map(({ store }) => store)
    const owned = host.registry.instances.find(({ plugin }) => plugin === saved.plugin)
    const store = (await owned?.instance.stores?.(names))?.find(({ name }) => name === saved.store)
    const parts = new Set(saved.files.map(({ name }) => name.split('/')[0]))
    const isKnown = [...parts].every((part) => store?.parts.some(({ name }) => name === part))
    if (!store || !isKnown) throw refusals.store_unknown({ store: `${saved.plugin}/${saved.store}` })
    placed.push({ saved, store })
  }
  return placed
}

async function requireFree({ store }: Placed): Promise<void> {
  const fault = await store.inUse?.()
  if (fault !== undefined) throw refusals.store_in_use({ fault })
}

/** The files that differ from the backup; `isHere` for those of which the store has a content of its own. */
async function differences({
  saved,
  store,
}: Placed): Promise<readonly { readonly name: string; readonly isHere: boolean }[]> {
  const files = await storeFiles(store)
  const wanted = new Map(saved.files.map(({ name, sha256 }) => [name, sha256]))
  const found: { name: string; isHere: boolean }[] = []
  for (const { name, path } of files.values()) {
    if ((await digestNow(path)) !== wanted.get(name)) found.push({ name, isHere: true })
  }
  for (const name of wanted.keys()) if (!files.has(name)) found.push({ name, isHere: false })
  return found
}

/** Writes each part beside its place, then moves what is there aside and the new one in. Returns what was moved aside. */
async function replaceStore(
  folder: string,
  { saved, store }: Placed,
  at: string,
): Promise<readonly string[]> {
  const source = folderOf(folder, saved)
  const staged: { readonly part: StorePart; readonly path: string }[] = []
  for (const part of store.parts) {
    const own = saved.files.filter(({ name }) => name === part.name || name.startsWith(`${part.name}/`))
    if (own.length > 0) staged.push({ part, path: await stage(source, part, own) })
  }
  const kept: string[] = []
  for (const { part, path } of staged) {
    if ((await realDisk.stat(part.path)) !== undefined) {
      const aside = `${part.path}.before-${at}`
      await moveFile(part.path, aside)
      kept.push(aside)
    }
    await moveFile(path, part.path)
    await realDisk.syncDirectory(dirname(part.path))
  }
  return kept
}

/** Writes a part beside its place, durably. Returns its path. */
async function stage(source: string, part: StorePart, files: StoredStore['files']): Promise<string> {
  const path = join(dirname(part.path), `${basename(part.path)}.restoring`)
  await removeTree(path) // of a restore that was killed
  const folders = new Set<string>()
  for (const { name, sha256 } of files) {
    const to = name === part.name ? path : join(path, name.slice(part.name.length + 1))
    await makeDirectoryDurably(dirname(to), FOLDER_MODE)
    const copied = await copyToNewFile(join(source, name), to)
    if (copied.sha256 !== sha256) throw refusals.backup_damaged({ place: name, fault: 'it changed' })
    await flushFile(to)
    folders.add(dirname(to))
  }
  for (const written of folders) await realDisk.syncDirectory(written)
  return path
}
