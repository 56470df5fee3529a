import { isSatchelError, type Log } from '../../../server/plugin.ts'
import type { NewVersion, Rows, Schema, Statements, Tx } from '../domain/rows.ts'
import { sha256Of } from '../engine/bodies.ts'
import type { StoreContent } from '../engine/store.ts'

/** The log of a room whose log is not read. */
export const silentLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const RING = 2_000 // spec workspace-events, rule 10

/** A room reduced to what durability is about: rows, one event each, a ring, versions, and drafts that have texts too. */
const schema: Schema = {
  version: 1,
  ddl: `
CREATE TABLE note (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE event (event_id INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject INTEGER NOT NULL);
CREATE TABLE version (version INTEGER PRIMARY KEY, hash TEXT NOT NULL, source TEXT NOT NULL, event_id INTEGER NOT NULL, kept INTEGER NOT NULL);
CREATE TABLE draft (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL, hash TEXT NOT NULL, kept INTEGER NOT NULL);`,
}

const statements: Statements = {
  addNote: { id: 1, sql: 'INSERT INTO note VALUES (:id, :event_id, :text)' },
  addEvent: { id: 2, sql: 'INSERT INTO event VALUES (:event_id, :kind, :subject)' },
  trimEvents: { id: 3, sql: 'DELETE FROM event WHERE event_id <= :below' },
  addVersion: { id: 4, sql: 'INSERT INTO version VALUES (:version, :hash, :source, :event_id, 1)' },
  notes: { id: 5, sql: 'SELECT id, event_id, text FROM note ORDER BY id' },
  events: { id: 6, sql: 'SELECT event_id, kind, subject FROM event ORDER BY event_id' },
  versions: { id: 7, sql: 'SELECT version, hash, source, event_id, kept FROM version ORDER BY version' },
  noteCount: { id: 8, sql: 'SELECT count(*) AS n FROM note' },
  addDraft: { id: 9, sql: 'INSERT INTO draft VALUES (:id, :event_id, :hash, 1)' },
  drafts: { id: 10, sql: 'SELECT id, event_id, hash, kept FROM draft ORDER BY id' },
  draftCount: { id: 11, sql: 'SELECT count(*) AS n FROM draft' },
  oldVersions: {
    id: 12,
    sql: 'SELECT version, hash FROM version WHERE kept = 1 AND version <= :below ORDER BY version',
  },
  oldDrafts: { id: 13, sql: 'SELECT id, hash FROM draft WHERE kept = 1 AND id <= :below ORDER BY id' },
  pruneVersion: { id: 14, sql: 'UPDATE version SET kept = 0 WHERE version = :version' },
  pruneDraft: { id: 15, sql: 'UPDATE draft SET kept = 0 WHERE id = :id' },
  keptTexts: {
    id: 16,
    sql: 'SELECT hash FROM version WHERE kept = 1 UNION SELECT hash FROM draft WHERE kept = 1 ORDER BY hash',
  },
  droppedDraft: {
    id: 17,
    sql: `SELECT hash FROM draft WHERE kept = 0 AND hash NOT IN (SELECT hash FROM version WHERE kept = 1
      UNION SELECT hash FROM draft WHERE kept = 1) ORDER BY id DESC LIMIT 1`,
  },
}

function addEvent(tx: Tx, kind: string, subject: number): number {
  const eventId = tx.nextEventId()
  tx.run('addEvent', { event_id: eventId, kind, subject })
  tx.run('trimEvents', { below: eventId - RING })
  return eventId
}

/** One row and its event; `id` is the caller's own count. */
export function addNote(tx: Tx, id: number, text: string): number {
  const eventId = addEvent(tx, 'note', id)
  tx.run('addNote', { id, event_id: eventId, text })
  return eventId
}

/** A text of its own, which is not the file's; `id` is the caller's own count. */
export function addDraft(tx: Tx, id: number, text: string): { eventId: number; hash: string } {
  const hash = tx.putBody(text)
  const eventId = addEvent(tx, 'draft', id)
  tx.run('addDraft', { id, event_id: eventId, hash })
  return { eventId, hash }
}

/** A new text for the file, with its row and event. */
export function commitText(tx: Tx, text: string): NewVersion {
  const document = tx.setDocument(text)
  const { version, hash } = document
  tx.run('addVersion', { version, hash, source: 'commit', event_id: addEvent(tx, 'version', version) })
  return document
}

/** Gives up the texts of versions and drafts before the newest `kept` of each, unless another row has the same. */
export function pruneTexts(tx: Tx, kept: number): void {
  const versions = tx.all('oldVersions', { below: tx.document.version - kept })
  const drafts = tx.all('oldDrafts', { below: Number(tx.one('draftCount')?.['n']) - kept })
  for (const { version } of versions) tx.run('pruneVersion', { version })
  for (const { id } of drafts) tx.run('pruneDraft', { id })
  const used = new Set(keptTexts(tx))
  for (const { hash } of [...versions, ...drafts]) if (!used.has(String(hash))) tx.dropBody(String(hash))
}

/** The sha256 of every text that a row still needs. */
export function keptTexts(rows: Rows): readonly string[] {
  return rows.all('keptTexts').map(({ hash }) => String(hash))
}

/** The sha256 of the newest draft's text that no row needs any more. */
export function droppedText(rows: Rows): string | undefined {
  return rows.one('droppedDraft')?.['hash'] as string | undefined // the column is text
}

/** The model room; `adopted` hears of each version the engine made itself. */
export function modelContentWith(adopted: (tx: Tx, version: NewVersion) => void): StoreContent {
  const adopt =
    (source: string) =>
    (tx: Tx, document: NewVersion): void => {
      const { version, hash } = document
      tx.run('addVersion', { version, hash, source, event_id: addEvent(tx, 'version', version) })
      adopted(tx, document)
    }
  const isVersion = (rows: Rows, sha256: string): boolean =>
    rows.all('versions').some(({ hash }) => hash === sha256)
  return {
    schema,
    statements,
    hooks: { bootstrap: adopt('bootstrap'), external: adopt('external'), isVersion },
  }
}

export const modelContent: StoreContent = modelContentWith(() => {})

/** Which change each event belongs to: `note 3`, `draft 1 <hash>`, `version 2 <hash>`. */
export function changesByEvent(rows: Rows): ReadonlyMap<number, string> {
  return new Map([
    ...rows.all('notes').map((row) => [Number(row['event_id']), noteName(Number(row['id']))] as const),
    ...rows
      .all('drafts')
      .map((row) => [Number(row['event_id']), draftName(Number(row['id']), String(row['hash']))] as const),
    ...rows
      .all('versions')
      .map(
        (row) => [Number(row['event_id']), versionName(Number(row['version']), String(row['hash']))] as const,
      ),
  ])
}

export function noteName(id: number): string {
  return `note ${id}`
}

export function draftName(id: number, hash: string): string {
  return `draft ${id} ${hash.slice(0, 16)}`
}

export function versionName(version: number, hash: string): string {
  return `version ${version} ${hash.slice(0, 16)}`
}

/** What is wrong with the rows by themselves: every change has its event, ids have no hole, the ring its size. */
export function rowFaults(rows: Rows): readonly string[] {
  const events = rows.all('events')
  const latest = rows.latestEventId
  const kept = Math.min(latest, RING)
  const first = latest - kept + 1
  const changes = changesByEvent(rows)
  return [
    ...(events.length === kept ? [] : [`ring holds ${events.length} events instead of ${kept}`]),
    ...events.flatMap((event, index) => {
      const id = Number(event['event_id'])
      const change = `${event['kind']} ${event['subject']}`
      return [
        ...(id === first + index ? [] : [`event ${first + index} is missing`]),
        ...(`${changes.get(id)} `.startsWith(`${change} `)
          ? []
          : [`event ${id} says ${change}, the rows ${changes.get(id)}`]),
      ]
    }),
    ...(changes.size === latest ? [] : [`${changes.size} changes but ${latest} events`]),
  ]
}

/** Texts that a row still needs and that are missing or are not what their name says. */
export function lostTexts(rows: Rows): readonly string[] {
  return keptTexts(rows)
    .filter((hash) => !isWhole(rows, hash))
    .map((hash) => `the text ${hash.slice(0, 16)} was missing`)
}

function isWhole(rows: Rows, hash: string): boolean {
  try {
    const text = rows.body(hash)
    return text !== undefined && sha256Of(text) === hash
  } catch (thrown) {
    if (isSatchelError(thrown) && thrown.reason === 'store_damaged') return false
    throw thrown
  }
}
