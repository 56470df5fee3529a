import { counted } from '../../../../server/plugin.ts'
import { commitOf } from '../commit-id.ts'
import { drift, isDeleted } from '../drift.ts'
import { agreement } from '../line-ends.ts'
import { isSensitivePath } from '../path-pattern.ts'
import { isSha256 } from '../record-id.ts'
import type { FileFact } from '../world-facts.ts'
import { type CheckFinding, type CheckOutcome, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks against the files and the repository. */
export const WORLD_CHECKS: readonly CheckRule[] = [
  { name: 'paths', level: 'repo', run: checkPaths },
  { name: 'artifacts', level: 'repo', run: checkArtifacts },
  { name: 'evidence', level: 'repo', run: checkEvidence },
  { name: 'freshness', level: 'repo', run: checkFreshness },
]

function checkPaths({ record, world }: Subject): CheckOutcome {
  const { files } = world
  if (!files) return { skipped: 'no files were checked' }
  return record.artifacts.flatMap((artifact, index) => {
    const pointer = `/artifacts/${index}/path`
    const fact = files.get(artifact.path)
    const findings: CheckFinding[] = []
    if (fact?.kind === 'outside') findings.push(fail(fact.detail, pointer))
    const mayBeMissing = artifact.role === 'generated' || isDeleted(artifact)
    if (fact?.kind === 'missing' && !mayBeMissing) findings.push(warn('no such file', pointer))
    if (artifact.path.includes('\\')) findings.push(warn('the path contains backslashes', pointer))
    if (isSensitivePath(artifact.path) && !artifact.sensitive) {
      findings.push(warn('such files usually hold secrets; mark it as sensitive', pointer))
    }
    return findings
  })
}

function checkArtifacts({ record, world }: Subject): CheckOutcome {
  const { files } = world
  if (!files) return { skipped: 'no files were checked' }
  const skipped = record.artifacts.filter(({ path }) => isSkipped(files.get(path))).length
  const findings = record.artifacts.flatMap((artifact, index) => {
    if (artifact.content_hash === null) return []
    const pointer = `/artifacts/${index}/content_hash`
    if (!isSha256(artifact.content_hash)) {
      return [warn('unknown kind of hash; only sha256:<hex> is compared', pointer)]
    }
    return hashFinding(files.get(artifact.path), artifact.content_hash, pointer)
  })
  return findings.length === 0 && skipped > 0
    ? { skipped: `${counted(skipped, 'file was', 'files were')} not hashed` }
    : findings
}

/** Files beyond the limits of count and time. */
function isSkipped(fact: FileFact | undefined): boolean {
  return fact?.kind === 'file' && (fact.unhashed === 'out_of_time' || fact.unhashed === 'too_many')
}

function hashFinding(fact: FileFact | undefined, hash: string, pointer: string): CheckFinding[] {
  if (fact?.kind !== 'file') return []
  if (fact.unhashed === 'too_big') return [warn('more than 10 MB: not hashed', pointer)]
  if (fact.sha256 === undefined || agreement(fact, hash.toLowerCase())) return []
  return [warn('the file has changed', pointer)]
}

function checkEvidence({ record, world }: Subject): CheckOutcome {
  return record.evidence.flatMap((item, index): CheckFinding[] => {
    const at = (field: string) => `/evidence/${index}/${field}`
    const findings: CheckFinding[] = []
    if (item.type === 'commit') findings.push(...commitFindings(item.ref ?? '', world.git, at('ref')))
    if (item.type === 'url' && !/^https?:\/\/[^\s/]/i.test(item.ref ?? '')) {
      findings.push(warn('not an http or https URL', at('ref')))
    }
    if (item.digest !== null && !/^[a-z0-9-]{1,20}:[0-9a-f]+$/i.test(item.digest)) {
      findings.push(warn('a digest must have the form algorithm:hex', at('digest')))
    }
    if ((item.type === 'test' || item.type === 'command') && !item.result) {
      findings.push(warn(`a ${item.type} without its result`, at('result')))
    }
    return findings
  })
}

function commitFindings(ref: string, git: Subject['world']['git'], pointer: string): CheckFinding[] {
  const commit = commitOf(ref)
  if (commit === undefined) return [warn('a commit id must have 7 to 64 hex digits', pointer)]
  if (git?.kind !== 'repository') return []
  const fact = git.commits.get(commit)
  return fact === 'absent' || fact === 'removed' || fact === 'untraced' || fact === 'unreachable'
    ? [warn('no such commit in the repository', pointer)]
    : []
}

function checkFreshness({ record, world }: Subject): CheckOutcome {
  if (!world.git || world.git.kind === 'none') return { skipped: world.git?.reason ?? 'git was not run' }
  const { state, reasons } = drift(record, world)
  return state === 'fresh'
    ? []
    : [warn(`${state}${reasons[0] ? `: ${reasons[0]}` : ''}`, '/project/repository/head')]
}
