import { timingSafeEqual } from 'node:crypto'
import type { Principal } from '../contract/advanced/principal.ts'
import { refusals } from './refusals.ts'
import { type StoredToken, tokenDigest } from './token-file.ts'
import { TOKEN_PREFIX } from './token-form.ts'
import type { TokenSource } from './token-source.ts'

/** Time after which a revocation reaches open streams. Calls look at every request. */
const LOOK_MS = 1_000

export interface TokenBookOptions {
  /** Asked in this order. A name is in one of them. */
  readonly sources: readonly TokenSource[]
  now(): Date
  /** Is told of each caller whose token was revoked. */
  onRevoked(principalId: string): void
}

/** The tokens as a running server sees them. Its owner closes it. */
export interface TokenBook {
  /**
   * The caller with this token; undefined for a text that is not a token of satchel.
   * Errors: `unauthorized`/`token_unknown`, `token_expired`; those of the sources.
   */
  recognize(bearer: string): Promise<Principal | undefined>
  close(): void
}

/** Opens the tokens of these sources without reading them. */
export function openTokenBook({ sources, now, onRevoked }: TokenBookOptions): TokenBook {
  const pages = sources.map((source) => openPage(source, onRevoked))
  let looking: NodeJS.Timeout | undefined

  const look = (): void => {
    for (const page of pages) page.tokens().catch(() => undefined) // the next call says what is wrong with them
  }
  for (const source of sources) source.onRevocation?.(look)
  const find = async (bearer: string, isNew: boolean): Promise<StoredToken | undefined> => {
    for (const page of pages) {
      const found = findToken(await page.tokens(isNew), bearer)
      if (found) return found
    }
    return undefined
  }
  return {
    async recognize(bearer) {
      if (!bearer.startsWith(TOKEN_PREFIX)) return undefined
      const found = (await find(bearer, false)) ?? (await find(bearer, true))
      if (!found) throw refusals.token_unknown()
      const { name, scopes, expires_at: at } = found
      if (at !== null && Date.parse(at) <= now().getTime()) throw refusals.token_expired({ name, at })
      looking ??= setInterval(look, LOOK_MS).unref()
      return { id: idOf(name), kind: 'operator', capabilities: [], scopes }
    },
    close: () => clearInterval(looking),
  }
}

/** A source that tells of the tokens that are no longer in it. */
function openPage(
  source: TokenSource,
  onRevoked: TokenBookOptions['onRevoked'],
): Pick<TokenSource, 'tokens'> {
  let before: readonly StoredToken[] = []
  return {
    async tokens(isNew) {
      const tokens = await source.tokens(isNew)
      if (tokens === before) return tokens
      const kept = new Set(tokens.map(({ sha256 }) => sha256))
      const revoked = before.filter(({ sha256 }) => !kept.has(sha256))
      before = tokens
      for (const { name } of revoked) onRevoked(idOf(name))
      return tokens
    },
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
