import { type Run, versionsIn } from './schema.ts'

/** What a person is told of the database. */
export interface DatabaseFacts {
  readonly place: string
  /** `15.4`. */
  readonly version: string
  readonly encoding: string
  /** The version of the tables of each owner. */
  readonly tables: Readonly<Record<string, number>>
  /** Tables that the role may not write, and that callers write. */
  readonly unwritable: readonly string[]
}

/** What only the owner of the tables writes: versions, rights and tokens. */
const OF_THE_OWNER = "c.relname = 'schema_versions' or c.relname = 'tokens' or c.relname like '%\\_rights'"

export async function factsOf(run: Run, place: string): Promise<DatabaseFacts> {
  const [server] = await run(
    `select current_setting('server_version') as version, current_setting('server_encoding') as encoding`,
  )
  const unwritable = await run(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'satchel' and c.relkind in ('r', 'p') and not (${OF_THE_OWNER})
       and not has_table_privilege(c.oid, 'insert') order by 1`,
  )
  const versions = (await versionsIn(run, place)) ?? new Map<string, number>()
  return {
    place,
    version: String(server?.['version']).split(' ')[0] ?? '',
    encoding: String(server?.['encoding']),
    tables: Object.fromEntries(versions),
    unwritable: unwritable.map(({ name }) => String(name)),
  }
}
