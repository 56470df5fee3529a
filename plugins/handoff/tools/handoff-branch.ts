import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { createRecord } from '../actions/create-record.ts'
import type { Handoffs } from '../project.ts'
import { refusals } from '../reasons.ts'
import { authoredFields, authoredOf } from './authored-fields.ts'
import { CREATED_OMITS, createdHeadline, createdOutput, withNext } from './handoff-create.ts'
import { ID_FORMS, projectField, RECORD_IDS } from './shared-fields.ts'

const text = z.string().optional()

/** The authored fields of `handoff_create`, parsed but not listed: they are as long as that tool. */
const overridesInput = z.looseObject({}).pipe(
  z.strictObject({
    ...authoredFields,
    title: text,
    objective: text,
    current_state: text,
    trigger: text,
    extra: z.looseObject({}).optional(),
    idempotency_key: text,
    dry_run: z.boolean().optional(),
  }),
)

/** Relation -> the help of its verb. */
const VERBS = {
  continue: {
    title: 'Carry on from a handoff',
    description:
      'Creates a draft child that carries on from a record and inherits its fields. --overrides replaces texts and appends to lists.',
  },
  fork: {
    title: 'Try another way from a handoff',
    description:
      'Creates a draft child that tries another way from the same record; --branch-label says which. --overrides replaces texts and appends to lists.',
    example: "satchel handoff fork latest --branch-label 'Without the cache'",
  },
  amend: {
    title: 'Correct a released handoff',
    description:
      'Creates a draft child that corrects a released record, whose own content cannot change. --overrides replaces texts and appends to lists.',
  },
} as const

/** `handoff_branch`: a child of a record. */
export function branchTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_branch',
    title: 'Branch handoff',
    description:
      'Creates a draft child that inherits a record: continue carries on, fork tries another way, amend corrects a released record. overrides replaces texts and appends to lists. To join records use handoff_merge.',
    profile: 'standard',
    input: () =>
      z.object({
        id: z.string().describe(`the parent: ${ID_FORMS}`),
        relation: z.enum(['continue', 'fork', 'amend', 'merge']).describe('how the child relates to it'),
        branch_label: z.string().min(1).max(200).optional().describe('what a fork tries'),
        overrides: overridesInput.optional().describe('fields of handoff_create'),
        project: projectField,
      }),
    output: createdOutput,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    http: { method: 'POST', path: '/handoffs/{id}/branch', etag: 'etag' },
    cli: Object.entries(VERBS).map(([relation, words]) => ({
      verb: `handoff ${relation}`,
      ...words,
      positional: ['id'],
      completes: { id: RECORD_IDS },
      preset: { relation },
    })),
    example: { id: 'latest', relation: 'continue', overrides: { current_state: 'The fixture is there.' } },
    async handler(ctx, input) {
      const { relation, branch_label, overrides = {} } = input
      if (relation === 'merge') {
        throw refusals.use_merge({ next: { tool: 'handoff_lineage', args: { id: input.id } } })
      }
      if (relation === 'fork' && branch_label === undefined) {
        throw refusals.label_missing({ errors: [{ pointer: '/branch_label', message: 'missing' }] })
      }
      const project = await handoffs.project(ctx, input.project)
      const created = await createRecord(ctx, project, {
        authored: authoredOf(overrides),
        parent: input.id,
        relation,
        branchLabel: branch_label,
        options: {
          captureGit: true,
          hashArtifacts: true,
          autoArtifacts: 'none',
          dryRun: overrides.dry_run ?? false,
        },
        idempotencyKey: overrides.idempotency_key,
      })
      return withNext(created)
    },
    headline: createdHeadline,
    omits: CREATED_OMITS,
  })
}
