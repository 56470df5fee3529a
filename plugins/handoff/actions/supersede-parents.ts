import { isSatchelError } from '../../../server/plugin.ts'
import { editText } from '../domain/json-edit.ts'
import { type Claim, extension, type Handoff, isEditable } from '../domain/record.ts'
import { changeEdits, type RecordChange } from '../domain/record-change.ts'
import type { Project } from '../project.ts'
import { claimOn, endClaimOn } from '../store/claims.ts'
import type { StoredRecord } from '../store/read-record.ts'

/**
 * Supersedes the parents of a child that became ready (a fork leaves its parent), and ends the claim of the child's
 * session on them. Each parent is changed under its own lock. A parent that cannot be written gives only a warning,
 * because leaves come from the lineage and not from the status.
 */
export async function supersedeParents(project: Project, child: Handoff): Promise<string[]> {
  const warnings: string[] = []
  const parents = new Set(child.lineage.parents)
  for (const parent of parents) {
    try {
      await project.store.update(parent, undefined, async (current) => {
        if (current.kind === 'broken') return undefined
        const claim = await claimOn(project.store, current.record, project.now().getTime())
        const change = changeOf(current.record, claim, child)
        if (change?.status === 'superseded')
          for (const passed of passedBy(current.record)) parents.add(passed)
        if (change?.claim === null) await endClaimOn(project.store, parent)
        return change && changedText(project, current, { change, child })
      })
    } catch (thrown) {
      if (!isSatchelError(thrown)) throw thrown
      warnings.push(`The parent ${parent} was not changed (${thrown.reason}).`)
    }
  }
  return warnings
}

/** A draft had superseded nothing yet: what comes after it goes on from its parents, too. */
function passedBy(parent: Handoff): readonly string[] {
  return isEditable(parent) && parent.lineage.relation !== 'fork' ? parent.lineage.parents : []
}

function changedText(
  project: Project,
  current: StoredRecord,
  { change, child }: { readonly change: RecordChange; readonly child: Handoff },
): string {
  const at = project.now().toISOString()
  const reason = `${child.lineage.relation} ${child.id} became ready`
  const entry = { by: extension(child).session ?? null, reason }
  return editText(current.document, changeEdits(current.record, { ...change, entry, at }))
}

function changeOf(parent: Handoff, claim: Claim | null, child: Handoff): RecordChange | undefined {
  if (child.lineage.relation !== 'fork') {
    const isRetired = parent.status === 'superseded' || parent.status === 'archived'
    return isRetired ? undefined : { status: 'superseded', claim: null }
  }
  if (claim === null || claim.by !== extension(child).session) return undefined
  return { claim: null, ...(parent.status === 'resumed' && { status: 'ready' as const }) }
}
