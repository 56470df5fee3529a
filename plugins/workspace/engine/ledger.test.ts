import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { modelContent } from '../testing/model.ts'
import type { JournalRecord } from './journal-record.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { FORMAT } from './meta.ts'
import type { Sql } from './sql.ts'
import { lintSql } from './sql-lint.ts'

const { schema, statements } = modelContent
const HISTORIES = Number(process.env['HISTORIES'] ?? 300)
const SEED = Number(process.env['SEED'] ?? 20_261_122)

let sql: Sql
before(async () => {
  const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
  sql = await import('./sql.lazy.ts').then(({ loadSql }) => loadSql(readFileSync(wasm)))
})

interface Play {
  readonly records: JournalRecord[]
  readonly image: Uint8Array
  readonly hash: string
}

interface Move {
  readonly text: string
  readonly refuse: boolean
  readonly trim: boolean
}

/** Plays a history; gives its records, an image from the middle and the final hash. */
function play(ledger: Ledger, history: readonly Move[]): Play {
  const records: JournalRecord[] = []
  let image = ledger.export(1)
  for (const [index, move] of history.entries()) {
    const eventId = ledger.meta.nextEventId
    ledger.begin()
    ledger.run('addNote', { id: ledger.meta.seq + 1, event_id: eventId, text: move.text })
    ledger.run('addEvent', { event_id: eventId, kind: 'note', subject: ledger.meta.seq + 1 })
    if (move.trim) ledger.run('trimEvents', { below: eventId - 2 })
    if (move.refuse) {
      ledger.rollback()
      continue
    }
    records.push(ledger.seal({ nextEventId: eventId + 1 }, ledger.meta.seq))
    ledger.commit()
    if (index === history.length >> 1) image = ledger.export(2)
  }
  return { records, image, hash: ledger.dumpHash() }
}

test('a refused change takes back nothing of the hundreds before it', () => {
  const live = openLedger(sql, schema, statements)
  const history = Array.from({ length: 300 }, (_, at) => ({
    text: `note ${at}`,
    refuse: at % 7 === 0 || at % 64 < 2,
    trim: at % 3 === 0,
  }))

  const { records, image, hash } = play(live, history)

  const [fromNothing, fromImage] = [undefined, image].map((start) =>
    openLedger(sql, schema, statements, start),
  )
  assert.ok(fromNothing && fromImage)
  const kept = history.filter(({ refuse }) => !refuse).map(({ text }) => text)
  assert.deepEqual(
    live.all('notes').map((row) => row['text']),
    kept,
  )
  fromNothing.replay(records)
  fromImage.replay(records.filter(({ seq }) => seq > fromImage.meta.seq))
  assert.deepEqual([fromNothing.dumpHash(), fromImage.dumpHash()], [hash, hash])
  for (const ledger of [live, fromNothing, fromImage]) ledger.close()
})

const moves = fc.array(
  fc.record({ text: fc.string({ unit: 'binary', maxLength: 20 }), refuse: fc.boolean(), trim: fc.boolean() }),
  { maxLength: 12 },
)

test('replaying the records gives the same room, from nothing and from any checkpoint', (t) => {
  t.diagnostic(`seed ${SEED}, ${HISTORIES} histories`)
  fc.assert(
    fc.property(moves, (history) => {
      const live = openLedger(sql, schema, statements)
      const { records, image, hash } = play(live, history)
      const fromNothing = openLedger(sql, schema, statements)
      const fromImage = openLedger(sql, schema, statements, image)
      // As the journal stores them.
      const stored = JSON.parse(JSON.stringify(records)) as JournalRecord[]

      fromNothing.replay(stored)
      fromImage.replay(stored.filter(({ seq }) => seq > fromImage.meta.seq))

      const hashes = [fromNothing.dumpHash(), fromImage.dumpHash()]
      for (const ledger of [live, fromNothing, fromImage]) ledger.close()
      assert.deepEqual(hashes, [hash, hash])
    }),
    { numRuns: HISTORIES, seed: SEED },
  )
})

test('a room of a newer satchel is refused', () => {
  const newer = openLedger(sql, { ...schema, version: schema.version + 1 }, statements)
  const image = newer.export(1)
  newer.close()

  assert.throws(() => openLedger(sql, schema, statements, image), {
    code: 'invalid',
    reason: 'unsupported_version',
  })
})

test('a room of an older format is opened, and its next checkpoint is of the present one', () => {
  const connection = sql.open(openLedger(sql, schema, statements).export(1))
  connection.exec(`PRAGMA user_version = ${schema.version}`)
  const older = connection.export()
  connection.close()

  const ledger = openLedger(sql, schema, statements, older)
  const next = openLedger(sql, schema, statements, ledger.export(2))

  assert.deepEqual([ledger.isOlder, next.isOlder], [true, false])
  for (const open of [ledger, next]) open.close()
})

test('a room whose format is newer is refused', () => {
  const connection = sql.open(openLedger(sql, schema, statements).export(1))
  connection.exec(`PRAGMA user_version = ${(FORMAT + 1) * 1_000 + schema.version}`)
  const image = connection.export()
  connection.close()

  assert.throws(() => openLedger(sql, schema, statements, image), { reason: 'unsupported_version' })
})

test('a record with an unknown statement is refused as newer', () => {
  const ledger = openLedger(sql, schema, statements)
  const record: JournalRecord = { seq: 1, durable: 0, steps: [[9_999, []]] }

  assert.throws(() => ledger.replay([record]), { reason: 'unsupported_version' })
  ledger.close()
})

test('an image that is not a database is damage, not a crash', () => {
  assert.throws(() => openLedger(sql, schema, statements, Buffer.from('not a database'.repeat(100))), {
    code: 'unavailable',
    reason: 'store_damaged',
  })
})

test('a statement needs all its parameters and keeps to its kind', () => {
  const ledger = openLedger(sql, schema, statements)
  ledger.begin()

  assert.throws(() => ledger.run('addNote', { id: 1, event_id: 1 }), /needs :text/)
  assert.throws(() => ledger.run('notes'), /reads/)
  assert.throws(() => ledger.all('addNote', { id: 1, event_id: 1, text: '' }), /writes/)
  ledger.rollback()
  ledger.close()
})

const nondeterministic: readonly (readonly [string, string])[] = [
  ['random()', 'INSERT INTO note VALUES (random(), 1, 1)'],
  ['SQL clock', "INSERT INTO note VALUES (1, 1, datetime('now'))"],
  ['CURRENT_TIMESTAMP', 'INSERT INTO note VALUES (1, 1, CURRENT_TIMESTAMP)'],
  ['last_insert_rowid()', 'INSERT INTO note VALUES (last_insert_rowid(), 1, 1)'],
  ['AUTOINCREMENT', 'CREATE TABLE x (id INTEGER PRIMARY KEY AUTOINCREMENT)'],
  ['LIMIT without ORDER BY', 'DELETE FROM note WHERE id IN (SELECT id FROM note LIMIT 1)'],
  ['neither a SELECT', 'PRAGMA user_version = 3'],
]

for (const [rule, text] of nondeterministic) {
  test(`the SQL table refuses what a replay could not repeat: ${rule}`, () => {
    const findings = lintSql(schema, { bad: { id: 1, sql: text } })

    assert.ok(
      findings.some((finding) => finding.includes(rule)),
      findings.join('; '),
    )
  })
}

test('two statements never share a number', () => {
  const same = { id: 1, sql: 'SELECT 1' }

  assert.equal(lintSql(schema, { one: same, two: same }).length, 2)
})
