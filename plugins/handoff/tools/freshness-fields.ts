import { z } from 'zod'
import { CLAIM_VERDICTS, GATES } from '../domain/claim-verdicts.ts'
import { ARTIFACT_STATES, DRIFT_STATES } from '../domain/drift.ts'
import { list } from './shared-fields.ts'

/** How a record stands against the project, as `handoff_freshness` and `handoff_resume` answer it. */
export const freshnessFields = {
  state: z.enum(DRIFT_STATES),
  freshness: z.object({
    git_head_at_capture: z.string().nullable(),
    git_head_now: z.string().nullable(),
    stale: z.boolean(),
  }),
  commits_ahead: z.number().nullable(),
  changed_in_scope: list(z.string()),
  artifacts: list(z.object({ path: z.string(), status: z.enum(ARTIFACT_STATES) })),
  reasons: list(z.string()),
  relevant: z.boolean().describe('something in scope or among the artifacts changed'),
  claims: list(z.object({ evidence_id: z.string(), verdict: z.enum(CLAIM_VERDICTS), reason: z.string() })),
  decisions: list(z.object({ decision_id: z.string(), verdict: z.enum(CLAIM_VERDICTS) })),
  gate: z.enum(GATES),
}
