import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assetPath } from '../../../server/assets.ts'
import type { Statements } from '../domain/rows.ts'
import { SCHEMA, STATEMENTS } from './schema.ts'

/** Statements that step through a table or a whole index of it; those that stop early or are kept short name why. */
const BOUNDED: Readonly<Record<string, string>> = {
  version_texts: 'an index of the 200 versions whose text is kept',
  event_newest: 'by its key, newest first, to the limit',
  proposal_settled_texts: 'an index of settled proposals whose text is kept: 200 and those of one change',
}

async function scansOf(statements: Statements): Promise<readonly string[]> {
  const { loadSql } = await import('../engine/sql.lazy.ts')
  const database = (await loadSql(readFileSync(assetPath('sql-wasm.wasm')))).open()
  try {
    database.exec(SCHEMA.ddl)
    return Object.entries(statements).flatMap(([name, { sql }]) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`)
      const scans = plan.rows([]).filter(({ detail }) => /^SCAN (?!CONSTANT)/.test(String(detail)))
      plan.free()
      return scans.map(({ detail }) => `${name}: ${String(detail)}`)
    })
  } finally {
    database.close()
  }
}

test('no statement of the room steps through what was ever kept: a long life makes no call slower', async () => {
  const scans = await scansOf(STATEMENTS)

  assert.deepEqual(
    scans.map((scan) => scan.split(':')[0]).sort(),
    Object.keys(BOUNDED).sort(),
    scans.join('\n'),
  )
  const settled = scans.find((scan) => scan.startsWith('proposal_settled_texts'))
  assert.equal(settled, 'proposal_settled_texts: SCAN proposal USING INDEX proposal_settled')
})

test('a statement without an index is found', async () => {
  const planted = { by_name: { id: 1, sql: 'SELECT json FROM participant WHERE name = :name' } }

  assert.deepEqual(await scansOf(planted), ['by_name: SCAN participant'])
})
