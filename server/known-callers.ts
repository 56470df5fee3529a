import type { OAuthSettings } from './config-sections.ts'
import type { Database } from './contract/advanced/database.ts'
import type { Principal } from './contract/advanced/principal.ts'
import { satchelStateFolder } from './state-folder.ts'
import type { TokenBook } from './tokens/token-book.ts'
import { TOKEN_PREFIX } from './tokens/token-form.ts'

/** The form of a signed JWT; without a signature too, so that its refusal says so. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/

export interface KnownCallersOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  now(): Date
  /** The authorization server whose access tokens are accepted; absent: none. */
  readonly oauth?: OAuthSettings | undefined
  /** The database whose tokens every server of it accepts; undefined: there are only those of this user. */
  database(): Promise<Database | undefined>
  /** Is told of each caller that lost its rights. */
  onEnded(principalId: string): void
}

/** The callers that the server knows by credentials other than its own token. Its owner closes it. */
export interface KnownCallers {
  /** Undefined for a credential of another kind. Errors: `unauthorized`, `unavailable`. */
  recognize(bearer: string): Promise<Principal | undefined>
  close(): Promise<void>
}

/** Loads what recognizes a credential when the first one arrives. */
export function knownCallers({ env, now, oauth, database, onEnded }: KnownCallersOptions): KnownCallers {
  let book: Promise<TokenBook> | undefined
  let accessTokens: ReturnType<typeof openAccessTokens> | undefined
  const openBook = async (): Promise<TokenBook> => {
    const [{ openTokenBook }, { databaseTokens, fileTokens }, { tokensFile }, shared] = await Promise.all([
      import('./tokens/token-book.ts'),
      import('./tokens/token-source.ts'),
      import('./tokens/token-file.ts'),
      database(),
    ])
    const own = fileTokens(tokensFile(satchelStateFolder(env)))
    const sources = shared ? [own, databaseTokens(shared)] : [own]
    return openTokenBook({ sources, now, onRevoked: onEnded })
  }
  return {
    async recognize(bearer) {
      if (bearer.startsWith(TOKEN_PREFIX)) {
        book ??= openBook()
        return (await book).recognize(bearer)
      }
      if (!oauth || !JWT.test(bearer)) return undefined
      accessTokens ??= openAccessTokens(oauth)
      return (await accessTokens).recognize(bearer)
    },
    async close() {
      const opened = await book?.catch(() => undefined) // its caller was told
      opened?.close()
    },
  }
}

async function openAccessTokens(oauth: OAuthSettings): Promise<Pick<KnownCallers, 'recognize'>> {
  const { createAccessTokens } = await import('./tokens/access-token.lazy.ts')
  return createAccessTokens(oauth)
}
