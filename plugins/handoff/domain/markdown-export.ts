import { shownLine, shownText } from './fence.ts'
import { listEntry } from './handwritten-lines.ts'
import { discoveries, failedAttempts, type Handoff, inProgress } from './record.ts'
import { sha256Hex } from './record-id.ts'

/** The info string of the block with a record's bytes. */
export const BLOCK_INFO = 'json handoff'

/**
 * A record as lossless Markdown: a readable body, then its bytes in one block (design handoff-store, section 2).
 * `text` is the record's own text.
 */
export function toMarkdown(record: Handoff, text: string): string {
  const body = readableBody(record).map(escapedFence).join('\n')
  const endsInNewline = text.endsWith('\n')
  const fence = '`'.repeat(Math.max(3, longestBacktickRun(text) + 1))
  const mark = `<!-- satchel:record sha256=${sha256Hex(text)} newline=${endsInNewline ? 1 : 0} -->`
  return `${body}\n\n${mark}\n${fence}${BLOCK_INFO}\n${text}${endsInNewline ? '' : '\n'}${fence}\n`
}

function longestBacktickRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** Escapes a line that would open or close a fence or look like the mark, so that a record cannot forge a block. */
function escapedFence(line: string): string {
  return line.replace(/^(\s*(?:[>\-*+]\s*|\d+[.)]\s*)*)(`{3,}|~{3,})/, '$1\\$2').replaceAll('<!--', '&lt;!--')
}

function readableBody(record: Handoff): string[] {
  const { work, summary } = record
  const parts = [
    `# ${shownLine(work.title)}`,
    `Handoff ${record.id}, ${record.status}, updated ${shownLine(record.updated_at)}.`,
    ...heading('Objective', [work.objective]),
    ...heading('Current state', [summary.current_state]),
    ...heading('Why it matters', summary.why_it_matters === null ? [] : [summary.why_it_matters]),
    ...bullets('Constraints', work.constraints),
    ...bullets('Definition of done', work.definition_of_done),
    ...bullets(
      'Next',
      record.open_items.map((item) =>
        joined(`${item.id} (${item.priority}) ${item.description}`, [
          item.suggested_action,
          item.acceptance_check,
        ]),
      ),
    ),
    ...bullets('In progress', inProgress(record)),
    ...bullets('Done', summary.completed),
    ...bullets('Discoveries', discoveries(record)),
    ...bullets(
      'Decisions',
      record.decisions.map((item) => joined(`${item.id} ${item.decision}`, [item.rationale])),
    ),
    ...bullets(
      'Failed attempts',
      failedAttempts(record).map((item) =>
        joined(`${item.id} ${item.approach}`, [
          item.outcome,
          item.reason,
          item.avoid_repeating ? 'do not repeat' : null,
        ]),
      ),
    ),
    ...bullets(
      'Evidence',
      record.evidence.map((item) =>
        joined(`${item.id} (${item.type}) ${item.claim}`, [item.ref, item.result]),
      ),
    ),
    ...bullets(
      'Risks',
      record.risks.map((item) => joined(`(${item.severity}) ${item.description}`, [item.mitigation])),
    ),
    ...bullets(
      'Files',
      record.artifacts.map((item) => `${item.path} (${item.role})`),
    ),
  ]
  return parts.join('\n').split('\n')
}

function heading(title: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', `## ${title}`, '', ...texts.map(paragraphsOf)]
}

function bullets(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return []
  return [
    '',
    `## ${title}`,
    '',
    ...texts.map((text) => `- ${paragraphsOf(text).replace(/\n(?=.)/g, '\n  ')}`),
  ]
}

/**
 * The text with a blank line between a list and the line after it, which Markdown would join to the last item. A line in lower
 * case goes on from the item.
 */
function paragraphsOf(text: string): string {
  let isInList = false
  const lines = shownText(text).split('\n')
  return lines
    .map((line) => {
      const isItem = listEntry(line) !== undefined
      const begins = isInList && !isItem && /^[^\s\p{Ll}]/u.test(line)
      isInList = isItem || (isInList && !begins && line.trim() !== '')
      return begins ? `\n${line}` : line
    })
    .join('\n')
}

function joined(text: string, more: readonly (string | null)[]): string {
  return [text, ...more.filter((part) => part)].join(' - ')
}
