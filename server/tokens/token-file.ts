import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { realDisk, systemCode } from '../platform/disk.ts'
import { writeFileDurably } from '../platform/durable-file.ts'
import { parsedJson } from '../platform/json-object.ts'
import { withUserLock } from '../platform/user-lock.ts'
import { refusals } from './refusals.ts'
import { parseScope } from './scopes.ts'
import { TOKEN_NAME } from './token-form.ts'

/** The form of the file. A higher number is of a newer satchel. */
const VERSION = 1
const MAX_BYTES = 1024 * 1024
/** Maximum number of tokens of one user. */
export const MAX_TOKENS = 1000
/** Permissions of other users. */
const OTHERS = 0o077
const FILE_MODE = 0o600
const LONGEST_WAIT_MS = 5_000

const storedToken = z.object({
  name: z.string().regex(TOKEN_NAME),
  scopes: z.array(z.string().refine((scope) => parseScope(scope) !== undefined)).min(1),
  created_at: z.iso.datetime(),
  /** Null: it does not expire. */
  expires_at: z.iso.datetime().nullable(),
  /** SHA-256 of the token in hex. A token has 256 random bits, so it needs no slow hash. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
const tokenFile = z.object({ version: z.literal(VERSION), tokens: z.array(storedToken).max(MAX_TOKENS) })

/** A token as it is kept: without the token. */
export type StoredToken = z.output<typeof storedToken>

/** The file of this user's tokens, in the state folder of satchel. */
export function tokensFile(stateFolder: string): string {
  return join(stateFolder, 'tokens.json')
}

/** The SHA-256 of a token. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * Reads the tokens; none if there is no file. Errors: `unavailable`/`tokens_unreadable` for a file that other users may
 * read, that is damaged or that a newer satchel wrote: nothing is accepted from it, and nothing overwrites it.
 */
export async function readTokens(file: string): Promise<readonly StoredToken[]> {
  const unreadable = (fault: string, repair: string, cause?: unknown) =>
    refusals.tokens_unreadable({ file, fault, repair }, { cause })
  const facts = await realDisk.stat(file)
  if (facts === undefined) return []
  if (facts.kind !== 'file' || facts.size > MAX_BYTES) throw unreadable('it is not a file of tokens', MOVE)
  if (process.platform !== 'win32' && (facts.mode & OTHERS) !== 0) {
    throw unreadable('other users may read or change it', `Check its tokens, then: chmod 600 ${file}`)
  }
  const content = await realDisk.readFile(file).catch((cause: unknown) => {
    throw unreadable(`reading failed (${systemCode(cause) ?? 'unknown error'})`, MOVE, cause)
  })
  const value = parsedJson(content.toString('utf8'))
  const found = tokenFile.safeParse(value)
  if (found.success) return found.data.tokens
  const isNewer = Number(Object(value).version) > VERSION
  throw isNewer
    ? unreadable('a newer version of satchel wrote it', 'Install that version.')
    : unreadable('it is damaged', MOVE)
}

const MOVE = 'Move it away and create the tokens again.'

/**
 * Replaces the tokens by what `change` returns while no other process changes them. On disk when it resolves.
 * Errors: those of `readTokens` and `change`; `unavailable`/`tokens_busy`, `tokens_not_written`.
 */
export async function changeTokens(
  file: string,
  change: (tokens: readonly StoredToken[]) => readonly StoredToken[],
): Promise<void> {
  const failed = (error: string, cause: unknown) => refusals.tokens_not_written({ file, error }, { cause })
  const path = join(dirname(file), 'tokens.lock')
  await withUserLock(
    { path, waitMs: LONGEST_WAIT_MS, held: () => refusals.tokens_busy(), failed },
    async () => {
      const tokens = change(await readTokens(file))
      const text = `${JSON.stringify({ version: VERSION, tokens }, undefined, 2)}\n`
      await writeFileDurably(file, text, { mode: FILE_MODE }).catch((cause: unknown) => {
        const error = systemCode(cause)
        throw error === undefined ? cause : failed(error, cause)
      })
    },
  )
}
