import type { Database, SqlRow } from '../../../server/plugin.ts'
import type { Guard } from './catalogue-rows.ts'

/** A repository that a run may read. */
export interface QueuedRepository {
  readonly repository: string
  /** Where it is: few workers read from one host at a time. */
  readonly host: string
  /** Of everything that decides what is read: workers of another configuration leave it alone. */
  readonly options_digest: string
}

/** A repository that one worker reads, until its lease ends. */
export interface Claim {
  readonly id: string
  readonly repository: string
  readonly prune: boolean
}

/** What is left of these repositories. */
export interface QueueState {
  /** Asked for, and neither done nor given up. */
  readonly waiting: number
  /** Those of them that a worker can take now. */
  readonly free: number
}

/** How a repository ended, by the words of the worker that read it; `end` tells what became of the last question for it. */
export interface QueueEnd {
  readonly repository: string
  readonly end: 'done' | 'given_up' | 'asked_otherwise'
  readonly outcome: string | undefined
}

/** The queue of a catalogue: which repositories are to be read, and who reads them. All times are the database's. */
export interface QueueRows {
  /** Asks that these are read once more; a question that no worker has begun with stays one. */
  ask(repositories: readonly QueuedRepository[], prune: boolean): Promise<void>
  /** Takes one of these, if its host has a free place and it has not changed after `change`. `id` is new for each try. */
  claim(repositories: readonly QueuedRepository[], change: number, id: string): Promise<Claim | undefined>
  /** Prolongs a lease. False: another worker has it now. */
  renew(id: string): Promise<boolean>
  /** Gives a repository back unread. */
  release(id: string): Promise<void>
  /** Ends a claim that published nothing. False: another worker has it now. */
  complete(id: string, outcome: string): Promise<boolean>
  state(repositories: readonly QueuedRepository[]): Promise<QueueState>
  ends(repositories: readonly QueuedRepository[]): Promise<readonly QueueEnd[]>
}

/** How many workers read from one host at a time. */
const PLACES_PER_HOST = 2
/** Workers that were lost with a repository before it is given up. */
const MAX_TRIES = 3

const FREED = `freed as (
  update satchel.module_host_places set claim = null, lease_until = '-infinity' where claim = CLAIM)`

/** A publication that ends this claim; it does nothing where another worker has the repository. */
export function endingClaim(id: string, outcome: string): Guard {
  return {
    text: `own as (
        update satchel.module_queue set done = working, done_at = now(), tries = 0, outcome = $11, claim = null,
          lease_until = '-infinity'
        where catalogue = $2 and repository = $3 and claim = $10::uuid returning 1),
      ${FREED.replace('CLAIM', '$10::uuid')}`,
    values: [id, outcome],
  }
}

const MINE = `unnest($2::text[], $3::text[]) as mine (repository, options_digest)`
const CLAIM = `picked as (
    select q.repository, p.host, p.place
    from satchel.module_queue q
      join unnest($3::text[], $4::text[]) as mine (repository, options_digest) using (repository, options_digest)
      join satchel.module_host_places p on p.host = q.host
    where q.catalogue = $2 and q.asked > q.done and q.tries < ${MAX_TRIES}
      and q.lease_until < now() and p.lease_until < now()
      and not exists (select from satchel.module_repositories r
        where r.catalogue = $2 and r.repository = q.repository and r.change > $5::bigint)
    order by q.asked_at, q.repository, p.place limit 1
    for update of q, p skip locked),
  placed as (
    update satchel.module_host_places p set claim = $6::uuid, lease_until = now() + $7::integer * interval '1 ms'
    from picked where p.host = picked.host and p.place = picked.place),
  changed as (
    update satchel.module_queue q set claim = $6::uuid, lease_until = now() + $7::integer * interval '1 ms',
      working = q.asked, tries = q.tries + 1
    from picked where q.catalogue = $2 and q.repository = picked.repository returning 1)`

/** The queue of the catalogue with this name; a lease lasts `leaseMs`. */
export function queueRows(database: Database, key: string, leaseMs: number): QueueRows {
  const lists = (repositories: readonly QueuedRepository[]) =>
    [
      repositories.map(({ repository }) => repository),
      repositories.map(({ options_digest }) => options_digest),
    ] as const
  return {
    async ask(repositories, prune) {
      await database.write(
        `places as (
           insert into satchel.module_host_places (host, place)
           select distinct h, n from unnest($5::text[]) h, generate_series(1, ${PLACES_PER_HOST}) n
           order by h, n on conflict do nothing),
         changed as (
           insert into satchel.module_queue as q (catalogue, repository, options_digest, host, prune)
           select $2, r, d, h, $6 from unnest($3::text[], $4::text[], $5::text[]) as given (r, d, h) order by r
           on conflict (catalogue, repository) do update set
             asked = case when q.asked > q.done and q.working < q.asked and q.options_digest = excluded.options_digest
               and (q.prune or not excluded.prune) then q.asked else q.asked + 1 end,
             asked_at = case when q.asked > q.done then q.asked_at else now() end,
             tries = case when q.lease_until < now() then 0 else q.tries end,
             options_digest = excluded.options_digest, host = excluded.host, prune = excluded.prune
           returning 1)`,
        [key, ...lists(repositories), repositories.map(({ host }) => host), prune],
      )
    },
    async claim(repositories, change, id) {
      const changed = await database.write(CLAIM, [key, ...lists(repositories), change, id, leaseMs])
      if (changed === 0) return undefined
      const [row] = await database.query(
        'select repository, prune from satchel.module_queue where catalogue = $1 and claim = $2::uuid',
        [key, id],
      )
      return row && { id, repository: String(row['repository']), prune: row['prune'] === true }
    },
    async renew(id) {
      const changed = await database.write(
        `placed as (
           update satchel.module_host_places set lease_until = now() + $4::integer * interval '1 ms' where claim = $3::uuid),
         changed as (
           update satchel.module_queue set lease_until = now() + $4::integer * interval '1 ms'
           where catalogue = $2 and claim = $3::uuid returning 1)`,
        [key, id, leaseMs],
      )
      return changed === 1
    },
    async release(id) {
      await database.write(
        `${FREED.replace('CLAIM', '$3::uuid')},
         changed as (
           update satchel.module_queue
           set claim = null, lease_until = '-infinity', tries = greatest(0, tries - 1)
           where catalogue = $2 and claim = $3::uuid returning 1)`,
        [key, id],
      )
    },
    async complete(id, outcome) {
      const changed = await database.write(
        `${FREED.replace('CLAIM', '$3::uuid')},
         changed as (
           update satchel.module_queue set done = working, done_at = now(), tries = 0, outcome = $4, claim = null,
             lease_until = '-infinity'
           where catalogue = $2 and claim = $3::uuid returning 1)`,
        [key, id, outcome],
      )
      return changed === 1
    },
    async state(repositories) {
      const [row] = await database.query(
        `select count(*) as waiting, count(*) filter (where q.lease_until < now() and exists (
           select from satchel.module_host_places p where p.host = q.host and p.lease_until < now())) as free
         from satchel.module_queue q join ${MINE} using (repository, options_digest)
         where q.catalogue = $1 and q.asked > q.done and (q.tries < ${MAX_TRIES} or q.lease_until >= now())`,
        [key, ...lists(repositories)],
      )
      return { waiting: Number(row?.['waiting']), free: Number(row?.['free']) }
    },
    async ends(repositories) {
      const rows = await database.query(
        `select q.repository, q.outcome, q.options_digest = mine.options_digest as same, q.asked <= q.done as done
         from satchel.module_queue q join ${MINE} on mine.repository = q.repository
         where q.catalogue = $1 order by 1`,
        [key, ...lists(repositories)],
      )
      return rows.map(queueEnd)
    },
  }
}

function queueEnd({ repository, outcome, same, done }: SqlRow): QueueEnd {
  const end = same !== true ? 'asked_otherwise' : done === true ? 'done' : 'given_up'
  return {
    repository: String(repository),
    end,
    outcome: typeof outcome === 'string' ? outcome : undefined,
  }
}
