import * as z from 'zod'
import { counted, defineTool, inWords } from '../../../server/plugin.ts'
import { mergeStored } from '../actions/merge-records.ts'
import { resolveMerge } from '../actions/resolve-merge.ts'
import { CONFLICT_KINDS } from '../domain/merge-conflicts.ts'
import type { Handoffs } from '../project.ts'
import { refusals } from '../reasons.ts'
import { answerFields, list, projectField, RECORD_IDS, recordText } from './shared-fields.ts'

const mergeOutput = () =>
  z.object({
    conflicts: list(
      z.object({
        id: z.string(),
        kind: z.enum(CONFLICT_KINDS),
        subject: recordText,
        field: z.string(),
        positions: list(
          z.object({
            parent: z.string(),
            text: recordText,
            item_id: z.string().optional(),
            item: z.record(z.string(), z.unknown()).nullable().optional(),
          }),
        ),
      }),
    ),
    unresolved: z.number(),
    child_id: z.string().optional(),
    etag: z.string().optional(),
    renumbered: z.record(z.string(), z.record(z.string(), z.string())).describe('parent -> old id -> new id'),
    ...answerFields,
  })

/** `handoff_merge`: joins records. */
export function mergeTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_merge',
    title: 'Merge handoffs',
    description:
      'Joins 2 to 20 records by field: report lists conflicts and writes nothing, draft writes one child. Resolve conflicts in the same call, or later with child. Also takes title, objective, current_state of the child. Drops only what one side removed.',
    profile: 'full',
    input: () =>
      z.object({
        ids: z.array(z.string()).max(20).optional().describe('records to join, 2 to 20'),
        child: z.string().optional().describe('or a merged draft to resolve'),
        strategy: z.enum(['report', 'draft']).default('report').describe('draft writes the child'),
        resolutions: z
          .array(
            z.object({
              conflict_id: z.string(),
              choose: z.string(),
              text: z.string().optional(),
              rationale: z.string().min(1),
            }),
          )
          .optional()
          .describe('choose: id of a parent, or text'),
        title: inWords(z.string().min(1).optional().describe('title of the child')),
        objective: inWords(z.string().min(1).optional().describe('objective of the child')),
        current_state: inWords(z.string().min(1).optional().describe('state of the child')),
        project: projectField,
      }),
    output: mergeOutput,
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    maxResultChars: 300_000,
    http: { method: 'POST', path: '/handoffs/merge', etag: 'etag' },
    cli: { verb: 'handoff merge', positional: ['[ids...]'], completes: { ids: RECORD_IDS } },
    example: { ids: ['a1b2c3d4', 'e5f60718'] },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const { ids = [], child, strategy, resolutions = [], title, objective, current_state } = input
      if (child !== undefined && ids.length === 0) return resolveMerge(project, child, resolutions)
      if (child !== undefined) throw refusals.one_argument({ names: 'ids and child' })
      const overrides = { title, objective, current_state }
      return mergeStored(ctx, project, { ids, strategy, resolutions, overrides })
    },
    headline: ({ conflicts, unresolved, child_id }) =>
      `${child_id === undefined ? 'Nothing was written' : `Draft ${child_id}`}: ${counted(conflicts.length, 'conflict')}, ${unresolved} open`,
  })
}
