import * as z from 'zod'
import { counted, defineTool, inWords } from '../../../server/plugin.ts'
import {
  assessRecord,
  FRESHNESS_TOKENS,
  freshnessAnswer,
  MAX_FRESHNESS_TOKENS,
  wholeFreshness,
} from '../actions/check-freshness.ts'
import { findRecord } from '../actions/find-record.ts'
import { CLAIM_VERDICTS, GATES } from '../domain/claim-verdicts.ts'
import { ARTIFACT_STATES, DRIFT_STATES } from '../domain/drift.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, ID_FORMS, list, projectField, RECORD_IDS, truncatedShape } from './shared-fields.ts'

/** State of a record against the project; `handoff_freshness` and `handoff_resume` answer it. */
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
  relevant: z.boolean().describe('something in scope or an artifact changed'),
  claims: list(z.object({ evidence_id: z.string(), verdict: z.enum(CLAIM_VERDICTS), reason: z.string() })),
  decisions: list(z.object({ decision_id: z.string(), verdict: z.enum(CLAIM_VERDICTS) })),
  gate: z.enum(GATES),
}

/** `handoff_freshness`: which claims of a record still hold. */
export function freshnessTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_freshness',
    title: 'Check handoff freshness',
    description:
      'Compares a record with the current repository and re-derives each piece of evidence (commit exists, file digest equal, artifact hash): holds, stale, contradicted or unverifiable, with one gate: go, care, stop. Use before acting on an old record. Never runs what a record names. max_tokens: longest answer.',
    profile: 'standard',
    input: () =>
      z.object({
        id: z.string().default('latest').describe(ID_FORMS),
        max_tokens: inWords(
          z.number().min(1).max(MAX_FRESHNESS_TOKENS).default(FRESHNESS_TOKENS).describe('longest answer'),
        ),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        ...freshnessFields,
        truncated: truncatedShape.optional(),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/{id}/freshness' },
    cli: {
      verb: 'handoff fresh',
      positional: ['[id]'],
      completes: { id: RECORD_IDS },
      // this tool's own output
      found: (output) => (output as { freshness: { stale: boolean } }).freshness.stale,
    },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const { id, record } = await findRecord(project, input.id)
      const assessment = await assessRecord(project, record)
      const { freshness, leftOut } = freshnessAnswer(assessment, input.max_tokens)
      const isCut = Object.keys(leftOut).length > 0
      return {
        root: project.root,
        id,
        ...freshness,
        ...(isCut && {
          truncated: { reason: 'over_budget', left_out: leftOut, next: wholeFreshness(id) },
        }),
        warnings: [],
      }
    },
    headline: ({ id, state, gate, claims }) => {
      const broken = claims.filter(({ verdict }) => verdict === 'stale' || verdict === 'contradicted')
      return `${shortId(id)}: ${state}, gate ${gate}, ${counted(broken.length, 'claim does', 'claims do')} not hold`
    },
  })
}
