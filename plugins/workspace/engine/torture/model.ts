import type { NewVersion, Rows, Schema, Statements, Tx } from '../../domain/rows.ts'
import type { StoreContent } from '../store.ts'

const RING = 2_000 // spec workspace-events, rule 10

/** A room reduced to what durability is about: rows, one event each, a ring, versions. */
const schema: Schema = {
  version: 1,
  ddl: `
CREATE TABLE note (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL, text TEXT NOT NULL);
CREATE TABLE event (event_id INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject INTEGER NOT NULL);
CREATE TABLE version (version INTEGER PRIMARY KEY, hash TEXT NOT NULL, source TEXT NOT NULL, event_id INTEGER NOT NULL);`,
}

const statements: Statements = {
  addNote: { id: 1, sql: 'INSERT INTO note VALUES (:id, :event_id, :text)' },
  addEvent: { id: 2, sql: 'INSERT INTO event VALUES (:event_id, :kind, :subject)' },
  trimEvents: { id: 3, sql: 'DELETE FROM event WHERE event_id <= :below' },
  addVersion: { id: 4, sql: 'INSERT INTO version VALUES (:version, :hash, :source, :event_id)' },
  notes: { id: 5, sql: 'SELECT id, event_id, text FROM note ORDER BY id' },
  events: { id: 6, sql: 'SELECT event_id, kind, subject FROM event ORDER BY event_id' },
  versions: { id: 7, sql: 'SELECT version, hash, source, event_id FROM version ORDER BY version' },
  noteCount: { id: 8, sql: 'SELECT count(*) AS n FROM note' },
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

/** A new text for the file, with its row and event. */
export function commitText(tx: Tx, text: string): NewVersion {
  const document = tx.setDocument(text)
  const { version, hash } = document
  tx.run('addVersion', { version, hash, source: 'commit', event_id: addEvent(tx, 'version', version) })
  return document
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
  return { schema, statements, hooks: { bootstrap: adopt('bootstrap'), external: adopt('external') } }
}

export const modelContent: StoreContent = modelContentWith(() => {})

/** Which change each event belongs to: `note 3`, `version 2 <hash>`. */
export function changesByEvent(rows: Rows): ReadonlyMap<number, string> {
  return new Map([
    ...rows.all('notes').map((row) => [Number(row['event_id']), noteName(Number(row['id']))] as const),
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
