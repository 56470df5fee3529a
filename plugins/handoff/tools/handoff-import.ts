import * as z from 'zod'
import { defineTool, type TypedFiles } from '../../../server/plugin.ts'
import { importRecords, OUTCOMES } from '../actions/import-records.ts'
import type { Handoffs } from '../project.ts'
import { answerFields, list, projectField } from './shared-fields.ts'

/** `handoff_import`: imports records. */
export function importTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_import',
    title: 'Import handoffs',
    description:
      'Imports records, bytes unchanged, from text or a path: JSON, a jsonl bundle, exported Markdown, a folder such as .baton/handoffs; a hand-written HANDOFF.md becomes a draft. Refuses a record with a secret unless secrets is redact.',
    profile: 'full',
    input: () =>
      z.object({
        content: z.string().optional().describe('the text itself'),
        path: z.string().optional().describe('or a file or folder in the project'),
        on_conflict: z
          .enum(['error', 'keep', 'new_id'])
          .default('error')
          .describe('if the id exists with other text'),
        secrets: z.enum(['refuse', 'redact']).default('refuse').describe('what to do with secrets'),
        dry_run: z.boolean().default(false).describe('answer without writing'),
        project: projectField,
      }),
    output: () =>
      z.object({
        results: list(
          z.object({
            source: z.string(),
            id: z.string().nullable(),
            outcome: z.enum(OUTCOMES),
            reason: z.string().optional(),
            detail: z.string().optional(),
          }),
        ),
        ...answerFields,
      }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    maxResultChars: 300_000,
    http: { method: 'POST', path: '/handoffs/import' },
    cli: {
      verb: 'handoff import',
      positional: ['[source]'],
      arguments: { source: 'a file or folder, or - for standard input' },
      arrange: sourceOf,
      example: 'satchel handoff import notes.md --dry-run',
      found: (output) =>
        // this tool's own output
        (output as { results: readonly { outcome: string }[] }).results.some(
          ({ outcome }) => outcome === 'broken' || outcome === 'conflict',
        ),
    },
    example: { content: '# Fix the callback\n\n## Next\n- Add a fixture\n', dry_run: true },
    async handler(ctx, input) {
      const project = await handoffs.project(ctx, input.project)
      return importRecords(ctx, project, {
        content: input.content,
        path: input.path,
        onConflict: input.on_conflict,
        secrets: input.secrets,
        dryRun: input.dry_run,
      })
    },
    headline: ({ results }) => {
      const count = (outcome: string) => results.filter((result) => result.outcome === outcome).length
      return OUTCOMES.map((outcome) => `${count(outcome)} ${outcome}`).join(', ')
    },
  })
}

async function sourceOf(typed: Readonly<Record<string, unknown>>, files: TypedFiles) {
  const { source, ...input } = typed
  if (input['content'] !== undefined || input['path'] !== undefined) return input
  const named = typeof source === 'string' ? source : '-'
  return named === '-' ? { ...input, content: await files.readText('-') } : { ...input, path: named }
}
