import { z } from 'zod'
import { defineTool } from '../../../server/plugin.ts'
import { exportRecords } from '../actions/export-records.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, digestOf, projectField } from './shared-fields.ts'

/** `handoff_export`: records as text. */
export function exportTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_export',
    title: 'Export handoff',
    description:
      'Gives a record as Markdown that a person reads and handoff_import takes back byte by byte, as its JSON, or several as a jsonl bundle. Writes no file.',
    profile: 'full',
    input: z.object({
      id: z.string().optional().describe('one record'),
      ids: z.array(z.string()).optional().describe('or several'),
      format: z.enum(['md', 'json', 'jsonl']).optional().describe('default md; several: jsonl'),
      project: projectField,
    }),
    output: z.object({ content: z.string(), sha256: z.string(), ...answerFields }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 500_000,
    http: { method: 'GET', path: '/handoffs/{id}/export' },
    cli: { verb: 'handoff export', positional: ['ids...'], save: contentOf, print: contentOf },
    example: { id: 'latest' },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      const ids = [...(input.id === undefined ? [] : [input.id]), ...(input.ids ?? [])]
      return exportRecords(project, ids, input.format ?? (ids.length > 1 ? 'jsonl' : 'md'))
    },
    digest: ({ content, sha256 }) => digestOf([`${Buffer.byteLength(content)} bytes, sha256 ${sha256}`]),
  })
}

function contentOf(output: unknown): string {
  return (output as { content: string }).content // this tool's own output
}
