import { SatchelError } from '../../../server/plugin.ts'
import { compactJson } from '../domain/json-compact.ts'
import { toMarkdown } from '../domain/markdown-export.ts'
import { sha256 } from '../domain/record-id.ts'
import type { Project } from '../project.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { findRecord } from './find-record.ts'

const MAX_BUNDLE = 1000 // design handoff-store, section 2

export type ExportFormat = 'md' | 'json' | 'jsonl'

/** Records as one text. Errors: `too_large`/`bundle_too_large`; more than one needs `jsonl`. */
export async function exportRecords(project: Project, ids: readonly string[], format: ExportFormat) {
  if (ids.length > MAX_BUNDLE) {
    throw new SatchelError('too_large', 'bundle_too_large', `A bundle holds at most ${MAX_BUNDLE} records.`)
  }
  const [first, ...others] = ids
  if (first === undefined || (others.length > 0 && format !== 'jsonl')) {
    throw new SatchelError('invalid', 'invalid_arguments', 'Give one id, or several with format jsonl.')
  }
  const stored: StoredRecord[] = []
  for (const id of ids) stored.push(await findRecord(project, id))
  const content = format === 'jsonl' ? bundleOf(stored) : textOf(stored[0], format)
  return { root: project.root, content, sha256: sha256(content).slice('sha256:'.length), warnings: [] }
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
