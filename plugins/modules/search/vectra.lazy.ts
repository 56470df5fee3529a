import { join } from 'node:path'
import { LocalIndex } from 'vectra/lib/LocalIndex.js'
import {
  type Disk,
  makeDirectoryDurably,
  orMissing,
  realDisk,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { damaged } from './packed-vectors.ts'
import type { StoreHeader } from './store-header.ts'
import { sixDecimals } from './vector-record.ts'
import type { VectorChanges, VectorItem } from './vector-store.ts'

/** vectra's own record. */
interface IndexItem {
  id: string
  metadata: Record<string, string | number | boolean>
  vector: number[]
  norm: number
}

interface IndexFile {
  version: number
  metadata_config: object
  satchel: StoreHeader
  items: IndexItem[]
}

/** The members of `LocalIndex` that its types keep private. */
interface Inside {
  _data: IndexFile | undefined
  _update: IndexFile | undefined
}

/**
 * vectra's index with writes that survive a kill: temporary file, fsync, rename. One instance per run, because a loaded
 * index is never read again; the caller holds the store's lock.
 */
class DurableIndex extends LocalIndex {
  readonly #disk: Disk

  constructor(folder: string, disk: Disk) {
    super(folder)
    this.#disk = disk
  }

  private inside(): Inside {
    return this as unknown as Inside // the two fields below exist in vectra 0.12.3, which is pinned
  }

  /** Starts an update on what is on disk, or on an empty index with this header. */
  async open(header: StoreHeader): Promise<IndexFile> {
    const inside = this.inside()
    const bytes = await orMissing(this.#disk.readFile(join(this.folderPath, this.indexName)))
    if (bytes) {
      inside._data = JSON.parse(bytes.toString('utf8')) as IndexFile // the store has just checked it
      await this.beginUpdate()
    } else inside._update = { version: 1, metadata_config: {}, satchel: header, items: [] }
    if (!inside._update) throw damaged(this.folderPath, 'it cannot be opened for an update')
    inside._update.satchel = header
    return inside._update
  }

  override async endUpdate(): Promise<void> {
    const inside = this.inside()
    await makeDirectoryDurably(this.folderPath, undefined, this.#disk)
    const path = join(this.folderPath, this.indexName)
    await writeFileDurably(path, JSON.stringify(inside._update), { disk: this.#disk })
    inside._data = inside._update
    inside._update = undefined
  }
}

/** Applies changes to the index in `folder` as one update: the file is written once, or not at all. */
export async function updateIndex(
  folder: string,
  header: StoreHeader,
  changes: VectorChanges,
  disk = realDisk,
): Promise<void> {
  const index = new DurableIndex(folder, disk)
  const file = await index.open(header)
  const items = new Map(file.items.map((item) => [item.id, item]))
  for (const id of changes.remove) items.delete(id)
  for (const { id, ...touched } of changes.touch) {
    const item = items.get(id)
    if (item) Object.assign(item.metadata, touched)
  }
  for (const item of changes.upsert) items.set(item.id, indexItem(item))
  file.items = [...items.values()]
  await index.endUpdate()
}

/** Replaces the whole index: used by a rebuild, where what is on disk may be unreadable. */
export async function replaceIndex(
  folder: string,
  header: StoreHeader,
  items: readonly VectorItem[],
  disk = realDisk,
): Promise<void> {
  const file: IndexFile = { version: 1, metadata_config: {}, satchel: header, items: items.map(indexItem) }
  await makeDirectoryDurably(folder, undefined, disk)
  await writeFileDurably(join(folder, 'index.json'), JSON.stringify(file), { disk })
}

function indexItem({ id, metadata, document, vector }: VectorItem): IndexItem {
  return { id, metadata: { ...metadata, document }, vector: Array.from(vector, sixDecimals), norm: 1 }
}
