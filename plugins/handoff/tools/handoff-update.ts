import * as z from 'zod'
import { counted, defineTool } from '../../../server/plugin.ts'
import { updateRecord } from '../actions/update-record.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import { authoredFields } from './authored-fields.ts'
import { answerFields, ID_FORMS, list, projectField, RECORD_IDS, validationShape } from './shared-fields.ts'

const { closes: _closes, why_it_matters: _why, ...appendable } = authoredFields

/** RFC 6902 ignores further members. */
const operation = z.looseObject({
  op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
  path: z.string(),
  from: z.string().optional(),
  value: z.unknown().optional(),
})

const MAX_OPERATIONS = 200

/** Fields to append. Parsed but not listed: the schema would be as long as that of `handoff_create`. */
const appendix = z.looseObject({}).pipe(z.strictObject(appendable))

/** `handoff_update`: edits a draft or validated record. */
export function updateTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_update',
    title: 'Edit handoff',
    description:
      'Edits a draft or validated record, which becomes a draft again: a JSON patch (RFC 6902), or append with lists as in handoff_create. conflict/etag_mismatch: it changed; read it again. Amend released records with handoff_branch. Returns etag, assigned ids.',
    profile: 'standard',
    input: () =>
      z.object({
        id: z.string().describe(ID_FORMS),
        if_match: z.string().describe('etag of the version you saw'),
        patch: z
          .array(z.looseObject({}).pipe(operation))
          .max(MAX_OPERATIONS)
          .optional()
          .describe('{op, path, from, value}'),
        append: appendix.optional().describe('lists to add to, as in handoff_create'),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        etag: z.string(),
        status: z.string(),
        changed: list(z.string()),
        assigned_ids: z.record(z.string(), z.string()),
        validation: validationShape,
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    http: { method: 'PATCH', path: '/handoffs/{id}', headers: { 'if-match': 'if_match' }, etag: 'etag' },
    cli: { verb: 'handoff edit', positional: ['id'], completes: { id: RECORD_IDS } },
    example: {
      id: 'latest',
      if_match: 'sha256:0000000000000000000000000000000000000000000000000000000000000000',
      append: { completed: ['Added the fixture'] },
    },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return updateRecord(project, {
        id: input.id,
        ifMatch: input.if_match,
        patch: input.patch,
        append: input.append,
      })
    },
    headline: ({ id, status, changed }) =>
      `${shortId(id)} edited, now ${status}: ${counted(changed.length, 'part')} changed`,
  })
}
