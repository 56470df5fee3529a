import * as z from 'zod'
import { defineTool, inWords } from '../../../server/plugin.ts'
import { transitionRecord } from '../actions/transition-record.ts'
import { FLAGS, STATUSES } from '../domain/record.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import {
  answerFields,
  ID_FORMS,
  list,
  MAX_REASON_CHARS,
  oneOf,
  projectField,
  RECORD_IDS,
} from './shared-fields.ts'

/** `handoff_transition`: changes the status of a record. */
export function transitionTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_transition',
    title: 'Change handoff status',
    description:
      'Moves a record to another status: validated runs all checks, ready releases it (its parent becomes superseded, a claim ends), archived retires it. A refusal lists what is allowed. Also takes from, if_match, clear_flags, nonce (for retries).',
    profile: 'core',
    input: () =>
      z.object({
        id: z.string().describe(ID_FORMS),
        to: z.enum(STATUSES).optional().describe('status to move to'),
        from: inWords(z.string().optional().describe('status it must have now')),
        if_match: inWords(z.string().optional().describe('etag it must have now')),
        reason: z.string().max(MAX_REASON_CHARS).optional().describe('reason, for its history'),
        accept_warnings: z
          .string()
          .max(MAX_REASON_CHARS)
          .optional()
          .describe('why it may be released with warnings'),
        clear_flags: inWords(z.array(z.string()).optional().describe('resolved flags: conflicted')),
        nonce: inWords(z.string().max(200).optional().describe('a repeated call changes nothing')),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        from: z.enum(STATUSES),
        to: z.enum(STATUSES),
        flags: list(z.enum(FLAGS)),
        etag: z.string(),
        repeated: z.boolean(),
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    http: {
      method: 'POST',
      path: '/handoffs/{id}/transition',
      headers: { 'if-match': 'if_match' },
      etag: 'etag',
    },
    cli: { verb: 'handoff set-status', positional: ['id', '[to]'], completes: { id: RECORD_IDS } },
    example: { id: 'latest', to: 'validated' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return transitionRecord(ctx, project, {
        id: input.id,
        to: input.to,
        from: input.from === undefined ? undefined : oneOf('from', input.from, STATUSES),
        ifMatch: input.if_match,
        reason: input.reason,
        acceptWarnings: input.accept_warnings,
        clearFlags: (input.clear_flags ?? []).map((flag) => oneOf('clear_flags', flag, FLAGS)),
        nonce: input.nonce,
      })
    },
    headline: ({ id, from, to, repeated }) => {
      const change = from === to ? `${shortId(id)} is ${to}` : `${shortId(id)}: ${from} -> ${to}`
      return repeated ? `${change} (this nonce was used before: nothing was changed)` : change
    },
  })
}
