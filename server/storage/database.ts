import { basename, dirname, join } from 'node:path'
import type { Database } from '../contract/advanced/database.ts'
import { packageRoot } from '../package-root.ts'
import type { PasswordFileParts } from './password-file.ts'
import type { Postgres, PostgresParts, StorageCounts } from './postgres.ts'
import { refusals } from './refusals.ts'

/** The database of a host. Nothing of it is loaded before its first use. */
export interface HostDatabase extends Omit<Postgres, 'place' | 'counts'>, Database {
  /** Undefined before the first use. */
  counts(): StorageCounts | undefined
}

type Parts = PostgresParts & PasswordFileParts & { readonly url: string }

/** The server at `url`, whose client is loaded at the first use. Errors: `unavailable`/`storage_client_missing`. */
export function createDatabase(parts: Parts): HostDatabase {
  let opened: Promise<Postgres> | undefined
  let known: Postgres | undefined
  /** Asked for before the client was loaded, which a listener is no reason for. */
  const asked: ((database: Postgres) => void)[] = []
  const open = async (): Promise<Postgres> => {
    opened ??= load(parts)
    known = await opened
    for (const each of asked.splice(0)) each(known)
    return known
  }
  const later = (act: (database: Postgres) => void): void => {
    if (known) act(known)
    else asked.push(act)
  }
  return {
    get place() {
      return known?.place ?? 'of storage.url'
    },
    clockOffsetMs: () => known?.clockOffsetMs() ?? 0,
    ready: async () => (await open()).ready(),
    query: async (text, values) => (await open()).query(text, values),
    write: async (text, values, hint) => (await open()).write(text, values, hint),
    onHint: (topic, listener) => later((database) => database.onHint(topic, listener)),
    listen: () => later((database) => database.listen()),
    locked: async (name, limitMs, action) => (await open()).locked(name, limitMs, action),
    migrate: async () => (await open()).migrate(),
    check: async (limitMs) => (await open()).check(limitMs),
    facts: async () => (await open()).facts(),
    counts: () => known?.counts(),
    close: async () => known?.close(),
  }
}

async function load(parts: Parts): Promise<Postgres> {
  const { openPostgres } = await import('./postgres.lazy.ts').catch((cause: unknown) => {
    throw refusals.storage_client_missing(installation(packageRoot()), { cause })
  })
  return openPostgres(parts)
}

/** Where npm puts what is installed beside this package, and the option that puts it there. */
export function installation(root: string): { readonly folder: string; readonly global: string } {
  const folder = basename(dirname(root)) === 'node_modules' ? dirname(root) : join(root, 'node_modules')
  const isGlobal = basename(dirname(folder)) === 'lib' || /[\\/]npm[\\/]node_modules$/.test(folder)
  return { folder, global: isGlobal ? '--global ' : '' }
}
