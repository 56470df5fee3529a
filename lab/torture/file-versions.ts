import { addTo } from '../../server/platform/grouped.ts'
import type { Change, Image, SimulatedNode } from '../../server/platform/testing/simulated-disk.ts'

/** What a file held from disk change `at` on. */
export interface FileVersion {
  /** Disk changes before it was seen under this name; 0: from the start. */
  readonly at: number
  readonly content: Buffer
}

/** Everything that each file below `folder` held, as the running system saw it, oldest first. Removals are left out. */
export function versionsBelow(
  folder: string,
  start: Image,
  changes: readonly Change[],
): ReadonlyMap<string, readonly FileVersion[]> {
  const contents = new Map<number, Buffer>()
  const names = new Map<string, number>()
  const versions = new Map<string, FileVersion[]>()
  const note = (path: string, at: number): void => {
    const content = contents.get(names.get(path) ?? 0)
    if (!content || !path.startsWith(`${folder}/`)) return
    addTo(versions, path, { at, content })
  }
  const name = (path: string, node: SimulatedNode | undefined): void => {
    if (!node) names.delete(path)
    else names.set(path, node.id)
    if (node?.kind === 'file' && !contents.has(node.id)) contents.set(node.id, EMPTY)
  }
  for (const [path, content] of start) {
    names.set(path, names.size + 1)
    if (content !== 'directory') contents.set(names.size, content)
    note(path, 0)
  }
  for (const [number, change] of changes.entries()) {
    for (const [path, node] of change.kind === 'names' ? change.set : []) name(path, node)
    const isContent = change.kind === 'write' || change.kind === 'truncate'
    if (isContent) contents.set(change.node, written(contents.get(change.node) ?? EMPTY, change))
    for (const path of pathsOf(change, names)) note(path, number + 1)
  }
  return versions
}

const EMPTY = Buffer.alloc(0)

/** The paths at which a change is seen. */
function pathsOf(change: Change, names: ReadonlyMap<string, number>): readonly string[] {
  if (change.kind === 'names') return change.set.map(([path]) => path)
  if (change.kind !== 'write' && change.kind !== 'truncate') return []
  return [...names].flatMap(([path, node]) => (node === change.node ? path : []))
}

function written(content: Buffer, change: Extract<Change, { kind: 'write' | 'truncate' }>): Buffer {
  const end = change.kind === 'truncate' ? change.length : change.offset + change.bytes.length
  const next = Buffer.alloc(change.kind === 'truncate' ? end : Math.max(content.length, end))
  content.copy(next)
  if (change.kind === 'write') next.set(change.bytes, change.offset)
  return next
}
