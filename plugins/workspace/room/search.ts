import type { RoomEvent } from '../domain/event.ts'
import type { Proposal } from '../domain/proposal.ts'
import { holdsWords, wordsOf } from '../domain/search.ts'
import { firstChars } from '../domain/short-text.ts'
import type { Version } from '../domain/version.ts'
import { refusals } from '../reasons.ts'
import { actorMay, requireCapability } from './change.ts'
import { listed } from './tables.ts'
import type { View } from './views.ts'

/** One place that holds every word. */
export interface Match {
  readonly kind: 'document' | 'version' | 'proposal' | 'event'
  /** A target, a version, a proposal's or an event's id. */
  readonly ref: string
  /** Of the document. */
  readonly line?: number
  readonly text: string
}

/** What a search reads. */
export type SearchedView = Pick<View, 'rows' | 'actor' | 'analysis'>

const SCANNED_ROWS = 500
const SHOWN_CHARS = 240

/**
 * Where the words are: lines of the document in order, then the newest versions, proposals and (with `observe`) events.
 * Errors: `invalid_request` for a query without words.
 */
export function searched(
  view: SearchedView,
  { query, limit = 20 }: { readonly query: string; readonly limit?: number | undefined },
): { readonly version: number; readonly matches: readonly Match[]; readonly more: boolean } {
  requireCapability(view.actor, 'read')
  const words = wordsOf(query)
  if (words.length === 0) throw refusals.query_empty()
  const { rows, actor } = view
  const matches = [
    ...linesOf(view, query, limit + 1),
    ...rowsWith<Version>(words, newest(view, 'version_page'), ({ version, summary }) => ({
      kind: 'version',
      ref: String(version),
      text: summary,
    })),
    ...rowsWith<Proposal>(words, newest(view, 'proposal_page'), ({ proposal_id, target, summary }) => ({
      kind: 'proposal',
      ref: proposal_id,
      text: `${target}: ${summary}`,
    })),
    ...(actorMay(actor, 'observe')
      ? rowsWith<RoomEvent>(
          words,
          listed<RoomEvent>(rows, 'event_newest', { limit: SCANNED_ROWS }),
          ({ event_id, event_type, payload }) => ({
            kind: 'event',
            ref: String(event_id),
            text: [event_type, ...Object.values(payload)].join(' '),
          }),
        )
      : []),
  ]
  return { version: rows.document.version, matches: matches.slice(0, limit), more: matches.length > limit }
}

function linesOf({ rows, analysis }: SearchedView, query: string, limit: number): readonly Match[] {
  const text = rows.documentText()
  const outline = analysis.outline(text)
  return analysis.lines(text, query, limit).map(({ line, start, text: shown }) => {
    const section = outline.around(start, start + 1)
    return { kind: 'document', ref: section ? `section:${section.path}` : 'workspace', line, text: shown }
  })
}

function newest<T>({ rows }: SearchedView, statement: 'version_page' | 'proposal_page'): readonly T[] {
  const before = Number.MAX_SAFE_INTEGER
  return listed<T>(rows, statement, {
    before,
    limit: SCANNED_ROWS,
    ...(statement === 'version_page' ? { since: 0 } : { status: undefined }),
  })
}

function rowsWith<T>(
  words: readonly string[],
  rows: readonly T[],
  shown: (row: T) => Match,
): readonly Match[] {
  return rows
    .map(shown)
    .filter(({ text }) => holdsWords(text, words))
    .map((match) => ({ ...match, text: firstChars(match.text, SHOWN_CHARS) }))
}
