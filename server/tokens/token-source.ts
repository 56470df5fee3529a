import type { Database } from '../contract/advanced/database.ts'
import { realDisk } from '../platform/disk.ts'
import { readTokens, type StoredToken } from './token-file.ts'
import { loadTokens, REVOKED } from './token-rows.ts'

/** Where a running server finds tokens. */
export interface TokenSource {
  /**
   * The tokens now; those of a database are at most a second old, or a tenth of one where `isNew` says that a token may
   * have been created since. Errors: those of `readTokens` or of `Database`.
   */
  tokens(isNew?: boolean): Promise<readonly StoredToken[]>
  /** Tells that a token may have been revoked, and that the next question does not get an answer from before. */
  onRevocation?(listener: () => void): void
}

const OLDEST_MS = 1_000
const OLDEST_FOR_NEW_MS = 100

/** The file of this user, which is read again when it changed. */
export function fileTokens(file: string): TokenSource {
  let known: { readonly stamp: string | undefined; readonly tokens: readonly StoredToken[] } | undefined
  return {
    async tokens() {
      const stamp = await realDisk.stamp(file)
      if (known && known.stamp === stamp) return known.tokens
      known = undefined
      const tokens = await readTokens(file)
      known = { stamp, tokens }
      return tokens
    },
  }
}

/** The tokens of all servers of a database. Callers that come while it is asked share the answer. */
export function databaseTokens(database: Database): TokenSource {
  let asked: { readonly atMs: number; readonly tokens: Promise<readonly StoredToken[]> } | undefined
  return {
    tokens(isNew = false) {
      const nowMs = performance.now()
      const oldestMs = isNew ? OLDEST_FOR_NEW_MS : OLDEST_MS
      if (!asked || nowMs - asked.atMs >= oldestMs) {
        const tokens = loadTokens(database)
        asked = { atMs: nowMs, tokens }
        tokens.catch(() => {
          if (asked?.tokens === tokens) asked = undefined
        })
      }
      return asked.tokens
    },
    onRevocation(listener) {
      database.onHint(REVOKED, () => {
        asked = undefined
        listener()
      })
    },
  }
}
