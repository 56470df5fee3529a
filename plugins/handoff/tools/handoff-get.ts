import { z } from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { getRecord } from '../actions/get-record.ts'
import { DEFAULT_ANSWER_TOKENS, MAX_ANSWER_TOKENS } from '../domain/answer-budget.ts'
import { shortId } from '../domain/record-id.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, digestOf, ID_FORMS, list, problemShape, projectField } from './shared-fields.ts'

/** `handoff_get`: one record. */
export function getTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_get',
    title: 'Read handoff',
    description:
      'Reads one record: as JSON, one part by JSON pointer, as Markdown, or as a brief. Over max_tokens it returns an outline, and truncated.next reads on. A damaged file comes with its problems. Changes nothing.',
    profile: 'standard',
    input: z.object({
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
    output: z.object({
      id: z.string(),
      record: z.unknown().optional(),
      part: z.unknown().optional(),
      text: z.string().optional(),
      etag: z.string(),
      path: z.string(),
      problems: list(problemShape),
      truncated: z
        .object({
          reason: z.string(),
          next: z.object({ tool: z.string(), args: z.record(z.string(), z.unknown()) }),
        })
        .optional(),
      ...answerFields,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/{id}', etag: 'etag' },
    cli: { verb: 'handoff show', positional: ['id'], print: shownIn },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return getRecord(project, {
        id: input.id,
        format: input.format,
        pointer: input.pointer,
        withDefaults: input.with_defaults,
        maxTokens: input.max_tokens,
      })
    },
    headline: ({ id, etag, path, problems, truncated, text }) =>
      digestOf([
        `${shortId(id)} at ${path}`,
        `etag: ${etag}`,
        ...problems.map(({ reason, detail }) => `problem ${reason}: ${detail}`.slice(0, 200)),
        truncated &&
          `Too long for max_tokens: this is an outline; read parts with ${JSON.stringify(truncated.next)}`,
        text !== undefined && `${text.length} characters of text`,
      ]),
  })
}

/** What a person sees: the text, else the JSON itself. */
function shownIn(output: unknown): string | undefined {
  const { text, record, part } = output as { text?: string; record?: unknown; part?: unknown } // this tool's own output
  if (text !== undefined) return text
  return JSON.stringify(record ?? part, null, 2)
}
