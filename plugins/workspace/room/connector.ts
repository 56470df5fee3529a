import { refusals } from '../reasons.ts'
import { requireCapability } from './change.ts'
import { searched } from './search.ts'
import { eventsSince, proposalWithContent, readDocument, type View } from './views.ts'

/** One result of a connector's search: an id that `fetched` takes, and where it is. */
export interface ConnectorResult {
  readonly id: string
  readonly title: string
  readonly url: string
}

/** What a connector's `fetch` gives. */
export interface ConnectorDocument extends ConnectorResult {
  readonly text: string
  readonly metadata: Readonly<Record<string, string>>
}

const DOCUMENT = 'document'
/** Of one answer; longer texts are read by section. In the 10,000 tokens that an answer may have. */
const TEXT_TOKENS = 8000
const TITLE_CHARS = 120
const LIMIT = 20

/** The places that hold every word of the query, each once. */
export function found(
  view: View,
  { query }: { readonly query: string },
): { readonly results: readonly ConnectorResult[] } {
  const { matches } = searched(view, { query, limit: LIMIT })
  const results = matches.map(({ kind, ref, text }) => {
    const isWhole = kind === 'document' && ref === 'workspace'
    const id = kind !== 'document' ? `${kind}:${ref}` : isWhole ? DOCUMENT : ref
    return { id, title: text.slice(0, TITLE_CHARS), url: urlOf(id) }
  })
  return { results: results.filter(({ id }, at) => results.findIndex((one) => one.id === id) === at) }
}

/** Reads what an id of a result names. Errors: `not_found`, `invalid_region`; `connector_id` for any other id. */
export function fetched(view: View, { id }: { readonly id: string }): ConnectorDocument {
  requireCapability(view.actor, 'read')
  const [, kind = '', ref = ''] = /^(document|section|version|proposal|event)(?::(.+))?$/s.exec(id) ?? []
  const read = READERS[kind]
  if (!read || (kind === DOCUMENT) !== (ref === '')) throw refusals.connector_id()
  return { id, url: urlOf(id), ...read(view, ref) }
}

type Content = Pick<ConnectorDocument, 'title' | 'text' | 'metadata'>

const READERS: Readonly<Record<string, (view: View, ref: string) => Content>> = {
  document: (view) => textAt(view, {}, 'The document'),
  section: (view, ref) => textAt(view, { section: `section:${ref}` }, ref),
  version(view, ref) {
    if (!/^\d{1,15}$/.test(ref)) throw refusals.connector_id()
    return textAt(view, { version: Number(ref) }, `Version ${ref}`)
  },
  proposal(view, ref) {
    const { summary, target, status, base_version, ...proposal } = proposalWithContent(view, ref)
    const text = 'diff' in proposal ? proposal.diff : 'content' in proposal ? proposal.content : summary
    const metadata = { target, status, base_version: String(base_version) }
    return { title: summary, text: String(text), metadata }
  },
  event(view, ref) {
    requireCapability(view.actor, 'observe')
    const event = /^\d{1,15}$/.test(ref) ? eventsSince(view.rows, Number(ref) - 1, 1)[0] : undefined
    if (String(event?.event_id) !== ref || !event) throw refusals.connector_id()
    return {
      title: event.event_type,
      text: JSON.stringify(event),
      metadata: { created_at: event.created_at },
    }
  },
}

function textAt(
  view: View,
  place: { readonly section?: string; readonly version?: number },
  title: string,
): Content {
  const { version, content, truncated } = readDocument(view, { ...place, max_tokens: TEXT_TOKENS })
  const cut = truncated && { cut: `of ${truncated.total_bytes} bytes: fetch its sections` }
  return { title, text: content, metadata: { version: String(version), ...cut } }
}

function urlOf(id: string): string {
  return `satchel://workspace/document#${encodeURIComponent(id)}`
}
