import type { Principal } from './contract/advanced/principal.ts'
import { satchelStateFolder } from './state-folder.ts'
import type { TokenBook } from './tokens/token-book.ts'
import { TOKEN_PREFIX } from './tokens/token-form.ts'

export interface KnownCallersOptions {
  readonly env: Readonly<Record<string, string | undefined>>
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
export function knownCallers({ env, onEnded }: KnownCallersOptions): KnownCallers {
  let book: Promise<TokenBook> | undefined
  const openBook = async (): Promise<TokenBook> => {
    const [{ openTokenBook }, { tokensFile }] = await Promise.all([
      import('./tokens/token-book.ts'),
      import('./tokens/token-file.ts'),
    ])
    const file = tokensFile(satchelStateFolder(env))
    return openTokenBook({ file, now: () => new Date(), onRevoked: onEnded })
  }
  return {
    async recognize(bearer) {
      if (!bearer.startsWith(TOKEN_PREFIX)) return undefined
      book ??= openBook()
      return (await book).recognize(bearer)
    },
    async close() {
      const opened = await book
      opened?.close()
    },
  }
}
