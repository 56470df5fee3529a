import type { SqlRow } from '../contract/advanced/database.ts'
import { refusals } from './refusals.ts'

/** Runs one statement on one connection. */
export type Run = (text: string, values?: readonly unknown[]) => Promise<readonly SqlRow[]>

/** The tables of one owner: a plugin, or the host itself. */
export interface SchemaPart {
  readonly owner: string
  readonly migrations: readonly string[]
}

export interface MigratedPart {
  readonly owner: string
  readonly from: number
  readonly to: number
}

/**
 * What the host needs of a database. In `writes`, `changed` is -1 for a write that was found not to be committed, and never
 * will be. `initialize` is the request that opened an MCP session; `line` is JSON.
 */
const HOST_PART: SchemaPart = {
  owner: 'satchel',
  migrations: [
    `create table satchel.writes (
       id uuid primary key,
       changed integer not null,
       at timestamptz not null default now()
     );
     create index writes_at on satchel.writes (at);`,
    `create table satchel.tokens (
       name text primary key,
       scopes text[] not null,
       created_at timestamptz not null,
       expires_at timestamptz,
       sha256 text not null unique
     );
     create table satchel.mcp_sessions (
       id uuid primary key,
       principal text not null,
       initialize text not null,
       uris text[] not null default '{}',
       used_at timestamptz not null default now()
     );
     create index mcp_sessions_used on satchel.mcp_sessions (used_at);
     create table satchel.audit (
       n bigint generated always as identity primary key,
       at timestamptz not null default now(),
       line text not null
     );`,
  ],
}

/** Any number that no other application is likely to lock. */
const MIGRATION_LOCK = '7310579134'

/** Errors: see `storage_encoding`, `storage_read_only`, and those of the schema. */
export async function checkSchema(run: Run, parts: readonly SchemaPart[], place: string): Promise<void> {
  await refuseUnfit(run, place)
  const found = await versionsIn(run, place)
  if (!found) throw refusals.storage_not_migrated({ place })
  for (const { owner, migrations } of [HOST_PART, ...parts]) {
    const [version, wanted] = [found.get(owner) ?? 0, migrations.length]
    if (version > wanted) throw refusals.storage_schema_newer({ owner, place, found: version, wanted })
    if (version < wanted) throw refusals.storage_schema_older({ owner, place, found: version, wanted })
  }
}

/**
 * Brings the tables to the version of this release, all in the transaction that `run` is in. Processes that migrate at
 * once wait for one another. Errors: `storage_schema_newer`, `storage_foreign_tables`, and those of `checkSchema`.
 */
export async function migrateSchema(
  run: Run,
  parts: readonly SchemaPart[],
  place: string,
): Promise<readonly MigratedPart[]> {
  await refuseUnfit(run, place)
  await run(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
  const found = (await versionsIn(run, place)) ?? new Map<string, number>()
  if (found.size === 0) {
    await run('create schema if not exists satchel')
    await run(`create table if not exists satchel.schema_versions (
      owner text primary key, version integer not null, at timestamptz not null default now())`)
  }
  const migrated: MigratedPart[] = []
  for (const { owner, migrations } of [HOST_PART, ...parts]) {
    const [from, to] = [found.get(owner) ?? 0, migrations.length]
    if (from > to) throw refusals.storage_schema_newer({ owner, place, found: from, wanted: to })
    for (const migration of migrations.slice(from)) await run(migration)
    if (from < to) {
      await run(
        `insert into satchel.schema_versions (owner, version) values ($1, $2)
         on conflict (owner) do update set version = excluded.version, at = now()`,
        [owner, to],
      )
    }
    migrated.push({ owner, from, to })
  }
  return migrated
}

/** Errors: `storage_encoding`, `storage_read_only`. */
export async function refuseUnfit(run: Run, place: string): Promise<void> {
  const [server] = await run(
    `select current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
            current_setting('transaction_read_only') as read_only`,
  )
  const encoding = String(server?.['encoding'])
  if (encoding !== 'UTF8') throw refusals.storage_encoding({ place, encoding })
  if (server?.['standby'] === true || server?.['read_only'] === 'on')
    throw refusals.storage_read_only({ place })
}

/** The versions of all owners; undefined where nothing was migrated yet. */
export async function versionsIn(run: Run, place: string): Promise<ReadonlyMap<string, number> | undefined> {
  const tables = await run(
    `select c.relname as name, (select count(*) from pg_attribute a where a.attrelid = c.oid
       and a.attname in ('owner', 'version', 'at') and not a.attisdropped) as known
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'satchel' and c.relkind in ('r', 'p', 'v', 'm', 'f') order by 1`,
  )
  if (tables.length === 0) return undefined
  const versions = tables.find(({ name }) => name === 'schema_versions')
  if (Number(versions?.['known'] ?? 0) < 3) {
    const [foreign] = versions ? [versions] : tables
    throw refusals.storage_foreign_tables({ place, table: String(foreign?.['name']) })
  }
  const rows = await run('select owner, version from satchel.schema_versions')
  return new Map(rows.map(({ owner, version }) => [String(owner), Number(version)]))
}
