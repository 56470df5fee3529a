import { type EvidenceFinding, type EvidenceKind, isJsonObject } from '../../../server/plugin.ts'
import type { JudgedClaim } from '../domain/claim-verdicts.ts'
import { isProvided } from '../domain/evidence-ground.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { assessRecord } from './check-freshness.ts'
import { findRecord } from './find-record.ts'

const SHOWN = 3

/**
 * The kind of evidence `fresh`: the claims of a record still hold. Changed files alone prove nothing, because the work
 * itself changes files.
 */
export function freshEvidence(projectAt: (root: string) => Project): EvidenceKind {
  return {
    name: 'fresh',
    takes: 'id of a handoff record, or {record}',
    async capture(named, { root }) {
      const given = isJsonObject(named) ? named['record'] : named
      if (typeof given !== 'string') throw refusals.fresh_without_record()
      const project = projectAt(root)
      const { id } = await findRecord(project, given)
      return { facts: { record: id }, ...(await claimsOf(project, id)) }
    },
    async verify({ record }, { root }) {
      if (typeof record !== 'string') return { verdict: 'unverifiable', reason: 'it names no record' }
      return claimsOf(projectAt(root), record)
    },
    describe: ({ record }) => `The claims of the handoff record ${String(record)} hold`,
  }
}

async function claimsOf(project: Project, id: string): Promise<EvidenceFinding> {
  const { record } = await findRecord(project, id)
  const { claims, gate } = await assessRecord(project, record)
  const broken = claims.filter(({ verdict }) => verdict === 'contradicted' || verdict === 'stale')
  if (broken.length > 0 || gate === 'stop') {
    const isWrong = gate === 'stop' || broken.some(({ verdict }) => verdict === 'contradicted')
    return {
      verdict: isWrong ? 'contradicted' : 'stale',
      reason: reasonsOf(broken) || `the record is flagged ${record.flags.join(', ')}`,
    }
  }
  // A command is not run again, so it proves nothing either way. Evidence that its plugin cannot check here leaves a doubt.
  const provided = new Set(record.evidence.filter((item) => isProvided({ ...item })).map((item) => item.id))
  const doubtful = claims.filter((one) => one.verdict === 'unverifiable' && provided.has(one.evidence_id))
  if (doubtful.length > 0) return { verdict: 'unverifiable', reason: reasonsOf(doubtful) }
  if (claims.every(({ verdict }) => verdict === 'unverifiable'))
    return { verdict: 'unverifiable', reason: 'the record has no claim that can be checked here' }
  return { verdict: 'holds', reason: 'every claim of the record that can be checked holds' }
}

function reasonsOf(claims: readonly JudgedClaim[]): string {
  const reasons = claims.slice(0, SHOWN).map(({ evidence_id, reason }) => `${evidence_id}: ${reason}`)
  return [...reasons, ...(claims.length > SHOWN ? [`${claims.length - SHOWN} more`] : [])].join('; ')
}
