import type { Database, SqlRow } from '../../../server/plugin.ts'
import { sha256 } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { type ClaimShelf, claimIn } from './claim-shelf.ts'
import { lockedBy } from './record-lock.ts'

/**
 * The tables of this plugin. The bytes of a record are what counts; the columns beside them are for constraints and for
 * people who ask with SQL. `change` counts the changes of a project in the order of their commits, because each holds the
 * project's row until its end: a reader that has seen n has seen every change before it.
 * A role that does not own the tables sees the projects that `handoff_rights` gives it.
 */
export const MIGRATIONS: readonly string[] = [
  `create table satchel.handoff_projects (
     key text primary key,
     change bigint not null default 0,
     at timestamptz not null default now()
   );
   create table satchel.handoff_records (
     project text not null references satchel.handoff_projects (key),
     id uuid not null,
     change bigint not null,
     etag text not null,
     bytes bytea not null,
     written_at timestamptz not null default now(),
     title text,
     status text,
     created_at text,
     updated_at text,
     session text,
     parents text[],
     idempotency_key text,
     primary key (project, id)
   );
   alter table satchel.handoff_records alter column bytes set storage external;
   create unique index handoff_records_change on satchel.handoff_records (project, change);
   create unique index handoff_records_key on satchel.handoff_records (project, idempotency_key)
     where idempotency_key is not null;
   create table satchel.handoff_claims (
     project text not null references satchel.handoff_projects (key),
     id uuid not null,
     version uuid not null default gen_random_uuid(),
     expires_at timestamptz not null,
     claim jsonb not null,
     primary key (project, id)
   );
   create table satchel.handoff_rights (
     role name not null,
     project text not null,
     primary key (role, project)
   );
   alter table satchel.handoff_projects enable row level security;
   alter table satchel.handoff_records enable row level security;
   alter table satchel.handoff_claims enable row level security;
   create policy rights on satchel.handoff_projects using (exists (
     select from satchel.handoff_rights r where r.role = current_user and r.project = key));
   create policy rights on satchel.handoff_records using (exists (
     select from satchel.handoff_rights r where r.role = current_user and r.project = handoff_records.project));
   create policy rights on satchel.handoff_claims using (exists (
     select from satchel.handoff_rights r where r.role = current_user and r.project = handoff_claims.project));`,
]

/** The state of a project's rows: what a reader must have seen. */
export interface RowsHead {
  readonly change: number
  /** Another one after a restore or the promotion of a standby, after which an equal count means nothing. */
  readonly life: string
}

/** A record as its row has it. */
export interface StoredRow {
  readonly id: string
  readonly change: number
  readonly bytes: Buffer
  readonly writtenMs: number
}

/** A record that becomes a row; `row` is undefined for bytes that are not a record. */
export interface NewRow {
  readonly id: string
  readonly bytes: Buffer
  readonly row: RecordRow | undefined
}

/** The rows of one project. */
export interface RecordRows {
  head(): Promise<RowsHead>
  since(change: number, limit: number): Promise<readonly StoredRow[]>
  ids(): Promise<readonly string[]>
  /** The etag of each record, by its id. */
  etags(): Promise<ReadonlyMap<string, string>>
  read(id: string): Promise<StoredRow | undefined>
  /** Names of records by idempotency key. */
  idOfKey(key: string): Promise<string | undefined>
  createProject(): Promise<void>
  /** False: the id or the idempotency key is taken. */
  insert(id: string, bytes: Buffer, row: RecordRow | undefined): Promise<boolean>
  /** Inserts these in one transaction, except those whose id or idempotency key is taken; returns how many it did. */
  insertAll(records: readonly NewRow[]): Promise<number>
  /** False: its etag is another one. */
  replace(id: string, etag: string, bytes: Buffer, row: RecordRow | undefined): Promise<boolean>
  readonly claims: ClaimShelf
}

/** Of the cluster, the history of its log, the database and the table: what a dump or a promotion changes. */
const LIFE = `(select system_identifier from pg_control_system()) || ':' ||
  left(pg_walfile_name(pg_current_wal_lsn()), 8) || ':' ||
  (select oid from pg_database where datname = current_database()) || ':' ||
  'satchel.handoff_records'::regclass::oid`

const COLUMNS = 'id::text as id, change, bytes, extract(epoch from written_at) * 1000 as ms'
/** Counting first makes writers of one project wait for one another until their commit. */
const COUNTED =
  'counted as (update satchel.handoff_projects set change = change + 1 where key = $2 returning change)'
/** The rows come as one JSON array, because no array of PostgreSQL holds the lists of parents, of different lengths. */
const INSERT_ALL = `counted as (
    update satchel.handoff_projects set change = change + $3::bigint where key = $2 returning change - $3::bigint as before),
  changed as (
    insert into satchel.handoff_records (project, id, change, etag, bytes, title, status, created_at, updated_at,
      session, parents, idempotency_key)
    select $2, (r ->> 'id')::uuid, counted.before + n, r ->> 'etag', decode(r ->> 'bytes', 'base64'), r ->> 'title',
      r ->> 'status', r ->> 'created_at', r ->> 'updated_at', r ->> 'session',
      case when jsonb_typeof(r -> 'parents') = 'array' then array(select jsonb_array_elements_text(r -> 'parents')) end,
      r ->> 'idempotency_key'
    from counted, jsonb_array_elements($4::jsonb) with ordinality as given (r, n)
    on conflict do nothing returning id)`
/** A claim this long over is removed with the next one. */
const CLAIM_KEPT = '2 days'

/** The rows of the project with this key. */
export function recordRows(database: Database, key: string): RecordRows {
  const query = (text: string, ...values: readonly (string | number)[]) =>
    database.query(text, [key, ...values])
  return {
    async head() {
      const [row] = await query(
        `select coalesce((select change from satchel.handoff_projects where key = $1), 0) as change, ${LIFE} as life`,
      )
      return { change: Number(row?.['change']), life: String(row?.['life']) }
    },
    async since(change, limit) {
      const rows = await query(
        `select ${COLUMNS} from satchel.handoff_records
         where project = $1 and change > $2 order by change limit $3`,
        change,
        limit,
      )
      return rows.map(storedRow)
    },
    async ids() {
      const rows = await query(
        'select id::text as id from satchel.handoff_records where project = $1 order by id',
      )
      return rows.map(({ id }) => String(id))
    },
    async etags() {
      const rows = await query(
        'select id::text as id, etag from satchel.handoff_records where project = $1 order by id',
      )
      return new Map(rows.map(({ id, etag }) => [String(id), String(etag)]))
    },
    async read(id) {
      const [row] = await query(
        `select ${COLUMNS} from satchel.handoff_records where project = $1 and id = $2::uuid`,
        id,
      )
      return row && storedRow(row)
    },
    async idOfKey(idempotencyKey) {
      const [row] = await query(
        'select id::text as id from satchel.handoff_records where project = $1 and idempotency_key = $2',
        idempotencyKey,
      )
      return row && String(row['id'])
    },
    async createProject() {
      await database.write(
        'changed as (insert into satchel.handoff_projects (key) values ($2) on conflict do nothing returning key)',
        [key],
      )
    },
    async insert(id, bytes, row) {
      const changed = await database.write(
        `${COUNTED}, changed as (
           insert into satchel.handoff_records (project, id, change, etag, bytes, title, status, created_at,
             updated_at, session, parents, idempotency_key)
           select $2, $3::uuid, counted.change, $4, $5, $6, $7, $8, $9, $10, $11, $12 from counted
           on conflict do nothing returning id)`,
        [key, id, sha256(bytes), bytes, ...columnsOf(row), storable(row?.idempotency_key ?? null)],
      )
      return changed === 1
    },
    insertAll: (records) =>
      database.write(INSERT_ALL, [key, String(records.length), JSON.stringify(records.map(insertedRow))]),
    async replace(id, etag, bytes, row) {
      const changed = await database.write(
        `${COUNTED}, changed as (
           update satchel.handoff_records r set change = counted.change, etag = $4, bytes = $5, written_at = now(),
             title = $6, status = $7, created_at = $8, updated_at = $9, session = $10, parents = $11
           from counted where r.project = $2 and r.id = $3::uuid and r.etag = $12 returning r.id)`,
        [key, id, sha256(bytes), bytes, ...columnsOf(row), etag],
      )
      return changed === 1
    },
    claims: claimRows(database, key),
  }
}

function insertedRow({ id, bytes, row }: NewRow) {
  const [title, status, created_at, updated_at, session, parents] = columnsOf(row)
  return {
    ...{ id, etag: sha256(bytes), bytes: bytes.toString('base64') },
    ...{ title, status, created_at, updated_at, session, parents },
    idempotency_key: storable(row?.idempotency_key ?? null),
  }
}

/** No text of PostgreSQL holds a zero character; the bytes keep it. */
function columnsOf(row: RecordRow | undefined) {
  const { title = null, status = null, created_at = null, updated_at = null, session = null } = row ?? {}
  const texts = [title, status, created_at, updated_at, session].map(storable)
  return [...texts, row ? row.parents.map((parent) => storable(parent) ?? '') : null]
}

function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\u0000', '').toWellFormed()
}

function storedRow({ id, change, bytes, ms }: SqlRow): StoredRow {
  return { id: String(id), change: Number(change), bytes: bytes as Buffer, writtenMs: Number(ms) } // a bytea column
}

/** The claims of a project. Each writing gets a version: one that another session replaced meanwhile is not overwritten. */
function claimRows(database: Database, key: string): ClaimShelf {
  return {
    async load(id) {
      const [row] = await database.query(
        `select version::text as version, claim from satchel.handoff_claims where project = $1 and id = $2::uuid`,
        [key, id],
      )
      return row && heldIn(row)
    },
    async all() {
      const rows = await database.query(
        `select id::text as id, version::text as version, claim from satchel.handoff_claims where project = $1`,
        [key],
      )
      return rows.flatMap((row) => {
        const claim = heldIn(row)
        return claim ? [{ id: String(row['id']), claim }] : []
      })
    },
    async put(id, { by, expires_at, processes }, { before }) {
      const changed = await database.write(
        `old as (delete from satchel.handoff_claims
                 where project = $2 and id <> $3::uuid and expires_at < now() - interval '${CLAIM_KEPT}'),
         changed as (
           insert into satchel.handoff_claims as c (project, id, expires_at, claim)
           values ($2, $3::uuid, $4::timestamptz, $5::jsonb)
           on conflict (project, id) do update
             set version = gen_random_uuid(), expires_at = excluded.expires_at, claim = excluded.claim
             where c.version = $6::uuid
           returning id)`,
        [key, id, expires_at, JSON.stringify({ by, expires_at, processes }), before?.version ?? null],
      )
      if (changed === 0) throw lockedBy(id, undefined)
    },
    async remove(id) {
      await database.write(
        'changed as (delete from satchel.handoff_claims where project = $2 and id = $3::uuid returning id)',
        [key, id],
      )
    },
  }
}

function heldIn({ version, claim }: SqlRow) {
  const held = claimIn(claim)
  return held && { ...held, version: String(version) }
}
