import { z } from 'zod'
import { defineTool, inWords } from '../../../server/plugin.ts'
import { exportRecords } from '../actions/export-records.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, digestOf, projectField } from './shared-fields.ts'
import { truncatedShape } from './truncated-shape.ts'

/** `handoff_export`: records as text. */
export function exportTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_export',
    title: 'Export handoff',
    description:
      'Gives a record as Markdown that a person reads and handoff_import takes back byte by byte, as its JSON, or several as a jsonl bundle. Writes no file. A text over max_tokens (50,000; 0: no bound) comes in parts: truncated.next reads on from offset, the parts joined are the text, sha256 and bytes are those of the whole.',
    profile: 'full',
    input: z.object({
      id: z.string().optional().describe('one record'),
      ids: z.array(z.string()).optional().describe('or several'),
      format: z.enum(['md', 'json', 'jsonl']).optional().describe('default md; several: jsonl'),
      offset: inWords(z.number().min(0).default(0).describe('byte of the text to begin at')),
      max_tokens: inWords(
        z.number().min(0).max(300_000).default(50_000).describe('longest part of the text; 0: all of it'),
      ),
      project: projectField,
    }),
    output: z.object({
      content: z.string(),
      bytes: z.number().describe('length of the whole text'),
      sha256: z.string().describe('of the whole text'),
      truncated: truncatedShape.optional(),
      ...answerFields,
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/{id}/export' },
    cli: {
      verb: 'handoff export',
      positional: ['ids...'],
      preset: { offset: 0, max_tokens: 0 }, // a file is written whole
      save: contentOf,
      print: contentOf,
    },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const ids = [...(input.id === undefined ? [] : [input.id]), ...(input.ids ?? [])]
      return exportRecords(project, {
        ids,
        format: input.format ?? (ids.length > 1 ? 'jsonl' : 'md'),
        offset: Math.floor(input.offset),
        maxTokens: Math.ceil(input.max_tokens),
      })
    },
    digest: ({ bytes, sha256, truncated }) =>
      digestOf([
        `${bytes} bytes, sha256 ${sha256}`,
        truncated && `A part; from offset ${truncated.next.args['offset']} on read on with truncated.next.`,
      ]),
  })
}

function contentOf(output: unknown): string {
  return (output as { content: string }).content // this tool's own output
}
