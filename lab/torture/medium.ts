import { dirname } from 'node:path'
import type { Change, Image } from '../../server/platform/testing/simulated-disk.ts'
import type { Chance } from './chance.ts'

/** The disk's own view: what is durable and what may or may not be when the power goes. */
export interface Medium {
  apply(change: Change, number: number): void
  /** How many changes are not durable yet. */
  pending(): number
  /** One of the images a power cut now can leave, chosen by `chance`. */
  cut(chance: Chance): Map<string, Buffer | 'directory'>
}

const SECTOR_BYTES = 512

type Write = Extract<Change, { kind: 'write' | 'truncate' }> & { readonly number: number }
type Naming = Extract<Change, { kind: 'names' }> & { readonly number: number }

interface Extent {
  durable: Buffer
  pending: Write[]
  /** Never flushed: its blocks may still hold data that was freed. */
  fresh: boolean
}

/** Starts with `image` durable, its nodes numbered in the order of its entries (as the simulated disk numbers them). */
export function createMedium(image: Image): Medium {
  const extents = new Map<number, Extent>()
  const durableNames = new Map<string, number>()
  let pendingNames: Naming[] = []
  let freed: Buffer = Buffer.alloc(0)
  for (const [path, content] of image) {
    const node = extents.size + 1
    durableNames.set(path, node)
    extents.set(node, {
      durable: content === 'directory' ? Buffer.alloc(0) : content,
      pending: [],
      fresh: false,
    })
  }
  const directories = new Set(
    [...image].flatMap(([path, content]) => (content === 'directory' ? [path] : [])),
  )
  const extentOf = (node: number): Extent => {
    const extent = extents.get(node) ?? { durable: Buffer.alloc(0), pending: [], fresh: true }
    extents.set(node, extent)
    return extent
  }
  const flushNode = (node: number, before: number): void => {
    const extent = extentOf(node)
    const cut = extent.pending.findLast((change) => change.kind === 'truncate' && change.number < before)
    if (cut?.kind === 'truncate') freed = wholeOf(extent).subarray(cut.length)
    for (const change of extent.pending.filter(({ number }) => number < before)) {
      extent.durable = changed(extent.durable, change)
    }
    extent.pending = extent.pending.filter(({ number }) => number >= before)
    extent.fresh = false
  }
  const flushNames = (directory: string, before: number): void => {
    const covered = (change: Naming): boolean => change.directory === directory && change.number < before
    for (const change of pendingNames.filter(covered)) renamed(durableNames, change)
    pendingNames = pendingNames.filter((change) => !covered(change))
  }

  return {
    apply: (change, number) => {
      if (change.kind === 'write' || change.kind === 'truncate') {
        extentOf(change.node).pending.push({ ...change, number })
      } else if (change.kind === 'names') {
        pendingNames.push({ ...change, number })
        for (const [path, node] of change.set) if (node?.kind === 'directory') directories.add(path)
      } else if (change.kind === 'flush') flushNode(change.node, change.before)
      else flushNames(change.directory, change.before)
    },
    pending: () =>
      pendingNames.length + [...extents.values()].reduce((sum, { pending }) => sum + pending.length, 0),
    cut: (chance) => {
      const found = survivingNames(durableNames, pendingNames, chance)
      const stale = freed.length > 0 && chance.maybe(0.7) ? freed : undefined
      const left = new Map<string, Buffer | 'directory'>()
      // Parents come first: what lies in a directory that was never made is lost with it.
      for (const [path, node] of [...found].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (path !== '/' && !left.has(dirname(path))) continue
        left.set(path, directories.has(path) ? 'directory' : survivor(extentOf(node), chance, stale))
      }
      return left
    },
  }
}

function survivingNames(
  durable: ReadonlyMap<string, number>,
  pending: readonly Naming[],
  chance: Chance,
): Map<string, number> {
  const lucky = [0, 0.5, 1][chance.below(3)] ?? 0.5
  const found = new Map(durable)
  for (const change of pending) if (chance.maybe(lucky)) renamed(found, change)
  return found
}

function renamed(names: Map<string, number>, change: Naming): void {
  for (const [path, node] of change.set) {
    if (node) names.set(path, node.id)
    else names.delete(path)
  }
}

/** The file with all its pending changes, including what a truncation took away. */
function wholeOf(extent: Extent): Buffer {
  return extent.pending
    .filter(({ kind }) => kind === 'write')
    .reduce((content, change) => changed(content, change), extent.durable)
}

function changed(content: Buffer, change: Write): Buffer {
  if (change.kind === 'truncate') {
    const shortened = Buffer.alloc(change.length)
    content.copy(shortened)
    return shortened
  }
  const end = change.offset + change.bytes.length
  const grown = Buffer.alloc(Math.max(content.length, end))
  content.copy(grown)
  grown.set(change.bytes, change.offset)
  return grown
}

/** Any subset of the sectors of unflushed writes, the old or the new length, zeros or garbage in between. */
function survivor(extent: Extent, chance: Chance, stale: Buffer | undefined): Buffer {
  if (extent.pending.length === 0) return extent.durable
  const lucky = [0, 0.5, 0.9, 1][chance.below(4)] ?? 0.5
  let content: Buffer = Buffer.from(extent.durable)
  for (const change of extent.pending) {
    if (change.kind === 'truncate') {
      if (chance.maybe(lucky)) content = changed(content, change)
    } else {
      content = partly(content, change, { chance, lucky, stale: extent.fresh ? stale : undefined })
    }
  }
  return content
}

interface Luck {
  readonly chance: Chance
  readonly lucky: number
  readonly stale: Buffer | undefined
}

function partly(before: Buffer, change: Extract<Write, { kind: 'write' }>, luck: Luck): Buffer {
  const { chance, lucky, stale } = luck
  const { offset, bytes } = change
  const longer = offset + bytes.length > before.length && chance.maybe(Math.max(lucky, 0.5))
  const length = longer ? offset + bytes.length : before.length
  const content = Buffer.alloc(length)
  before.copy(content)
  const garbage = longer && chance.maybe(0.3)
  if (longer && stale) stale.copy(content, before.length)
  else if (garbage) chance.bytes(Math.min(64, length - before.length)).copy(content, before.length)
  // Blocks that still hold freed data were not written to.
  for (let at = longer && stale ? length : offset; at < Math.min(offset + bytes.length, length); ) {
    const next = Math.min((Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES, offset + bytes.length, length)
    if (chance.maybe(lucky)) content.set(bytes.subarray(at - offset, next - offset), at)
    at = next
  }
  return content
}
