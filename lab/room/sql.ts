import { readFileSync } from 'node:fs'
import type { Sql } from '../../plugins/workspace/engine/sql.ts'
import { assetPath } from '../../server/assets.ts'

/** The SQL engine of a room, as it is shipped. */
export async function loadRoomSql(wasm = assetPath('sql-wasm.wasm')): Promise<Sql> {
  const { loadSql } = await import('../../plugins/workspace/engine/sql.lazy.ts')
  return await loadSql(readFileSync(wasm))
}
