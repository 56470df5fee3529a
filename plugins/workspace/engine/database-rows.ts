import type { Database, SqlRow } from '../../../server/plugin.ts'

/**
 * The tables of rooms in the database. `rooms` has the ownership: `owner` is the fence, a name that no other owner had, and
 * `generation` counts the owners. `head` counts the flushes: a flush continues exactly what the server has, so that one that
 * lost commits, as a standby may, refuses an owner that knows more. A role that does not own the tables sees the rooms
 * that `room_rights` gives it.
 */
export const MIGRATIONS: readonly string[] = [
  `create table satchel.rooms (
     name text primary key,
     generation bigint not null default 0,
     owner uuid,
     lease_until timestamptz not null default '-infinity',
     holder text,
     head bigint not null default 0,
     at timestamptz not null default now()
   );
   create table satchel.room_checkpoints (
     room text primary key references satchel.rooms (name),
     journal bigint not null,
     image bytea not null,
     at timestamptz not null default now()
   );
   create table satchel.room_records (
     room text not null,
     flush bigint not null,
     journal bigint not null,
     bytes bytea not null,
     primary key (room, flush)
   );
   create table satchel.room_texts (
     room text not null,
     sha256 text not null,
     bytes bytea not null,
     primary key (room, sha256)
   );
   create table satchel.room_rights (
     role name not null,
     room text not null,
     primary key (role, room)
   );
   alter table satchel.room_checkpoints alter column image set storage external;
   alter table satchel.room_records alter column bytes set storage external;
   alter table satchel.rooms enable row level security;
   alter table satchel.room_checkpoints enable row level security;
   alter table satchel.room_records enable row level security;
   alter table satchel.room_texts enable row level security;
   create policy rights on satchel.rooms using (exists (
     select from satchel.room_rights r where r.role = current_user and r.room = name));
   create policy rights on satchel.room_checkpoints using (exists (
     select from satchel.room_rights r where r.role = current_user and r.room = room_checkpoints.room));
   create policy rights on satchel.room_records using (exists (
     select from satchel.room_rights r where r.role = current_user and r.room = room_records.room));
   create policy rights on satchel.room_texts using (exists (
     select from satchel.room_rights r where r.role = current_user and r.room = room_texts.room));`,
  `alter table satchel.rooms add column url text, add column pass_key bytea;`,
]

/** Where the owner of a room serves the other servers of the database, and the key of those that speak for their callers. */
export interface Announcement {
  readonly url: string
  /** Made by each owner for itself; as secret as the rows of the room are. */
  readonly key: Buffer
}

/** Who owns a room by the server's clock. */
export interface Ownership {
  /** Of the newest owner; 0 where there was none. */
  readonly generation: number
  /** What the owner wrote about itself; undefined when its lease has ended. */
  readonly holder: string | undefined
  /** What the owner announced; undefined with the holder, and where it serves no others. */
  readonly announced: Announcement | undefined
}

/** An ownership to begin. */
export interface Taking {
  /** Of the owner before. */
  readonly generation: number
  /** A UUID that no owner had before. */
  readonly owner: string
  readonly holder: string
  readonly announced: Announcement | undefined
  readonly leaseMs: number
}

/** A checkpoint and the flushes after it, as the rows have them. */
export interface StoredRoom {
  readonly head: number
  readonly checkpoint: { readonly journal: number; readonly image: Buffer } | undefined
  /** In the order of their flushes, which have no hole. */
  readonly flushes: readonly { readonly flush: number; readonly journal: number; readonly bytes: Buffer }[]
  readonly texts: ReadonlyMap<string, Buffer>
}

/** The rows of one room. Each change but the taking is made only for `owner`, while its lease lasts. */
export interface RoomRows {
  ownership(): Promise<Ownership>
  /** False: another process was faster, or the owner lives. */
  take(taking: Taking): Promise<boolean>
  /** False: the lease has ended. */
  renew(owner: string, leaseMs: number): Promise<boolean>
  release(owner: string): Promise<void>
  /** Not while another process writes: only for the owner. */
  load(): Promise<StoredRoom>
  /** Adds the flush after `head`. False: not the owner any more, or the server has another head. */
  append(owner: string, flush: { head: number; journal: number; bytes: Buffer }): Promise<boolean>
  /** Replaces the checkpoint and removes the flushes of older journals. False: not the owner any more. */
  keep(owner: string, checkpoint: { journal: number; image: Uint8Array }): Promise<boolean>
  putTexts(owner: string, texts: readonly (readonly [sha256: string, text: string])[]): Promise<boolean>
  dropText(owner: string, sha256: string): Promise<boolean>
}

/** Locks the row until the commit: who takes the room over waits, and finds what was committed. */
const FENCED = `fenced as (
    select name from satchel.rooms
    where name = $2 and owner = $3::uuid and lease_until > clock_timestamp() for no key update)`
const LASTING = (param: string) => `clock_timestamp() + make_interval(secs => ${param}::float8 / 1000)`

/** The rows of the room with this name. */
export function roomRows(database: Database, name: string): RoomRows {
  const query = (text: string) => database.query(text, [name])
  const change = async (parts: string, values: Parameters<Database['write']>[1]): Promise<boolean> =>
    (await database.write(parts, [name, ...values])) > 0
  return {
    async ownership() {
      const [row] = await query(
        `select generation, url, pass_key, case when lease_until > clock_timestamp() then holder end as holder
         from satchel.rooms where name = $1`,
      )
      const { generation = 0, holder, url, pass_key: key } = row ?? {}
      const isHeld = typeof holder === 'string'
      return {
        generation: Number(generation),
        holder: isHeld ? holder : undefined,
        announced: isHeld && typeof url === 'string' && Buffer.isBuffer(key) ? { url, key } : undefined,
      }
    },
    async take({ generation, owner, holder, announced, leaseMs }) {
      if (generation === 0) {
        await change(
          'changed as (insert into satchel.rooms (name) values ($2) on conflict do nothing returning name)',
          [],
        )
      }
      return change(
        `changed as (
           update satchel.rooms set generation = generation + 1, owner = $3::uuid, holder = $4, lease_until = ${LASTING('$5')},
             url = $7, pass_key = $8
           where name = $2 and generation = $6::bigint and lease_until <= clock_timestamp() returning name)`,
        [owner, holder, leaseMs, generation, announced?.url ?? null, announced?.key ?? null],
      )
    },
    renew: (owner, leaseMs) =>
      change(
        `changed as (
           update satchel.rooms set lease_until = ${LASTING('$4')}
           where name = $2 and owner = $3::uuid and lease_until > clock_timestamp() returning name)`,
        [owner, leaseMs],
      ),
    async release(owner) {
      await change(
        `changed as (
           update satchel.rooms set lease_until = '-infinity', owner = null, url = null, pass_key = null
           where name = $2 and owner = $3::uuid returning name)`,
        [owner],
      )
    },
    load: () => load(query),
    append: (owner, { head, journal, bytes }) =>
      change(
        `fenced as (
           update satchel.rooms set head = head + 1
           where name = $2 and owner = $3::uuid and lease_until > clock_timestamp() and head = $4::bigint
           returning name, head),
         changed as (
           insert into satchel.room_records (room, flush, journal, bytes)
           select name, head, $5::bigint, $6 from fenced returning flush)`,
        [owner, head, journal, bytes],
      ),
    keep: (owner, { journal, image }) =>
      change(
        `${FENCED},
         removed as (
           delete from satchel.room_records r using fenced where r.room = fenced.name and r.journal < $4::bigint),
         changed as (
           insert into satchel.room_checkpoints as c (room, journal, image) select name, $4::bigint, $5 from fenced
           on conflict (room) do update set journal = excluded.journal, image = excluded.image, at = now()
           returning room)`,
        [owner, journal, Buffer.from(image)],
      ),
    putTexts: (owner, texts) =>
      change(
        `${FENCED},
         put as (
           insert into satchel.room_texts (room, sha256, bytes)
           select name, sha256, decode(content, 'base64')
           from fenced, unnest($4::text[], $5::text[]) as given (sha256, content)
           on conflict (room, sha256) do update set bytes = excluded.bytes),
         changed as (select name from fenced)`,
        [
          owner,
          texts.map(([sha256]) => sha256),
          texts.map(([, text]) => Buffer.from(text).toString('base64')),
        ],
      ),
    dropText: (owner, sha256) =>
      change(
        `${FENCED},
         removed as (delete from satchel.room_texts t using fenced where t.room = fenced.name and t.sha256 = $4),
         changed as (select name from fenced)`,
        [owner, sha256],
      ),
  }
}

async function load(query: (text: string) => Promise<readonly SqlRow[]>): Promise<StoredRoom> {
  const [room] = await query('select head from satchel.rooms where name = $1')
  const [checkpoint] = await query('select journal, image from satchel.room_checkpoints where room = $1')
  const flushes = await query(
    'select flush, journal, bytes from satchel.room_records where room = $1 order by flush',
  )
  const texts = await query('select sha256, bytes from satchel.room_texts where room = $1')
  return {
    head: Number(room?.['head'] ?? 0),
    checkpoint: checkpoint && {
      journal: Number(checkpoint['journal']),
      image: checkpoint['image'] as Buffer, // a bytea column, as those below
    },
    flushes: flushes.map(({ flush, journal, bytes }) => ({
      flush: Number(flush),
      journal: Number(journal),
      bytes: bytes as Buffer,
    })),
    texts: new Map(texts.map(({ sha256, bytes }) => [String(sha256), bytes as Buffer])),
  }
}
