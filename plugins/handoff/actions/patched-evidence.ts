import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../server/plugin.ts'
import type { GivenItem } from '../domain/item-ids.ts'
import type { JsonEdit } from '../domain/json-edit.ts'
import { childPointer } from '../domain/json-pointer.ts'
import type { Handoff } from '../domain/record.ts'
import type { Project } from '../project.ts'
import { captureEvidence } from './capture-evidence.ts'

/** What a patch makes of an item: what it was captured on does not hold for another reference. */
const NAMES = ['type', 'ref'] as const
const GROUND = ['head', 'patch_id', 'paths', 'tree', 'verdict'] as const

/**
 * The edits that give evidence of a patch what it was captured on: items that are new, and those that name something else
 * than before. `value` is the record after the patch, not checked yet. Errors: those of `captureEvidence`.
 */
export async function patchedEvidence(
  project: Project,
  before: Handoff,
  value: unknown,
): Promise<{ readonly edits: readonly JsonEdit[]; readonly warnings: readonly string[] }> {
  const listed = isJsonObject(value) ? value['evidence'] : undefined
  const items: readonly unknown[] = Array.isArray(listed) ? listed : []
  const fresh = items.flatMap((item, at) => {
    const kept = isJsonObject(item) ? withoutOldGround(before, item) : undefined
    return kept && isJsonObject(item) ? [{ at, item, kept }] : []
  })
  const captured = await captureEvidence(
    project,
    fresh.map(({ kept }) => kept),
  )
  const edits = fresh.flatMap(({ at, item }, index) =>
    editsOf(`/evidence/${at}`, item, captured.items[index] ?? item),
  )
  return { edits, warnings: captured.warnings }
}

/** Single members are set: the others keep their bytes. */
function editsOf(pointer: string, from: GivenItem, to: GivenItem): readonly JsonEdit[] {
  const removed = GROUND.filter((name) => Object.hasOwn(from, name) && !Object.hasOwn(to, name))
  const set = Object.entries(to).filter(([name, value]) => !isDeepStrictEqual(from[name], value))
  return [
    ...removed.map((name) => ({ op: 'remove' as const, pointer: `${pointer}/${name}` })),
    ...set.map(([name, value]) => ({ op: 'set' as const, pointer: childPointer(pointer, name), value })),
  ]
}

/** The item as it is captured; undefined for one that was captured before. */
function withoutOldGround({ evidence }: Handoff, item: GivenItem): GivenItem | undefined {
  const known = evidence.find(({ id }) => id === item['id']) as GivenItem | undefined // also its free members
  if (known === undefined) return Object.hasOwn(item, 'head') ? undefined : item
  if (NAMES.every((name) => isDeepStrictEqual(known[name], item[name]))) return undefined
  const old = [...GROUND, 'digest'].filter((name) => isDeepStrictEqual(known[name], item[name]))
  const kept = Object.entries(item).filter(([name]) => !old.includes(name))
  return { ...Object.fromEntries(kept), digest: old.includes('digest') ? null : item['digest'] }
}
