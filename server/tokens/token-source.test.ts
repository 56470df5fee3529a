import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../contract/advanced/database.ts'
import { openPromise } from '../platform/open-promise.ts'
import { openTokenBook } from './token-book.ts'
import { tokenDigest } from './token-file.ts'
import { TOKEN_PREFIX } from './token-form.ts'
import { databaseTokens } from './token-source.ts'

const TOKEN = `${TOKEN_PREFIX}ci`

/** A database with one token, and a hint of it. */
function openTokens() {
  const sha256 = tokenDigest(TOKEN).toString('hex')
  const row = { name: 'ci', scopes: ['read'], created_at: new Date(0), expires_at: null, sha256 }
  let [rows, asked] = [[row], 0]
  const listeners: (() => void)[] = []
  const database: Pick<Database, 'query' | 'onHint'> = {
    async query() {
      asked += 1
      return rows
    },
    onHint: (topic, listener) => {
      assert.equal(topic, 'token_revoked')
      listeners.push(() => listener('ci'))
    },
  }
  return {
    database: database as Database, // nothing else is used of it
    asked: () => asked,
    revoke() {
      rows = []
    },
    hint() {
      for (const listener of listeners) listener()
    },
  }
}

test('a token whose revocation was heard is refused by the next call, and its streams end without one', async (t) => {
  const { database, revoke, hint, asked } = openTokens()
  const revoked: string[] = []
  const { promise: isTold, resolve: told } = openPromise<void>()
  const book = openTokenBook({
    sources: [databaseTokens(database)],
    now: () => new Date(),
    onRevoked(principalId) {
      revoked.push(principalId)
      told()
    },
  })
  t.after(() => book.close())
  const known = await book.recognize(TOKEN)
  await book.recognize(TOKEN)

  const before = asked()
  revoke()
  hint()
  await isTold
  const refused = book.recognize(TOKEN)

  assert.equal(known?.id, 'token:ci')
  assert.equal(before, 1)
  await assert.rejects(refused, { code: 'unauthorized', reason: 'token_unknown' })
  assert.deepEqual(revoked, ['token:ci'])
})
