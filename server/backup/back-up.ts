import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { BackupStore } from '../contract/advanced/backup.ts'
import type { RunningHost } from '../host.ts'
import { realDisk, systemCode } from '../platform/disk.ts'
import { makeDirectoryDurably, writeFileDurably } from '../platform/durable-file.ts'
import { copyToNewFile, type FileDigest, flushFile } from '../platform/file-copy.ts'
import { removeFile, removeTree } from '../platform/file-tree.ts'
import { BACKUP_VERSION, digestOf, folderOf, MANIFEST, type Manifest, type StoredStore } from './manifest.ts'
import { refusals, refusingFaults } from './refusals.ts'
import { digestNow, type StoreFile, storeFiles } from './store-files.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Time for one store to hold still for as long as reading it once takes. */
const LIMIT_MS = 30_000
const PAUSE_MS = 2
/** A file that changed this recently is read again: times of files are coarse, and a journal keeps its size. */
const RECENT_MS = 2_000

export interface BackupOptions {
  readonly folder: string
  readonly satchel: string
  readonly signal: AbortSignal
  /** Absent: 30 s. */
  readonly limitMs?: number
}

/**
 * Copies the stores of all plugins to a new folder while they are used. Each store is as it was at one moment.
 * Errors: `conflict`/`backup_folder_used`, `not_found`/`backup_empty`, `unavailable`/`store_changing`, `backup_not_written`.
 */
export async function backUp(host: RunningHost, options: BackupOptions): Promise<Manifest> {
  return await refusingFaults(refusals.backup_not_written, async () => {
    const { folder } = options
    await requireUnused(folder)
    await makeDirectoryDurably(folder, FOLDER_MODE)
    try {
      return await fill(host, options)
    } catch (thrown) {
      for (const entry of await readdir(folder)) await removeTree(join(folder, entry))
      throw thrown
    }
  })
}

async function fill(host: RunningHost, { folder, signal, ...options }: BackupOptions): Promise<Manifest> {
  const stores: StoredStore[] = []
  for (const { plugin, instance } of host.registry.instances) {
    for (const store of (await instance.stores?.([])) ?? []) {
      const target = folderOf(folder, { plugin, store: store.name })
      const limitMs = options.limitMs ?? LIMIT_MS
      const files = await copyStore(store, target, { signal, limitMs, now: host.now })
      if (files.length > 0) stores.push({ plugin, store: store.name, files })
    }
  }
  if (stores.length === 0) {
    const empty = host.database ? refusals.backup_in_database : refusals.backup_empty
    throw empty({ project: host.projectRoot })
  }
  const manifest: Manifest = {
    version: BACKUP_VERSION,
    satchel: options.satchel,
    created_at: host.now().toISOString(),
    project: host.projectRoot,
    stores,
    sha256: digestOf(stores),
  }
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  await writeFileDurably(join(folder, MANIFEST), text, { mode: FILE_MODE })
  return manifest
}

async function requireUnused(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((thrown: unknown) => {
    const code = systemCode(thrown)
    if (code === 'ENOENT') return []
    if (code === 'ENOTDIR') throw refusals.backup_not_a_folder({ folder })
    throw thrown
  })
  if (entries.length > 0) throw refusals.backup_folder_used({ folder })
}

interface Copied extends FileDigest {
  readonly stamp: string
}

/**
 * Copies until a whole look at the store finds what was copied: then nothing changed between the last copy and the first
 * look, and the copies are the store at that moment.
 */
async function copyStore(
  store: BackupStore,
  target: string,
  { signal, limitMs, now }: { readonly signal: AbortSignal; readonly limitMs: number; now(): Date },
): Promise<StoredStore['files']> {
  const copies = new Map<string, Copied>()
  const deadline = performance.now() + limitMs
  for (;;) {
    signal.throwIfAborted()
    const startedMs = now().getTime()
    const files = await storeFiles(store)
    const changed = await changesSince(copies, files, startedMs)
    if (changed.length === 0) break
    if (performance.now() > deadline) {
      throw refusals.store_changing({ store: store.name, seconds: Math.round(limitMs / 1000) })
    }
    for (const name of changed) await copyOne(files.get(name), name, { copies, target })
    await pause(PAUSE_MS)
  }
  // Not before: a flush takes longer than many pauses of a busy store.
  for (const name of copies.keys()) await flushFile(join(target, name))
  for (const folder of new Set([...copies.keys()].map((name) => dirname(join(target, name))))) {
    await realDisk.syncDirectory(folder)
  }
  return [...copies].map(([name, { size, sha256 }]) => ({ name, size, sha256 }))
}

/** The names whose copy is missing, of another content, or of a file that is removed. */
async function changesSince(
  copies: ReadonlyMap<string, Copied>,
  files: ReadonlyMap<string, StoreFile>,
  startedMs: number,
): Promise<readonly string[]> {
  const changed = [...copies.keys()].filter((name) => !files.has(name))
  for (const { name, path, stamp, modifiedMs } of files.values()) {
    const copy = copies.get(name)
    const isSurelySame = copy?.stamp === stamp && modifiedMs < startedMs - RECENT_MS
    if (isSurelySame) continue
    if (copy === undefined || (await digestNow(path)) !== copy.sha256) changed.push(name)
  }
  return changed
}

async function copyOne(
  file: StoreFile | undefined,
  name: string,
  { copies, target }: { readonly copies: Map<string, Copied>; readonly target: string },
): Promise<void> {
  const to = join(target, name)
  await removeFile(to)
  copies.delete(name)
  if (file === undefined) return
  await makeDirectoryDurably(dirname(to), FOLDER_MODE)
  try {
    const stamp = await realDisk.stamp(file.path)
    const copied = await copyToNewFile(file.path, to)
    if (stamp === undefined) return
    copies.set(name, { ...copied, stamp })
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') throw thrown
    await removeFile(to) // it was removed meanwhile; the next look decides
  }
}
