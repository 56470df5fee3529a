import type { SatchelError } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import type { DocumentState, NewVersion, Row, Rows, Tx } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { type Bodies, sha256Of } from './bodies.ts'
import type { Ledger } from './ledger.ts'
import type { MarkdownFile } from './markdown-file.ts'
import type { Meta } from './meta.ts'

/** What the views of the room are made of. */
export interface RoomState {
  readonly ledger: Ledger
  readonly bodies: Bodies
  readonly markdown: MarkdownFile
  newestText(): string
}

/** What a transaction gathered besides its rows. */
export interface Draft {
  /** Texts to store with the record, by sha256. */
  readonly bodies: Map<string, string>
  readonly drops: string[]
  readonly publish: (() => void)[]
  document: NewVersion | undefined
  nextEventId: number
}

export interface OpenTransaction {
  readonly tx: Tx
  readonly draft: Draft
  /** Ends the use of `tx`. */
  end(): void
}

/** The view of a read; `end` ends its use. */
export function openRows(state: RoomState): { rows: Rows; end(): void } {
  let open = true
  const ask = (name: string, params?: Parameters<Rows['all']>[1]): readonly Row[] => {
    assertOpen(open)
    return state.ledger.all(name, params)
  }
  return {
    rows: {
      all: ask,
      one: (name, params) => ask(name, params)[0],
      get document() {
        return documentState(state)
      },
      documentText: state.newestText,
      body: state.bodies.read,
      get latestEventId() {
        return state.ledger.meta.nextEventId - 1
      },
    },
    end: () => {
      open = false
    },
  }
}

/** The view of a mutation; `document` presets the newest version when the file itself changed. */
export function openTransaction(state: RoomState, document?: NewVersion): OpenTransaction {
  const view = openRows(state)
  const { rows } = view
  const draft: Draft = {
    bodies: new Map(document ? [[document.hash, document.text]] : []),
    drops: [],
    publish: [],
    document,
    nextEventId: state.ledger.meta.nextEventId,
  }
  const tx: Tx = {
    all: rows.all,
    one: rows.one,
    get document() {
      return { ...documentState(state), ...draft.document }
    },
    documentText: () => draft.document?.text ?? state.newestText(),
    body: (sha256) => draft.bodies.get(sha256) ?? rows.body(sha256),
    get latestEventId() {
      return draft.nextEventId - 1
    },
    run: (name, params) => state.ledger.run(name, params),
    nextEventId: () => {
      draft.nextEventId += 1
      return draft.nextEventId - 1
    },
    setDocument: (text) => setDocument(state, draft, text),
    putBody: (given) => {
      const text = given.toWellFormed()
      const sha256 = sha256Of(text)
      draft.bodies.set(sha256, text)
      return sha256
    },
    dropBody: (sha256) => {
      draft.drops.push(sha256)
    },
    requireSpace: () => requireSpace(state.ledger),
    onDurable: (publish) => {
      draft.publish.push(publish)
    },
  }
  return { tx, draft, end: view.end }
}

/** What the meta row will say of a draft. */
export function metaOf(draft: Draft, meta: Meta, materialized: boolean): Partial<Meta> {
  const events = { nextEventId: draft.nextEventId }
  if (!draft.document) return events
  const { version, hash, bytes } = draft.document
  return { ...events, version, hash, bytes, previousHash: meta.hash, materialized }
}

function documentState({ ledger, markdown }: RoomState): DocumentState {
  const { version, hash, bytes, materialized } = ledger.meta
  const substrate = markdown.substrate()
  const isUnwritten = !materialized && version > 0 && substrate !== 'invalid'
  return { version, hash, bytes, substrate: isUnwritten ? 'unwritten' : substrate }
}

function setDocument(state: RoomState, draft: Draft, given: string): NewVersion {
  const { meta } = state.ledger
  // UTF-8 has no half a character: the text is the same whether it is read from memory, a record or its file.
  const text = given.toWellFormed()
  if (draft.document) throw new Error('A transaction makes one version')
  if (state.markdown.substrate() === 'invalid') {
    throw refusals.substrate_invalid()
  }
  if (!meta.materialized) throw notMaterialized(meta.version)
  const bytes = Buffer.byteLength(text)
  if (bytes > LIMITS.documentBytes) {
    throw refusals.document_too_large({ details: { limit: LIMITS.documentBytes, bytes } })
  }
  requireSpace(state.ledger)
  draft.document = { version: meta.version + 1, hash: sha256Of(text), bytes, text }
  draft.bodies.set(draft.document.hash, text)
  return draft.document
}

/** The refusal while a stored version could not yet be written to the file. */
export function notMaterialized(version: number, cause?: unknown): SatchelError {
  return refusals.file_not_replaced({ version }, { details: { version }, cause })
}

function requireSpace(ledger: Ledger): void {
  if (ledger.bytes() <= LIMITS.roomBytes) return
  throw refusals.room_full({ details: { limit: LIMITS.roomBytes } })
}

function assertOpen(open: boolean): void {
  if (!open) throw new Error('The rows were used after their callback ended')
}
