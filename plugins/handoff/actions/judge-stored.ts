import { readableRecord } from '../domain/readable-record.ts'
import type { Handoff } from '../domain/record.ts'
import { type Verdict, verdictOn } from '../domain/validation.ts'
import type { Handoffs, Project } from '../project.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { worldOf } from './world.ts'

/**
 * Every check on a stored record, as a transition runs them: what the last run left behind (status, flag) is not
 * held against it.
 */
export async function judgeStored(
  handoffs: Handoffs,
  project: Project,
  stored: StoredRecord,
): Promise<Verdict> {
  const { record, document } = stored
  const unjudged: Handoff = {
    ...readableRecord(record),
    status: 'draft',
    flags: record.flags.filter((flag) => flag !== 'invalid'),
  }
  return verdictOn(
    {
      source: { kind: 'text', document },
      value: document.value,
      faults: [],
      record: unjudged,
      world: await worldOf(handoffs, project, record),
      now: handoffs.now(),
      transcripts: handoffs.config.transcripts,
    },
    'all',
    false,
  )
}
