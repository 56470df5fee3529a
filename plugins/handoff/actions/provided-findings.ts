import { type EvidenceFinding, isJsonObject } from '../../../server/plugin.ts'
import { hasFreeMember, providedOf } from '../domain/evidence-ground.ts'
import type { Evidence, Handoff } from '../domain/record.ts'
import type { Project } from '../project.ts'

/** Pieces of evidence of one record that plugins check; further ones are unverifiable. */
const MAX_CHECKED = 50

/** What plugins find now of the evidence of their kinds, by id. Plugins are asked only if a record has such evidence. */
export async function providedFindings(
  project: Project,
  { evidence }: Handoff,
): Promise<ReadonlyMap<string, EvidenceFinding>> {
  const items = evidence.filter((item) => item.type === 'observation' && hasFreeMember({ ...item }))
  if (items.length === 0) return new Map()
  const known = await project.evidence.names()
  const found = await Promise.all(
    items.map(async (item, at) => [item.id, await findingOf(project, item, { known, at })] as const),
  )
  return new Map(found.flatMap(([id, finding]) => (finding ? [[id, finding]] : [])))
}

async function findingOf(
  project: Project,
  item: Evidence,
  { known, at }: { readonly known: readonly string[]; readonly at: number },
): Promise<EvidenceFinding | undefined> {
  const provided = providedOf(item, known)
  // An observation with members of its author's own is none of a plugin.
  if (provided === undefined || !(known.includes(provided.kind) || isJsonObject(provided.facts)))
    return undefined
  if (at >= MAX_CHECKED)
    return {
      verdict: 'unverifiable',
      reason: `only ${MAX_CHECKED} claims of plugins are checked in one call`,
    }
  return project.evidence.verify(provided.kind, provided.facts, project.root)
}
