import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { NOTE_KINDS, takeNote } from '../actions/take-note.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, projectField } from './shared-fields.ts'

/** `handoff_note`: one line for the next session. */
export function noteTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_note',
    title: 'Take a note',
    description:
      "Adds one line to this session's draft, which it makes if there is none: a decision, a failed attempt, the next action, or finished work. Use it at the moment it happens: notes survive a compaction. Returns the draft and the item.",
    profile: 'full',
    input: () =>
      z.object({
        kind: z.enum(NOTE_KINDS).describe('what the note is'),
        text: z.string().min(1).max(4000).describe('the note'),
        why: z.string().max(4000).optional().describe('reason'),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        item: z.string().optional().describe('id of the new item'),
        created: z.boolean().describe('the draft is new'),
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    http: { method: 'POST', path: '/handoffs/notes' },
    cli: { verb: 'handoff note', positional: ['kind', 'text'] },
    example: { kind: 'failed', text: 'Kept the state in a cookie', why: 'browsers drop it on the redirect' },
    async handler(ctx, { kind, text, why, project }) {
      return takeNote(ctx, await handoffs.project(ctx, project), { kind, text, why })
    },
    headline: ({ id, item, created }) =>
      `Noted${item === undefined ? '' : ` ${item}`} in ${created ? 'the new draft' : 'draft'} ${shortId(id)}.`,
    omits: {
      '/root': 'the folder of the project, which the caller chose',
      '/created': 'in the headline',
      '/item': 'in the headline',
    },
  })
}
