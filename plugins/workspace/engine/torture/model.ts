import type { Rows, Schema, Statements, Tx } from '../../domain/rows.ts'
import type { EngineHooks, StoreContent } from '../store.ts'

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
export function commitText(tx: Tx, text: string): number {
  const { version, hash } = tx.setDocument(text)
  tx.run('addVersion', { version, hash, source: 'commit', event_id: addEvent(tx, 'version', version) })
  return version
}

const hooks: EngineHooks = {
  bootstrap: (tx, { version, hash }) => {
    tx.run('addVersion', { version, hash, source: 'bootstrap', event_id: addEvent(tx, 'version', version) })
  },
  external: (tx, { version, hash }) => {
    tx.run('addVersion', { version, hash, source: 'external', event_id: addEvent(tx, 'version', version) })
  },
}

export const modelContent: StoreContent = { schema, statements, hooks }

/** What is wrong with the rows by themselves: every change has its event, ids have no hole, the ring its size. */
export function rowFaults(rows: Rows): readonly string[] {
  const events = rows.all('events')
  const latest = rows.latestEventId
  const kept = Math.min(latest, RING)
  const first = latest - kept + 1
  const owners = new Map<number, string>()
  for (const note of rows.all('notes')) owners.set(Number(note['event_id']), `note ${note['id']}`)
  for (const found of rows.all('versions'))
    owners.set(Number(found['event_id']), `version ${found['version']}`)
  return [
    ...(events.length === kept ? [] : [`ring holds ${events.length} events instead of ${kept}`]),
    ...events.flatMap((event, index) => {
      const id = Number(event['event_id'])
      const owner = `${event['kind']} ${event['subject']}`
      return [
        ...(id === first + index ? [] : [`event ${first + index} is missing`]),
        ...(owners.get(id) === owner ? [] : [`event ${id} says ${owner}, the rows ${owners.get(id)}`]),
      ]
    }),
    ...(owners.size === latest ? [] : [`${owners.size} changes but ${latest} events`]),
  ]
}
