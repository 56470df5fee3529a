import * as z from 'zod'
import { BYTES_PER_TOKEN, defineTool, inWords } from '../../../server/plugin.ts'
import { findRecord } from '../actions/find-record.ts'
import { MAX_ANSWER_TOKENS, partOf } from '../domain/answer-budget.ts'
import { compactJson } from '../domain/json-text.ts'
import { parentsFirst } from '../domain/lineage.ts'
import { toMarkdown } from '../domain/markdown-export.ts'
import { sha256Hex } from '../domain/record-id.ts'
import { MAX_BUNDLE_RECORDS } from '../domain/record-size.ts'
import type { Handoffs, Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { answerFields, exactText, projectField, RECORD_IDS, truncatedShape } from './shared-fields.ts'

/** `handoff_export`: records as text. */
export function exportTool(handoffs: Handoffs) {
  return defineTool({
    name: 'handoff_export',
    title: 'Export handoff',
    description:
      'Exports a record as Markdown that people can read and handoff_import restores byte by byte, as its JSON, or several as a jsonl bundle. Writes no file. A text over max_tokens (50,000; 0: no limit) comes in parts: truncated.next reads on from offset; the parts joined are the text; sha256 and bytes are of the whole text.',
    profile: 'full',
    input: () =>
      z.object({
        id: z.string().optional().describe('one record'),
        ids: z.array(z.string()).optional().describe('or several'),
        format: z.enum(['md', 'json', 'jsonl']).optional().describe('default md; several: jsonl'),
        offset: inWords(z.number().min(0).default(0).describe('byte to start at')),
        max_tokens: inWords(
          z
            .number()
            .min(0)
            .max(MAX_ANSWER_TOKENS)
            .default(50_000)
            .describe('longest part of the text; 0: all'),
        ),
        project: projectField,
      }),
    output: () =>
      z.object({
        content: exactText,
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
      completes: { ids: RECORD_IDS },
      preset: { offset: 0, max_tokens: 0 }, // a file is written whole
      example: 'satchel handoff export latest -o record.md',
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
    headline: ({ bytes, truncated }) =>
      truncated ? `A part of ${bytes} bytes; truncated.next reads on` : `${bytes} bytes`,
    omits: { '/sha256': 'a hash of the text, for programs' },
  })
}

function contentOf(output: unknown): string {
  return (output as { content: string }).content // this tool's own output
}

type ExportFormat = 'md' | 'json' | 'jsonl'

interface ExportRequest {
  readonly ids: readonly string[]
  readonly format: ExportFormat
  /** Start in the text, in bytes. */
  readonly offset: number
  /** Longest part of the text; 0: all. */
  readonly maxTokens: number
}

/**
 * Records as one text, or the part that fits; `sha256` and `bytes` are of the whole text.
 * Errors: `too_large`/`bundle_too_large`; more than one needs `jsonl`.
 */
async function exportRecords(project: Project, { ids, format, offset, maxTokens }: ExportRequest) {
  if (ids.length > MAX_BUNDLE_RECORDS) {
    throw refusals.bundle_too_large({ count: ids.length, limit: MAX_BUNDLE_RECORDS })
  }
  const [first, ...others] = ids
  if (first === undefined || (others.length > 0 && format !== 'jsonl')) {
    throw refusals.one_id()
  }
  const stored: StoredRecord[] = []
  for (const id of ids) stored.push(await findRecord(project, id))
  const content = format === 'jsonl' ? bundleOf(stored) : textOf(stored[0], format)
  const { part, bytes, next } = partOf(
    content,
    offset,
    maxTokens === 0 ? Infinity : maxTokens * BYTES_PER_TOKEN,
  )
  const given = others.length > 0 ? { ids } : { id: first }
  const args = { ...given, format, offset: next, ...(maxTokens !== 0 && { max_tokens: maxTokens }) }
  return {
    root: project.root,
    content: part,
    bytes,
    sha256: sha256Hex(content),
    ...(next !== undefined && {
      truncated: {
        reason: 'over_budget' as const,
        left_out: { bytes: bytes - next },
        next: { tool: 'handoff_export', args },
      },
    }),
    warnings: [],
  }
}

function textOf(stored: StoredRecord | undefined, format: 'md' | 'json'): string {
  if (!stored) return ''
  const { text } = stored.document
  return format === 'json' ? text : toMarkdown(stored.record, text)
}

/** One record per line, each once, parents before their children. */
function bundleOf(stored: readonly StoredRecord[]): string {
  const each = new Map(stored.map((entry) => [entry.id.toLowerCase(), entry]))
  return parentsFirst([...each.values()], ({ id, record }) => ({ id, parents: record.lineage.parents }))
    .map(({ document }) => `${compactJson(document.text)}\n`)
    .join('')
}
