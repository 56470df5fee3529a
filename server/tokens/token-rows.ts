import * as z from 'zod'
import type { Database } from '../contract/advanced/database.ts'
import { refusals } from './refusals.ts'
import { MAX_TOKENS, type StoredToken } from './token-file.ts'

const instant = z.date().transform((at) => at.toISOString())
const tokenRow = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  created_at: instant,
  expires_at: instant.nullable(),
  sha256: z.string(),
})

/** The tokens that every server of this database accepts. Errors: those of `Database`. */
export async function loadTokens(database: Database): Promise<readonly StoredToken[]> {
  const rows = await database.query(
    'select name, scopes, created_at, expires_at, sha256 from satchel.tokens order by created_at, name',
  )
  return rows.map((row) => tokenRow.parse(row))
}

/** The topic of the hint that a token was revoked, with its name. */
export const REVOKED = 'token_revoked'

/** Errors: `conflict`/`token_name_taken`, `too_large`/`token_limit`; those of `Database`. */
export async function addToken(database: Database, token: StoredToken): Promise<void> {
  const { name, scopes, created_at, expires_at, sha256 } = token
  const added = await database.write(
    `changed as (insert into satchel.tokens (name, scopes, created_at, expires_at, sha256)
       select $2, $3::text[], $4::timestamptz, $5::timestamptz, $6
       where (select count(*) from satchel.tokens) < ${MAX_TOKENS}
       on conflict (name) do nothing returning name)`,
    [name, scopes, created_at, expires_at, sha256],
  )
  if (added > 0) return
  const isTaken = (await loadTokens(database)).some((each) => each.name === name)
  throw isTaken ? refusals.token_name_taken({ name }) : refusals.token_limit({ count: MAX_TOKENS })
}

/** False if there is no token of this name. Errors: those of `Database`. */
export async function removeToken(database: Database, name: string): Promise<boolean> {
  const removed = await database.write(
    'changed as (delete from satchel.tokens where name = $2 returning name)',
    [name],
    { topic: REVOKED, about: name },
  )
  return removed > 0
}
