import type { Database, SqlRow } from '../../../server/plugin.ts'
import {
  type IndexRecord,
  parseRecord,
  parseRepositoryRow,
  type RepositoryRow,
  summaryFiles,
} from '../output/module-index.ts'
import { RUN_ENDED } from './migrations.ts'

/** The state of a catalogue's rows: what a reader must have seen. */
export interface CatalogueHead {
  readonly change: number
  /** Milliseconds since that change, by the clock of the database. */
  readonly ageMs: number
  /** Another one after a restore or the promotion of a standby, after which an equal count means nothing. */
  readonly life: string
  readonly parser_version: string
  readonly finished_at: string | null
}

/** A record as its row has it; `record` is undefined for one that was removed. */
export interface RecordChange {
  readonly id: string
  readonly change: number
  readonly record: IndexRecord | undefined
}

/** What one repository has that the database shall have. */
export interface Publication {
  readonly repository: RepositoryRow
  /** New ones, and those of which anything changed, their time included. */
  readonly records: readonly IndexRecord[]
  /** Ids. */
  readonly removed: readonly string[]
  /** Lines that were added to the code of the repository; empty: none. */
  readonly code: Buffer
  readonly codeFormat: string
}

/** The rows of one catalogue, and its change feed. */
export interface CatalogueRows {
  head(): Promise<CatalogueHead>
  /** Records after this place of the feed, in its order. */
  recordsSince(place: FeedPlace, limit: number): Promise<readonly RecordChange[]>
  repositoriesSince(change: number): Promise<readonly RepositoryRow[]>
  /** Repositories whose code changed. */
  codeSince(change: number): Promise<readonly string[]>
  /** All lines of a repository's code in this format, oldest first. */
  code(repository: string, format: string): Promise<Buffer>
  summaries(hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>>
  /** Of these hashes, those that have no row. */
  missingSummaries(hashes: readonly string[]): Promise<ReadonlySet<string>>
  addSummaries(summaries: ReadonlyMap<string, Buffer>): Promise<void>
  /** Removes summaries that no record names. */
  removeUnnamed(): Promise<void>
  createCatalogue(): Promise<void>
  /**
   * In one transaction, if `guard` (a part of a WITH, named `own`) gives a row. False: it gave none.
   * Errors: that of the driver, SQLSTATE 23505, where another module has the name of a summary file.
   */
  publish(publication: Publication, guard: Guard): Promise<boolean>
  /** That a run ended. */
  finish(facts: Pick<CatalogueHead, 'parser_version' | 'finished_at'>): Promise<void>
}

/** A condition of a publication; its values are numbered from `$10` on. */
export interface Guard {
  readonly text: string
  readonly values: readonly (string | number)[]
}

export interface FeedPlace {
  readonly change: number
  /** Empty: after every id of `change`. */
  readonly id: string
}

/** After every id: they are hexadecimal. */
const LAST_ID = 'g'
/** A summary is there before the record that names it. */
const UNNAMED_KEPT = '1 day'

/** Of the cluster, the history of its log, the database and the table: what a dump or a promotion changes. */
const LIFE = `concat_ws(':', (select system_identifier from pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (select oid from pg_database where datname = current_database()),
  'satchel.module_records'::regclass::oid)`

/** The repository is not there yet. */
export const IF_NEW: Guard = {
  text: `own as (select 1 where not exists (
    select from satchel.module_repositories where catalogue = $2 and repository = $3))`,
  values: [],
}

/**
 * Counting first makes writers of one catalogue wait for one another until their commit. Names are looked up as arrays: what is
 * joined is estimated too large, so that each publication would read all names of the catalogue.
 */
const PUBLISH = `counted as (
    update satchel.module_catalogues set change = change + 1, changed_at = now()
    where key = $2 and exists (select from own) returning change),
  repository as (
    insert into satchel.module_repositories (catalogue, repository, change, facts)
    select $2, $3, counted.change, $4 from counted
    on conflict (catalogue, repository) do update set change = excluded.change, facts = excluded.facts),
  given as (
    select r ->> 'id' as id, r ->> 'ref' as ref, r ->> 'path' as path, r -> 'files' as files,
      array(select jsonb_array_elements_text(r -> 'hashes')) as hashes, t.text
    from jsonb_array_elements($5::jsonb) with ordinality a (r, n)
      join unnest($7::text[]) with ordinality t (text, n) using (n)),
  names as (
    select distinct lower(file) as folded, id from given, lateral jsonb_array_elements_text(files) as file),
  unnamed as (
    delete from satchel.module_file_names n using counted
    where n.catalogue = $2 and n.id = any($6::text[] || array(select id from given))
      and not exists (select from names where names.folded = n.folded and names.id = n.id)),
  held as materialized (
    select folded, id from satchel.module_file_names
    where catalogue = $2 and folded = any(array(select folded from names))),
  named as (
    insert into satchel.module_file_names (catalogue, folded, id)
    select $2, n.folded, n.id from counted, names n
    where not exists (select from held where held.folded = n.folded and held.id = n.id)),
  recorded as (
    insert into satchel.module_records (catalogue, id, repository, ref, path, change, hashes, record)
    select $2, g.id, $3, g.ref, g.path, counted.change, g.hashes, g.text from counted, given g
    on conflict (catalogue, id) do update
      set change = excluded.change, removed = false, hashes = excluded.hashes, record = excluded.record),
  removed as (
    update satchel.module_records r set change = counted.change, removed = true, hashes = '{}', record = ''
    from counted where r.catalogue = $2 and r.id = any($6::text[])),
  coded as (
    insert into satchel.module_code (catalogue, repository, change, format, lines)
    select $2, $3, counted.change, $8, $9::bytea from counted where length($9::bytea) > 0),
  changed as (select 1 from counted)`

/** The rows of the catalogue with this name. */
export function catalogueRows(database: Database, key: string): CatalogueRows {
  const query = (text: string, ...values: readonly (string | number | readonly string[])[]) =>
    database.query(text, [key, ...values])
  return { ...feedRows(query), ...summaryRows(query, database, key), ...changedRows(database, key) }
}

type Query = (
  text: string,
  ...values: readonly (string | number | readonly string[])[]
) => Promise<readonly SqlRow[]>

type Feed = 'head' | 'recordsSince' | 'repositoriesSince' | 'codeSince' | 'code'

function feedRows(query: Query): Pick<CatalogueRows, Feed> {
  return {
    async head() {
      const [row] = await query(
        `select coalesce(c.change, 0) as change, coalesce(c.parser_version, '') as parser_version, c.finished_at,
           coalesce(extract(epoch from clock_timestamp() - c.changed_at) * 1000, 0) as age, ${LIFE} as life
         from (select 1) one left join satchel.module_catalogues c on c.key = $1`,
      )
      return {
        change: Number(row?.['change']),
        ageMs: Number(row?.['age']),
        life: String(row?.['life']),
        parser_version: String(row?.['parser_version']),
        finished_at: typeof row?.['finished_at'] === 'string' ? row['finished_at'] : null,
      }
    },
    async recordsSince({ change, id }, limit) {
      const rows = await query(
        `select id, change, removed, record from satchel.module_records
         where catalogue = $1 and (change, id) > ($2::bigint, $3) order by change, id limit $4`,
        ...[change, id === '' ? LAST_ID : id, limit],
      )
      return rows.map(recordChange)
    },
    async repositoriesSince(change) {
      const rows = await query(
        'select facts from satchel.module_repositories where catalogue = $1 and change > $2 order by repository',
        change,
      )
      return rows.map(({ facts }) => parseRepositoryRow(String(facts)))
    },
    async codeSince(change) {
      const rows = await query(
        'select distinct repository from satchel.module_code where catalogue = $1 and change > $2 order by 1',
        change,
      )
      return rows.map(({ repository }) => String(repository))
    },
    async code(repository, format) {
      const rows = await query(
        `select lines from satchel.module_code where catalogue = $1 and repository = $2 and format = $3 order by change`,
        ...[repository, format],
      )
      return Buffer.concat(rows.map(({ lines }) => lines as Buffer)) // a bytea column
    },
  }
}

type Summaries = 'summaries' | 'missingSummaries' | 'addSummaries' | 'removeUnnamed'

function summaryRows(query: Query, database: Database, key: string): Pick<CatalogueRows, Summaries> {
  return {
    async summaries(hashes) {
      const rows = await query(
        'select sha256, bytes from satchel.module_summaries where catalogue = $1 and sha256 = any($2::text[])',
        hashes,
      )
      return new Map(rows.map(({ sha256, bytes }) => [String(sha256), bytes as Buffer])) // a bytea column
    },
    async missingSummaries(hashes) {
      const rows = await query(
        `select h from unnest($2::text[]) h
         where not exists (select from satchel.module_summaries where catalogue = $1 and sha256 = h)`,
        hashes,
      )
      return new Set(rows.map(({ h }) => String(h)))
    },
    async addSummaries(summaries) {
      const given = [...summaries].map(([sha256, bytes]) => ({ sha256, bytes: bytes.toString('base64') }))
      await database.write(
        `changed as (
           insert into satchel.module_summaries (catalogue, sha256, bytes)
           select $2, s ->> 'sha256', decode(s ->> 'bytes', 'base64') from jsonb_array_elements($3::jsonb) s
           on conflict (catalogue, sha256) do update set at = now() returning sha256)`,
        [key, JSON.stringify(given)],
      )
    },
    async removeUnnamed() {
      await database.write(
        `changed as (
           delete from satchel.module_summaries
           where catalogue = $2 and at < now() - interval '${UNNAMED_KEPT}' and sha256 not in (
             select unnest(hashes) from satchel.module_records where catalogue = $2) returning sha256)`,
        [key],
      )
    },
  }
}

function changedRows(
  database: Database,
  key: string,
): Pick<CatalogueRows, 'createCatalogue' | 'publish' | 'finish'> {
  return {
    async createCatalogue() {
      await database.write(
        'changed as (insert into satchel.module_catalogues (key) values ($2) on conflict do nothing returning key)',
        [key],
      )
    },
    async publish({ repository, records, removed, code, codeFormat }, guard) {
      const rows = JSON.stringify(records.map(columnsOf))
      const texts = records.map((record) => JSON.stringify(record))
      const changed = await database.write(`${guard.text}, ${PUBLISH}`, [
        ...[key, repository.repository, JSON.stringify(repository), rows, removed, texts, codeFormat, code],
        ...guard.values,
      ])
      return changed === 1
    },
    async finish({ parser_version, finished_at }) {
      await database.write(
        `changed as (
           update satchel.module_catalogues set change = change + 1, changed_at = now(), parser_version = $3,
             finished_at = greatest(finished_at, $4)
           where key = $2 returning key)`,
        [key, parser_version, finished_at],
        { topic: RUN_ENDED, about: key },
      )
    },
  }
}

function columnsOf(record: IndexRecord) {
  const { id, ref, path } = record
  return { id, ref, path, files: summaryFiles([record]), hashes: summaryHashes(record) }
}

/** The hashes of the summaries of a record. */
export function summaryHashes({ summary_sha256, other_names = [] }: IndexRecord): readonly string[] {
  return [summary_sha256, ...other_names.map((other) => other.summary_sha256)]
}

function recordChange({ id, change, removed, record }: SqlRow): RecordChange {
  return {
    id: String(id),
    change: Number(change),
    record: removed === true ? undefined : parseRecord(String(record)),
  }
}
