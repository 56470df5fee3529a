import * as z from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { getRecord } from '../actions/get-record.ts'
import { DEFAULT_ANSWER_TOKENS, MAX_ANSWER_TOKENS } from '../domain/answer-budget.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import {
  answerFields,
  anyRecord,
  exactText,
  ID_FORMS,
  list,
  nextShape,
  problemShape,
  projectField,
  RECORD_IDS,
} from './shared-fields.ts'

/** Largest record that is read in pages; of a larger one comes an outline. */
const PAGED_TOKENS = 100_000

/** `handoff_get`: one record. */
export function getTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_get',
    title: 'Read handoff',
    description:
      'Reads one record: as JSON, one part by JSON pointer, as Markdown, or as a brief. A long answer comes in parts: page.next or truncated.next reads on. A damaged file comes with its problems. Changes nothing.',
    profile: 'standard',
    input: () =>
      z.object({
        id: z.string().describe(ID_FORMS),
        format: z
          .enum(['json', 'md', 'brief'])
          .default('json')
          .describe('md: Markdown; brief: what a resume shows'),
        pointer: z.string().optional().describe('only this part, such as /open_items/0'),
        with_defaults: z.boolean().default(false).describe('fill in defaults of absent members'),
        max_tokens: z
          .number()
          .min(1)
          .max(MAX_ANSWER_TOKENS)
          .default(DEFAULT_ANSWER_TOKENS)
          .describe('longest answer'),
        project: projectField,
      }),
    output: () =>
      z.object({
        id: z.string(),
        record: anyRecord.optional(),
        part: anyRecord.optional(),
        text: exactText.optional(),
        etag: z.string(),
        path: z.string(),
        problems: list(problemShape),
        truncated: z
          .object({
            reason: z.string(),
            next: nextShape,
          })
          .optional(),
        ...answerFields,
      }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: {
      method: 'GET',
      path: '/handoffs/{id}',
      etag: 'etag',
      // A brief says how old the record is and what changed in the repository since.
      untagged: ({ format }) => format === 'brief',
    },
    cli: { verb: 'handoff show', positional: ['id'], completes: { id: RECORD_IDS }, print: textIn },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return getRecord(project, {
        id: input.id,
        format: input.format,
        pointer: input.pointer,
        withDefaults: input.with_defaults,
        // Over MCP the door gives long answers in pages.
        maxTokens: ctx.door === 'mcp' ? Math.max(input.max_tokens, PAGED_TOKENS) : input.max_tokens,
      })
    },
    headline: ({ id, path }) => `${shortId(id)} at ${path}`.slice(0, 300),
    omits: { '/path': 'in the headline' },
  })
}

/** The text if one was asked for; a record is printed like any answer. */
function textIn(output: unknown): string | undefined {
  return (output as { text?: string }).text // this tool's own output
}
