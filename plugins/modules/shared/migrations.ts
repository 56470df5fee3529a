/** The topic of the hint that a run ended, with the name of the catalogue. */
export const RUN_ENDED = 'catalogue'

/**
 * The tables of a catalogue. A record is a row of the index as files have it, as JSON; a summary is the bytes of its file,
 * by their hash. `change` counts the changes of a catalogue in the order of their commits, because each holds the
 * catalogue's row until its end: a reader that has seen n has seen every change before it. Removed records stay as marks.
 * `claim` names the worker that reads a repository, until `lease_until` by the clock of the database.
 * A role that does not own the tables sees the catalogues that `module_rights` gives it.
 */
export const MIGRATIONS: readonly string[] = [
  `create table satchel.module_catalogues (
     key text primary key,
     change bigint not null default 0,
     changed_at timestamptz not null default now(),
     parser_version text not null default '',
     finished_at text
   );
   create table satchel.module_repositories (
     catalogue text not null references satchel.module_catalogues (key),
     repository text not null,
     change bigint not null,
     facts text not null,
     primary key (catalogue, repository)
   );
   create index module_repositories_change on satchel.module_repositories (catalogue, change);
   create table satchel.module_records (
     catalogue text not null references satchel.module_catalogues (key),
     id text collate "C" not null,
     repository text not null,
     ref text not null,
     path text not null,
     change bigint not null,
     removed boolean not null default false,
     hashes text[] not null default '{}',
     record text not null,
     primary key (catalogue, id)
   );
   create index module_records_change on satchel.module_records (catalogue, change, id);
   create table satchel.module_file_names (
     catalogue text not null references satchel.module_catalogues (key),
     folded text not null,
     id text not null,
     primary key (catalogue, folded)
   );
   create index module_file_names_id on satchel.module_file_names (catalogue, id);
   create table satchel.module_summaries (
     catalogue text not null references satchel.module_catalogues (key),
     sha256 text not null,
     bytes bytea not null,
     at timestamptz not null default now(),
     primary key (catalogue, sha256)
   );
   create table satchel.module_code (
     catalogue text not null references satchel.module_catalogues (key),
     repository text not null,
     change bigint not null,
     format text not null,
     lines bytea not null,
     primary key (catalogue, repository, change)
   );
   create index module_code_change on satchel.module_code (catalogue, change);
   create table satchel.module_queue (
     catalogue text not null references satchel.module_catalogues (key),
     repository text not null,
     host text not null,
     options_digest text not null,
     prune boolean not null default false,
     asked bigint not null default 1,
     asked_at timestamptz not null default now(),
     working bigint not null default 0,
     done bigint not null default 0,
     done_at timestamptz,
     claim uuid,
     lease_until timestamptz not null default '-infinity',
     tries integer not null default 0,
     outcome text,
     primary key (catalogue, repository)
   );
   create index module_queue_waiting on satchel.module_queue (catalogue, asked_at) where asked > done;
   create table satchel.module_host_places (
     host text not null,
     place integer not null,
     claim uuid,
     lease_until timestamptz not null default '-infinity',
     primary key (host, place)
   );
   create table satchel.module_rights (
     role name not null,
     catalogue text not null,
     primary key (role, catalogue)
   );
   ${['repositories', 'records', 'file_names', 'summaries', 'code', 'queue']
     .map((table) => rights(`module_${table}`, `module_${table}.catalogue`))
     .join('\n')}
   ${rights('module_catalogues', 'key')}`,
  // A function, because the extension may come at any time: it makes the table of vectors as soon as there can be one, and
  // gives the schema of the extension, as SQL writes it, or null. One that cannot be created stops no migration.
  `create table satchel.module_vector_stores (
     catalogue text not null references satchel.module_catalogues (key),
     collection text not null,
     header text not null,
     primary key (catalogue, collection)
   );
   ${rights('module_vector_stores', 'module_vector_stores.catalogue')}
   create function satchel.module_vectors_ready() returns text language plpgsql as $function$
   declare place text;
   begin
     if exists (select from pg_available_extensions where name = 'vector' and installed_version is null) then
       begin
         create extension vector;
       exception when others then null;
       end;
     end if;
     select format('%I', n.nspname) into place
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector';
     if place is not null and to_regclass('satchel.module_vectors') is null then
       begin
         execute format($sql$
           create table satchel.module_vectors (
             catalogue text not null references satchel.module_catalogues (key),
             collection text not null,
             id text collate "C" not null,
             latest boolean not null,
             document bytea not null,
             vector %1$s.vector not null,
             repository text not null,
             ref text not null,
             path text not null,
             provider text not null,
             providers text not null,
             tags text not null,
             last_updated text not null,
             kind text not null,
             document_sha256 text not null,
             primary key (catalogue, collection, id)
           );
           create index module_vectors_latest on satchel.module_vectors (catalogue, collection) where latest;
           ${rights('module_vectors', 'module_vectors.catalogue')}
         $sql$, place);
       exception when insufficient_privilege or duplicate_table or unique_violation then null;
       end;
     end if;
     if not coalesce(has_table_privilege(to_regclass('satchel.module_vectors'), 'select'), false) then return null; end if;
     return place;
   end $function$;
   select satchel.module_vectors_ready();`,
]

function rights(table: string, catalogue: string): string {
  return `alter table satchel.${table} enable row level security;
   create policy rights on satchel.${table} using (exists (
     select from satchel.module_rights r where r.role = current_user and r.catalogue = ${catalogue}));`
}
