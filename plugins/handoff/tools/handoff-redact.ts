import * as z from 'zod'
import { counted, defineTool, type TypedFiles } from '../../../server/plugin.ts'
import { redactGivenRecord, redactGivenText, redactStored } from '../actions/redact-record.ts'
import type { Handoffs } from '../project.ts'
import { refusals } from '../reasons.ts'
import { answerFields, list, MAX_REASON_CHARS, projectField, redactionShape } from './shared-fields.ts'

/** `handoff_redact`: finds and removes secrets. */
export function redactTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_redact',
    title: 'Redact handoff',
    description:
      'Finds secrets in a stored record, a given record or a text; apply removes them from the stored record. A finding shows place and kind, never the secret. A released record needs force_reason.',
    profile: 'full',
    input: () =>
      z.object({
        id: z.string().optional().describe('stored record'),
        record: z.unknown().optional().describe('or a record'),
        text: z.string().optional().describe('or any text'),
        fields: z.array(z.string()).optional().describe('pointers of more texts to remove'),
        apply: z.boolean().default(false).describe('write the stored record'),
        force_reason: z
          .string()
          .max(MAX_REASON_CHARS)
          .optional()
          .describe('why a released record is rewritten'),
        project: projectField,
      }),
    output: () =>
      z.object({
        findings: list(
          z.object({
            pointer: z.string(),
            rule: z.string(),
            start: z.number(),
            end: z.number(),
            preview: z.string(),
            inName: z.literal(true).optional(),
          }),
        ),
        redactions: list(redactionShape),
        record: z.unknown().optional(),
        text: z.string().optional(),
        etag: z.string().optional(),
        applied: z.boolean(),
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    scope: 'admin',
    maxResultChars: 500_000,
    http: { method: 'POST', path: '/handoffs/redact' },
    cli: {
      verb: 'handoff redact',
      positional: ['[source]'],
      arguments: { source: 'a file, an id, or - for standard input' },
      arrange: sourceOf,
      example: 'satchel handoff redact latest',
      found: (output, input) =>
        input['apply'] !== true && (output as { findings: readonly unknown[] }).findings.length > 0, // its own output
    },
    example: { text: 'The token is in the vault.' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const { id, text, fields = [], apply, force_reason } = input
      const hasRecord = Object.hasOwn(input, 'record') && input.record !== undefined
      if ([id !== undefined, hasRecord, text !== undefined].filter(Boolean).length !== 1) {
        throw refusals.one_argument({ names: 'id, record and text' })
      }
      if (text !== undefined) return redactGivenText(project, text)
      if (id === undefined) return redactGivenRecord(project, input.record, fields)
      return redactStored(project, { id, fields, apply, forceReason: force_reason })
    },
    headline: ({ findings, redactions, applied }) =>
      `${counted(findings.length, 'secret')} found${applied ? `, ${redactions.length} redacted in the store` : ', nothing was written'}`,
  })
}

/** `FILE|-|ID`: a JSON file is a record, any other a text. */
async function sourceOf(typed: Readonly<Record<string, unknown>>, files: TypedFiles) {
  const { source, ...input } = typed
  if (input['id'] !== undefined || input['record'] !== undefined || input['text'] !== undefined) return input
  const named = typeof source === 'string' ? source : '-'
  if (named !== '-' && !(await files.exists(named))) return { ...input, id: named }
  const text = await files.readText(named)
  return named.endsWith('.json') ? { ...input, record: text } : { ...input, text }
}
