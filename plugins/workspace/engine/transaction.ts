import type { SatchelError } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import type { DocumentState, NewVersion, Params, Row, Rows, Tx } from '../domain/rows.ts'
import { refusals } from '../reasons.ts'
import { type Bodies, type StoredText, sha256Of, storedText } from './bodies.ts'
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
  readonly bodies: Map<string, StoredText>
  readonly drops: string[]
  readonly publish: (() => void)[]
  document: NewVersion | undefined
  nextEventId: number
}

/** The view of a read, for the length of its callback. */
export interface OpenRows {
  readonly rows: Rows
  /** Ends the use of `rows`. */
  end(): void
}

export interface OpenTransaction {
  readonly tx: Tx
  readonly draft: Draft
  /** Ends the use of `tx`. */
  end(): void
}

export function openRows(state: RoomState): OpenRows {
  const rows = new RoomRows(state)
  return { rows, end: () => rows.end() }
}

/** The view of a mutation; `document` presets the newest version when the file itself changed. */
export function openTransaction(state: RoomState, document?: NewVersion): OpenTransaction {
  const draft: Draft = {
    bodies: new Map(document && [[document.hash, storedText(document.text)]]),
    drops: [],
    publish: [],
    document,
    nextEventId: state.ledger.meta.nextEventId,
  }
  const tx = new RoomTx(state, draft)
  return { tx, draft, end: () => tx.end() }
}

// Classes: to make an object that has getters of its own takes longer than one of the statements of a mutation.

class RoomRows implements Rows {
  protected readonly state: RoomState
  private open = true

  constructor(state: RoomState) {
    this.state = state
  }

  end(): void {
    this.open = false
  }

  all(statement: string, params?: Params): readonly Row[] {
    if (!this.open) throw new Error('The rows were used after their callback ended')
    return this.state.ledger.all(statement, params)
  }

  one(statement: string, params?: Params): Row | undefined {
    return this.all(statement, params)[0]
  }

  get document(): DocumentState {
    return documentState(this.state)
  }

  documentText(): string {
    return this.state.newestText()
  }

  body(sha256: string): string | undefined {
    return this.state.bodies.read(sha256)
  }

  get latestEventId(): number {
    return this.state.ledger.meta.nextEventId - 1
  }
}

class RoomTx extends RoomRows implements Tx {
  private readonly draft: Draft

  constructor(state: RoomState, draft: Draft) {
    super(state)
    this.draft = draft
  }

  override get document(): DocumentState {
    return { ...documentState(this.state), ...this.draft.document }
  }

  override documentText(): string {
    return this.draft.document?.text ?? this.state.newestText()
  }

  override body(sha256: string): string | undefined {
    return this.draft.bodies.get(sha256)?.text ?? this.state.bodies.read(sha256)
  }

  override get latestEventId(): number {
    return this.draft.nextEventId - 1
  }

  run(statement: string, params?: Params): void {
    this.state.ledger.run(statement, params)
  }

  nextEventId(): number {
    this.draft.nextEventId += 1
    return this.draft.nextEventId - 1
  }

  setDocument(text: string): NewVersion {
    return setDocument(this.state, this.draft, text)
  }

  putBody(given: string): string {
    const body = storedText(given.toWellFormed())
    const sha256 = sha256Of(body.content)
    this.draft.bodies.set(sha256, body)
    return sha256
  }

  dropBody(sha256: string): void {
    this.draft.drops.push(sha256)
  }

  requireSpace(): void {
    requireSpace(this.state.ledger)
  }

  onDurable(publish: () => void): void {
    this.draft.publish.push(publish)
  }
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
  const body = storedText(text)
  const bytes = body.content.length
  if (bytes > LIMITS.documentBytes) {
    throw refusals.document_too_large({ details: { limit: LIMITS.documentBytes, bytes } })
  }
  requireSpace(state.ledger)
  draft.document = { version: meta.version + 1, hash: sha256Of(body.content), bytes, text }
  draft.bodies.set(draft.document.hash, body)
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
