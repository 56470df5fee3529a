import { BYTES_PER_TOKEN } from '../domain/answer-budget.ts'
import { compactJson } from '../domain/json-compact.ts'
import { toMarkdown } from '../domain/markdown-export.ts'
import { sha256 } from '../domain/record-id.ts'
import { partOf } from '../domain/text-part.ts'
import type { Truncated } from '../domain/truncated.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { findRecord } from './find-record.ts'

const MAX_BUNDLE = 1000 // design handoff-store, section 2

export type ExportFormat = 'md' | 'json' | 'jsonl'

interface ExportAnswer {
  readonly root: string
  readonly content: string
  readonly bytes: number
  readonly sha256: string
  readonly truncated?: Truncated
  readonly warnings: readonly string[]
}

export interface ExportRequest {
  readonly ids: readonly string[]
  readonly format: ExportFormat
  /** Where in the text to begin, in bytes. */
  readonly offset: number
  /** Longest part of the text; 0: all of it. */
  readonly maxTokens: number
}

/**
 * Records as one text, or the part of it that fits; `sha256` and `bytes` are those of the whole.
 * Errors: `too_large`/`bundle_too_large`; more than one needs `jsonl`.
 */
export async function exportRecords(
  project: Project,
  { ids, format, offset, maxTokens }: ExportRequest,
): Promise<ExportAnswer> {
  if (ids.length > MAX_BUNDLE) {
    throw refusals.bundle_too_large({ count: ids.length, limit: MAX_BUNDLE })
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
    sha256: sha256(content).slice('sha256:'.length),
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
  const left = new Map(stored.map((entry) => [entry.id.toLowerCase(), entry]))
  const lines: string[] = []
  while (left.size > 0) {
    const free = [...left].filter(([id, { record }]) =>
      record.lineage.parents.every(
        (parent) => parent.toLowerCase() === id || !left.has(parent.toLowerCase()),
      ),
    )
    // A cycle has no first record: what is left goes as it stands.
    for (const [id, { document }] of free.length > 0 ? free : [...left]) {
      lines.push(`${compactJson(document.text)}\n`)
      left.delete(id)
    }
  }
  return lines.join('')
}
