import { failedAttempts, type Handoff, inProgress, UNWRITTEN_PROJECT } from '../record.ts'
import { isUuid } from '../record-id.ts'
import { hasZone, timeOf } from '../record-time.ts'
import { quoted } from '../secrets.ts'
import { type CheckFinding, type CheckOutcome, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks of lineage and time. */
export const HISTORY_CHECKS: readonly CheckRule[] = [
  { name: 'lineage.shape', level: 'semantic', run: checkShape },
  { name: 'lineage.parents', level: 'repo', run: checkParents },
  { name: 'timestamps', level: 'semantic', run: checkTimestamps },
]

function checkShape({ record }: Subject): readonly CheckFinding[] {
  const { parents, relation, branch_label, merge_basis } = record.lineage
  const own = record.id.toLowerCase()
  const findings = parentCountFindings(record)
  if (own !== '' && parents.some((parent) => parent.toLowerCase() === own)) {
    findings.push(fail('the record is its own parent', '/lineage/parents'))
  }
  if (relation === 'fork' && !branch_label) {
    findings.push(warn('a fork without a label', '/lineage/branch_label'))
  }
  for (const [index, parent] of parents.entries()) {
    if (!isUuid(parent)) findings.push(warn('the parent is not a uuid', `/lineage/parents/${index}`))
  }
  if (relation !== 'merge' && merge_basis.length > 0) {
    findings.push(warn('merge_basis on a record that is not a merge', '/lineage/merge_basis'))
  }
  return findings
}

function parentCountFindings({ lineage: { parents, relation } }: Handoff): CheckFinding[] {
  const pointer = '/lineage/parents'
  const distinct = new Set(parents.map((parent) => parent.toLowerCase())).size
  if (relation === 'root') return parents.length > 0 ? [fail('a root record names parents', pointer)] : []
  if (relation === 'merge') {
    return distinct < 2 ? [fail('a merge has at least two distinct parents', pointer)] : []
  }
  if (!['continue', 'fork', 'amend'].includes(relation)) return []
  if (parents.length === 0) return [fail(`a ${relation} record names no parent`, pointer)]
  return parents.length > 1 ? [warn(`a ${relation} record has one parent`, pointer)] : []
}

function checkParents({ record, world }: Subject): CheckOutcome {
  const { relatives } = world
  if (!relatives) return { skipped: 'no store was checked' }
  const findings = record.lineage.parents.flatMap((parent, index) => {
    const pointer = `/lineage/parents/${index}`
    const facts = relatives.get(parent.toLowerCase())
    if (!facts) return isUuid(parent) ? [warn('the parent is not in this store', pointer)] : []
    const found: CheckFinding[] = []
    if (isOther(facts.project_id, record.project.id))
      found.push(warn('the parent is of another project', pointer))
    if (facts.flags.includes('invalid')) found.push(warn('the parent is flagged invalid', pointer))
    const [born, parentBorn] = [timeOf(record.created_at), timeOf(facts.created_at)]
    if (born !== undefined && parentBorn !== undefined && parentBorn > born) {
      found.push(warn('the parent is newer than the record', pointer))
    }
    return found
  })
  if (hasParentCycle(record, relatives)) findings.push(fail('the ancestors form a cycle', '/lineage/parents'))
  if (isSecondChild(record, relatives)) {
    findings.push(warn('another live record continues the same parent', '/lineage/parents'))
  }
  return findings
}

function isOther(...projects: readonly [string, string]): boolean {
  return projects[0] !== projects[1] && !projects.includes(UNWRITTEN_PROJECT)
}

/** True if the record's ancestors contain a cycle. */
function hasParentCycle(
  record: Handoff,
  relatives: ReadonlyMap<string, { parents: readonly string[] }>,
): boolean {
  const own = record.id.toLowerCase()
  const parentsOf = (id: string) =>
    (id === own ? record.lineage.parents : (relatives.get(id)?.parents ?? [])).map((parent) =>
      parent.toLowerCase(),
    )
  // Removes records without remaining parents until none is left. What remains is on a cycle or descends from one.
  // Starts at the far end, so that a long chain is removed in one pass.
  const reached = new Set([own])
  for (const id of reached) for (const parent of parentsOf(id)) reached.add(parent)
  let before = -1
  const left = new Set(reached)
  while (left.size !== before) {
    before = left.size
    for (const id of [...left].reverse())
      if (!parentsOf(id).some((parent) => left.has(parent) && parent !== id)) left.delete(id)
  }
  return left.size > 0
}

function isSecondChild(
  record: Handoff,
  relatives: ReadonlyMap<
    string,
    { id: string; relation: string; status: string; skeleton: boolean; parents: readonly string[] }
  >,
): boolean {
  if (record.lineage.relation !== 'continue') return false
  const parents = new Set(record.lineage.parents.map((parent) => parent.toLowerCase()))
  for (const [id, other] of relatives) {
    if (id === record.id.toLowerCase() || other.relation !== 'continue' || !isLiveChild(other)) continue
    if (other.parents.some((parent) => parents.has(parent.toLowerCase()))) return true
  }
  return false
}

/** True for a child that is neither superseded nor archived, nor a skeleton. */
export function isLiveChild(facts: { readonly status: string; readonly skeleton: boolean }): boolean {
  return facts.status !== 'superseded' && facts.status !== 'archived' && !facts.skeleton
}

const FUTURE_MS = 5 * 60 * 1000

function checkTimestamps({ record, now }: Subject): readonly CheckFinding[] {
  const updated = timeOf(record.updated_at)
  const created = timeOf(record.created_at)
  const findings: CheckFinding[] = []
  for (const [pointer, text] of timesOf(record)) {
    const time = timeOf(text)
    if (time === undefined) findings.push(warn(`"${quoted(text, 40)}" is not a time`, pointer))
    else if (!hasZone(text)) findings.push(warn('a time without a zone', pointer))
    else if (time > now.getTime() + FUTURE_MS) findings.push(warn('a time in the future', pointer))
    else if (updated !== undefined && time > updated && !pointer.startsWith('/validation')) {
      if (pointer !== '/created_at') findings.push(warn('later than updated_at', pointer))
    }
  }
  if (created !== undefined && updated !== undefined && updated < created) {
    findings.push(warn('updated_at is before created_at', '/updated_at'))
  }
  return findings
}

function timesOf(record: Handoff): [string, string][] {
  const { validated_at } = record.validation
  return [
    ['/created_at', record.created_at],
    ['/updated_at', record.updated_at],
    ...record.decisions.map(({ made_at }, i): [string, string] => [`/decisions/${i}/made_at`, made_at]),
    ...record.evidence.map(({ captured_at }, i): [string, string] => [
      `/evidence/${i}/captured_at`,
      captured_at,
    ]),
    ...(validated_at === null ? [] : [['/validation/validated_at', validated_at] as [string, string]]),
  ]
}

/** Number of entries in each collection of the record. */
export function countsOf(record: Handoff): Record<string, number> {
  return {
    decisions: record.decisions.length,
    evidence: record.evidence.length,
    artifacts: record.artifacts.length,
    failed_attempts: failedAttempts(record).length,
    open_items: record.open_items.length,
    risks: record.risks.length,
    completed: record.summary.completed.length,
    in_progress: inProgress(record).length,
  }
}
