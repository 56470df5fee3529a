import type { RoomEvent } from '../domain/event.ts'
import type { Proposal } from '../domain/proposal.ts'
import { firstLinesWith, formerLinesWith, holdsWords, wordsOf } from '../domain/search.ts'
import { firstChars } from '../domain/short-text.ts'
import type { Version } from '../domain/version.ts'
import { refusals } from '../reasons.ts'
import { actorMay, requireCapability } from './change.ts'
import { versionText } from './document.ts'
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

/** Whose texts, and those of all older ones, were not searched. */
export interface Unsearched {
  readonly version?: number
  readonly proposal_id?: string
}

const SCANNED_ROWS = 500
const SHOWN_CHARS = 240
/** Versions, and proposals, are read up to this, in milliseconds: everything else in the room waits for a search. */
const TEXT_BYTES = 1024 * 1024

/**
 * Where the words are: lines of the document in order, then the newest versions and proposals, by their summaries and the
 * lines of their kept texts, and (with `observe`) events. Of versions only lines that the next one does not have.
 * `unsearched` names where the reading of texts ended. Errors: `invalid_request` for a query without words.
 */
export function searched(
  view: SearchedView,
  { query, limit = 20 }: { readonly query: string; readonly limit?: number | undefined },
): {
  readonly version: number
  readonly matches: readonly Match[]
  readonly more: boolean
  readonly unsearched?: Unsearched
} {
  requireCapability(view.actor, 'read')
  const words = wordsOf(query)
  if (words.length === 0) throw refusals.query_empty()
  const { rows, actor } = view
  const versions = versionLines(view, query)
  const proposals = proposalLines(view, query)
  const matches = [
    ...linesOf(view, query, limit + 1),
    ...rowsWith<Version>(
      words,
      newest(view, 'version_page'),
      ({ version, summary }) => ({ kind: 'version', ref: String(version), text: summary }),
      ({ version }) => versions.lines.get(String(version)),
    ),
    ...rowsWith<Proposal>(
      words,
      newest(view, 'proposal_page'),
      ({ proposal_id, target, summary }) => ({
        kind: 'proposal',
        ref: proposal_id,
        text: `${target}: ${summary}`,
      }),
      ({ proposal_id }) => proposals.lines.get(proposal_id),
    ),
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
  const unsearched: Unsearched = {
    ...(versions.endedAt !== undefined && { version: Number(versions.endedAt) }),
    ...(proposals.endedAt !== undefined && { proposal_id: proposals.endedAt }),
  }
  return {
    version: rows.document.version,
    matches: matches.slice(0, limit),
    more: matches.length > limit,
    ...(Object.keys(unsearched).length > 0 && { unsearched }),
  }
}

/** Lines of kept texts by the id of what has them, and the first whose text was beyond the budget. */
interface TextLines {
  readonly lines: ReadonlyMap<string, string>
  readonly endedAt?: string | undefined
}

function versionLines(view: SearchedView, query: string): TextLines {
  const { rows } = view
  const { texts, endedAt } = textsOf(newest<Version>(view, 'version_page'), ({ version, bytes }) => ({
    ref: String(version),
    bytes,
    text: () => versionText(rows, version),
  }))
  const found = formerLinesWith(
    texts.map(({ text }) => text),
    query,
  )
  // The newest is searched as the document, also beyond the budget.
  const isNewest = endedAt === String(rows.document.version)
  if (!isNewest) return { lines: byRef(texts, found), endedAt }
  const before = rows.document.version - 1
  return { lines: new Map(), endedAt: before > 0 ? String(before) : undefined }
}

function proposalLines(view: SearchedView, query: string): TextLines {
  const { texts, endedAt } = textsOf(
    newest<Proposal>(view, 'proposal_page'),
    ({ proposal_id, content_bytes, content_hash }) => ({
      ref: proposal_id,
      bytes: content_bytes,
      text: () => view.rows.body(content_hash),
    }),
  )
  const found = firstLinesWith(
    texts.map(({ text }) => text),
    query,
  )
  return { lines: byRef(texts, found), endedAt }
}

interface KeptText {
  readonly ref: string
  readonly text: string
}

/** The texts that are kept, in order, up to the budget. */
function textsOf<T>(
  rows: readonly T[],
  source: (row: T) => { readonly ref: string; readonly bytes: number; text(): string | undefined },
): { readonly texts: readonly KeptText[]; readonly endedAt?: string } {
  const texts: KeptText[] = []
  let left = TEXT_BYTES
  for (const row of rows) {
    const { ref, bytes, text: read } = source(row)
    if (bytes > left) return { texts, endedAt: ref }
    const text = read()
    if (text === undefined) continue
    left -= bytes
    texts.push({ ref, text })
  }
  return { texts }
}

function byRef(texts: readonly KeptText[], found: readonly string[]): ReadonlyMap<string, string> {
  return new Map(texts.map(({ ref }, at) => [ref, found[at] ?? '']))
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
  line: (row: T) => string | undefined = () => undefined,
): readonly Match[] {
  return rows
    .map((row) => {
      const match = shown(row)
      return holdsWords(match.text, words) ? match : { ...match, text: line(row) ?? '' }
    })
    .filter(({ text }) => text !== '')
    .map((match) => ({ ...match, text: firstChars(match.text, SHOWN_CHARS) }))
}
