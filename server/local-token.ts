import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { HttpSettings } from './config-sections.ts'
import type { Log } from './contract/context.ts'
import { createFileDurably } from './platform/durable-file.ts'
import { makeFolder, openToRead } from './platform/file-tree.ts'
import { satchelStateFolder } from './state-folder.ts'

const TOKEN_BYTES = 24
const TOKEN = /^[\w-]{32}$/
const MAX_BYTES = 100
/** Permissions of other users. */
const OTHERS = 0o077

/** Returns a new random token. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The file whose reader is this OS user. Where the system does not tell whose a connection is, the server accepts its
 * content from programs on this machine.
 */
function localTokenFile(env: Env): string {
  return join(satchelStateFolder(env), 'local-token')
}

/** Returns the token of this user's file; undefined without one, or if other users may read it. */
export async function readLocalToken(env: Env): Promise<string | undefined> {
  const file = await openToRead(localTokenFile(env)).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { mode, size } = await file.stat()
    const isPrivate = process.platform === 'win32' || (mode & OTHERS) === 0
    if (!isPrivate || size > MAX_BYTES) return undefined
    const text = (await file.readFile('utf8')).trim()
    return TOKEN.test(text) ? text : undefined
  } finally {
    await file.close()
  }
}

/** What proves to the HTTP door that a caller without the server's token is this OS user. */
export interface LocalProof {
  /** The token of this user's file, where it is the proof. */
  readonly localToken?: string | undefined
  /** Absent: the owner of the connection is the proof. */
  isOwnUser?(): Promise<boolean>
}

/** Prepares the proof. Without a usable token file every caller needs the server's token. */
export async function localProof(
  proof: HttpSettings['local_proof'],
  env: Env,
  log: Log,
): Promise<LocalProof> {
  if (proof === 'user' || (proof === 'auto' && process.platform === 'linux')) return {}
  const localToken = await ensureLocalToken(env).catch((error: unknown) => {
    log.warn('the token file of this user cannot be used: every caller needs the token', { error })
    return undefined
  })
  return { localToken, isOwnUser: async () => false }
}

/** Returns the token of this user's file, which is created with mode 0600 if it does not exist. Errors: the file system's own. */
async function ensureLocalToken(env: Env): Promise<string | undefined> {
  const known = await readLocalToken(env)
  if (known !== undefined) return known
  const file = localTokenFile(env)
  await makeFolder(dirname(file), 0o700)
  await createFileDurably(file, `${newToken()}\n`, { mode: 0o600 }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EEXIST') throw thrown
  })
  return readLocalToken(env)
}
