import { join } from 'node:path'
import type { Log } from '../contract/context.ts'
import { systemCode } from '../platform/disk.ts'
import { homeFolder } from '../platform/home-folder.ts'
import { readRegularBytes } from '../platform/regular-file.ts'

/** A connection that needs a password. */
export interface Login {
  readonly host: string
  readonly port: number
  readonly database: string | undefined
  readonly user: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where the file is looked for, and who is told that it is not used. */
export interface PasswordFileParts {
  /** Absent: only the usual place. */
  readonly env?: Environment
  readonly log: Pick<Log, 'warn'>
}

const MAX_BYTES = 1024 * 1024
const OTHERS_MAY = 0o077
const FIELD = String.raw`((?:\\.|[^:\\])*)`
const LINE = new RegExp(String.raw`^${`${FIELD}:`.repeat(4)}((?:\\.|[^:])*)`)
/** Where a server of this machine listens unless it is told otherwise. psql looks for these as `localhost`. */
const USUAL_SOCKETS: readonly string[] = ['/tmp', '/run/postgresql', '/var/run/postgresql']

/**
 * The user's password file, read at each call as psql reads it: the first line that fits counts. Undefined: none fits, or
 * the file may be read by others, which `log` is told once.
 */
export function createPasswordFile({ env = {}, log }: PasswordFileParts) {
  const path = env['PGPASSFILE'] || usualPath(env)
  let isTold = false
  const unused = (fault: string): undefined => {
    if (!isTold) log.warn('the file of passwords for PostgreSQL is not used', { path, fault })
    isTold = true
  }
  return async (login: Login): Promise<string | undefined> => {
    const found = await readRegularBytes(path, MAX_BYTES).catch(systemCode)
    if (typeof found !== 'object') return found === 'ENOENT' ? undefined : unused(found ?? 'unreadable')
    if (found.kind !== 'bytes') return unused(found.kind)
    if (process.platform !== 'win32' && found.stats.mode & OTHERS_MAY)
      return unused('others may read or write it; chmod 600 keeps it to its user')
    return passwordIn(found.bytes.toString(), login)
  }
}

/** The password of the first line of `text` that fits. Lines are `host:port:database:user:password`; `*` fits everything. */
export function passwordIn(text: string, { host, port, database, user }: Login): string | undefined {
  const wanted = [USUAL_SOCKETS.includes(host) ? 'localhost' : host, String(port), database, user]
  for (const line of text.split(/\r?\n/)) {
    const [, ...fields] = (line.startsWith('#') ? undefined : LINE.exec(line)) ?? []
    const fits = wanted.every((value, at) => fields[at] === '*' || unescaped(fields[at]) === value)
    if (fields.length > 0 && fits) return unescaped(fields[4]) || undefined
  }
  return undefined
}

function usualPath(env: Environment): string {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? '', 'postgresql', 'pgpass.conf')
  return join(homeFolder(), '.pgpass')
}

function unescaped(field: string | undefined): string | undefined {
  return field?.replace(/\\(.)/g, '$1')
}
