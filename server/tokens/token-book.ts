import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../contract/advanced/principal.ts'
import { realDisk } from '../platform/disk.ts'
import { refusals } from './refusals.ts'
import { readTokens, type StoredToken, tokenDigest } from './token-file.ts'
import { TOKEN_PREFIX } from './token-form.ts'

/** Time after which a revocation reaches open streams. Calls look at every request. */
const LOOK_MS = 1_000

export interface TokenBookOptions {
  readonly file: string
  now(): Date
  /** Is told of each caller whose token was revoked. */
  onRevoked(principalId: string): void
}

/** The tokens as a running server sees them. Its owner closes it. */
export interface TokenBook {
  /**
   * The caller with this token; undefined for a text that is not a token of satchel. The file is read again when it changed.
   * Errors: `unauthorized`/`token_unknown`, `token_expired`; those of `readTokens`.
   */
  recognize(bearer: string): Promise<Principal | undefined>
  close(): void
}

/** Opens the tokens of this user without reading them. */
export function openTokenBook({ file, now, onRevoked }: TokenBookOptions): TokenBook {
  let known: { readonly stamp: string | undefined; readonly tokens: readonly StoredToken[] } | undefined
  let looking: NodeJS.Timeout | undefined

  const current = async (): Promise<readonly StoredToken[]> => {
    const stamp = await realDisk.stamp(file)
    if (known && known.stamp === stamp) return known.tokens
    const before = known?.tokens ?? []
    known = undefined
    const tokens = await readTokens(file)
    known = { stamp, tokens }
    const kept = new Set(tokens.map(({ sha256 }) => sha256))
    for (const { name, sha256 } of before) if (!kept.has(sha256)) onRevoked(idOf(name))
    return tokens
  }
  const look = (): void => {
    current().catch(() => undefined) // the next call says what is wrong with the file
  }
  return {
    async recognize(bearer) {
      if (!bearer.startsWith(TOKEN_PREFIX)) return undefined
      const found = findToken(await current(), bearer)
      if (!found) throw refusals.token_unknown()
      const { name, scopes, expires_at: at } = found
      if (at !== null && Date.parse(at) <= now().getTime()) throw refusals.token_expired({ name, at })
      looking ??= setInterval(look, LOOK_MS).unref()
      return { id: idOf(name), kind: 'operator', capabilities: [], scopes }
    },
    close: () => clearInterval(looking),
  }
}

/** Compares with every token, so that the time tells nothing of which one is near. */
function findToken(tokens: readonly StoredToken[], bearer: string): StoredToken | undefined {
  const digest = tokenDigest(bearer)
  let found: StoredToken | undefined
  for (const token of tokens) {
    if (timingSafeEqual(Buffer.from(token.sha256, 'hex'), digest)) found = token
  }
  return found
}

function idOf(name: string): string {
  return `token:${name}`
}
