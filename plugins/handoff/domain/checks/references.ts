import {
  failedAttempts,
  type Handoff,
  ITEM_COLLECTIONS,
  ITEM_LETTERS,
  type ItemCollection,
  isItemId,
} from '../record.ts'
import { quoted } from '../secrets.ts'
import { type CheckFinding, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks of item ids and references to them. */
export const REFERENCE_CHECKS: readonly CheckRule[] = [
  { name: 'ids', level: 'semantic', run: checkIds },
  { name: 'refs.evidence', level: 'semantic', run: checkEvidenceReferences },
  { name: 'refs.blocked_by', level: 'semantic', run: checkBlockers },
]

function checkIds({ record }: Subject): readonly CheckFinding[] {
  const owner = new Map<string, ItemCollection>()
  return ITEM_COLLECTIONS.flatMap((collection) =>
    (record[collection] ?? []).flatMap(({ id }, index) => {
      if (!isItemId(id)) return [] // reported by the schema check
      const other = owner.get(id)
      owner.set(id, collection)
      return idFindings(id, collection, other, `/${collection}/${index}/id`)
    }),
  )
}

function idFindings(
  id: string,
  collection: ItemCollection,
  other: ItemCollection | undefined,
  pointer: string,
): CheckFinding[] {
  const findings: CheckFinding[] = []
  if (other === collection) findings.push(fail(`${id} occurs twice in ${collection}`, pointer))
  else if (other !== undefined) findings.push(warn(`${id} is also in ${other}`, pointer))
  if (id[0] !== ITEM_LETTERS[collection]) {
    findings.push(
      warn(`${id} in ${collection}, where ids usually start with ${ITEM_LETTERS[collection]}-`, pointer),
    )
  }
  return findings
}

function checkEvidenceReferences({ record }: Subject): readonly CheckFinding[] {
  return danglingEvidence(record).map(({ detail, pointer }) => fail(detail, pointer))
}

/** References of decisions and failed attempts to evidence that the record does not have. */
export function danglingEvidence(
  record: Handoff,
): readonly { readonly detail: string; readonly pointer: string }[] {
  const known = new Set(record.evidence.map(({ id }) => id))
  const dangling = (collection: string, items: readonly { readonly evidence_ids: readonly string[] }[]) =>
    items.flatMap((item, index) =>
      item.evidence_ids.flatMap((id, at) =>
        known.has(id)
          ? []
          : [
              {
                detail: `"${quoted(id, 40)}" is not the id of an evidence item`,
                pointer: `/${collection}/${index}/evidence_ids/${at}`,
              },
            ],
      ),
    )
  return [...dangling('decisions', record.decisions), ...dangling('failed_attempts', failedAttempts(record))]
}

function checkBlockers({ record }: Subject): readonly CheckFinding[] {
  const known = new Set(record.open_items.map(({ id }) => id))
  const findings = record.open_items.flatMap((item, index) =>
    item.blocked_by.flatMap((blocker, at): CheckFinding[] => {
      const pointer = `/open_items/${index}/blocked_by/${at}`
      if (blocker === item.id) return [fail(`${item.id} is blocked by itself`, pointer)]
      // Any other text names a blocker outside the record.
      if (!isItemId(blocker) || known.has(blocker)) return []
      return [fail(`${blocker} is not an open item`, pointer)]
    }),
  )
  const cycle = blockerCycle(record)
  if (cycle) findings.push(fail(`open items block each other: ${cycle.join(' -> ')}`, '/open_items'))
  const open = record.open_items
  if (open.length > 0 && open.every((item) => item.blocked_by.length > 0)) {
    findings.push(warn('every open item is blocked', '/open_items'))
  }
  return findings
}

/** The first cycle of two or more items, each blocked by the next. Iterative, because chains may be long. */
function blockerCycle(record: Handoff): readonly string[] | undefined {
  const blockers = new Map(record.open_items.map((item) => [item.id, item.blocked_by]))
  const done = new Set<string>()
  for (const start of blockers.keys()) {
    const cycle = cycleFrom(start, blockers, done)
    if (cycle) return cycle
  }
  return undefined
}

function cycleFrom(
  start: string,
  blockers: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  const path: string[] = []
  const onPath = new Set<string>()
  const steps: { readonly id: string; next: number }[] = [{ id: start, next: 0 }]
  while (steps.length > 0) {
    const step = steps[steps.length - 1]
    if (!step) break
    if (step.next === 0) {
      path.push(step.id)
      onPath.add(step.id)
    }
    const blocker = (blockers.get(step.id) ?? [])[step.next++]
    if (blocker === undefined) {
      steps.pop()
      path.pop()
      onPath.delete(step.id)
      done.add(step.id)
    } else if (blocker !== step.id && onPath.has(blocker)) {
      return [...path.slice(path.indexOf(blocker)), blocker]
    } else if (blockers.has(blocker) && !done.has(blocker) && blocker !== step.id) {
      steps.push({ id: blocker, next: 0 })
    }
  }
  return undefined
}
