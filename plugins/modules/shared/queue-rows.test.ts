import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../../server/plugin.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { openTeam, TEAM } from '../testing/team.ts'
import { catalogueRows, type Publication } from './catalogue-rows.ts'
import { endingClaim, type QueuedRepository, type QueueRows, queueRows } from './queue-rows.ts'

const LEASE_MS = 60_000

interface Place {
  readonly database: Database
  readonly queue: QueueRows
  publish(repository: string, claim: string): Promise<boolean>
  /** Time passes: every lease is over. */
  expire(): void
  sql(text: string): string
}

/** A queue; `planted` rewrites the statements of another worker of it. */
async function openQueue(t: TestContext, server: PostgresServer) {
  const team = await openTeam(t, server)
  assert.ok(team)
  const { database, rows } = await team.machine()
  await rows().createCatalogue()
  const name = database.place.split(' ')[0] ?? ''
  const sql = (text: string) => server.sql(text, name)
  const worker = (over: Database = database): Place => ({
    database,
    queue: queueRows(over, TEAM, LEASE_MS),
    publish: (repository, claim) =>
      catalogueRows(over, TEAM).publish(publication(repository), endingClaim(claim, '{}')),
    expire: () =>
      void sql(`update satchel.module_queue set lease_until = now() - interval '1 second' where claim is not null;
        update satchel.module_host_places set lease_until = now() - interval '1 second' where claim is not null`),
    sql,
  })
  return { worker, database, sql }
}

function publication(repository: string): Publication {
  return {
    repository: { repository, name: 'x', default_branch: null, readings: [] },
    records: [],
    removed: [],
    code: Buffer.alloc(0),
    codeFormat: 'code-1',
  }
}

function repositories(count: number, host?: string): QueuedRepository[] {
  return Array.from({ length: count }, (_, n) => ({
    repository: `https://git.example/${n}`,
    host: host ?? `local ${n}`,
    options_digest: 'a',
  }))
}

/** A lease that is alive belongs to one worker, and what a worker does after its lease went to another one changes nothing. */
async function faultsOf(place: Place, other: Place): Promise<readonly string[]> {
  const one = repositories(1)
  const url = one[0]?.repository ?? ''
  const faults: string[] = []
  await place.queue.ask(one, false)
  const first = await place.queue.claim(one, 0, randomUUID())
  assert.ok(first)
  if (await other.queue.claim(one, 0, randomUUID())) faults.push('two workers have one repository')
  place.expire()
  const second = await place.queue.claim(one, 0, randomUUID())
  if (!second) return [...faults, 'a lost repository is not taken over']
  if (await other.queue.renew(first.id)) faults.push('a lost lease is prolonged')
  if (await other.publish(url, first.id)) faults.push('a lost claim publishes')
  if (!(await place.publish(url, second.id))) faults.push('the claim that holds does not publish')
  if (await place.publish(url, second.id)) faults.push('a claim publishes twice')
  const { waiting } = await place.queue.state(one)
  if (waiting !== 0) faults.push('what is done is still asked for')
  return faults
}

/** The database with other words in its statements. */
function planted(database: Database, words: string, instead: string) {
  let isUsed = false
  const rewritten = (text: string): string => {
    isUsed ||= text.includes(words)
    return text.replaceAll(words, instead)
  }
  const over: Database = {
    ...database,
    query: (text, values) => database.query(rewritten(text), values),
    write: (parts, values) => database.write(rewritten(parts), values),
  }
  return { over, isUsed: () => isUsed }
}

const CHECKS: Readonly<Record<string, (t: TestContext, server: PostgresServer) => Promise<void>>> = {
  'gives each repository to one worker, and fences those that lost theirs': async (t, server) => {
    const { worker } = await openQueue(t, server)

    assert.deepEqual(await faultsOf(worker(), worker()), [])
  },
  'is found to be wrong by the clock of a client, or without its fence': async (t, server) => {
    const bugs: readonly (readonly [words: string, instead: string, found: RegExp])[] = [
      ['now()', "(now() + interval '10 minutes')", /two workers have one repository/],
      ['q.lease_until < now() and p.lease_until', 'p.lease_until', /two workers have one repository/],
      ['and claim = $10::uuid returning', 'and $10::uuid is not null returning', /a lost claim publishes/],
      ['and claim = $3::uuid returning', 'and $3::uuid is not null returning', /a lost lease is prolonged/],
    ]
    for (const [words, instead, found] of bugs) {
      const { worker, database } = await openQueue(t, server)
      const bug = planted(database, words, instead)
      const faults = await faultsOf(worker(), worker(bug.over))
      assert.ok(bug.isUsed(), `${words} is in no statement`)
      assert.match(faults.join(), found, words)
    }
  },
  'is shared by workers that take concurrently: each repository once': async (t, server) => {
    const { worker } = await openQueue(t, server)
    const all = repositories(24)
    await worker().queue.ask(all, false)
    const taken: string[] = []
    const work = async () => {
      const { queue, publish } = worker()
      for (;;) {
        const claim = await queue.claim(all, 1_000, randomUUID())
        if (claim) {
          taken.push(claim.repository)
          assert.equal(await publish(claim.repository, claim.id), true)
        } else if ((await queue.state(all)).waiting === 0) return
      }
    }

    await Promise.all([work(), work(), work(), work()])

    assert.deepEqual(taken.sort(), all.map(({ repository }) => repository).sort())
  },
  'reads from one host with two workers at a time': async (t, server) => {
    const { worker } = await openQueue(t, server)
    const { queue, expire } = worker()
    const all = repositories(5, 'git.example:443')
    await queue.ask(all, false)
    const take = () => worker().queue.claim(all, 0, randomUUID())
    const atOnce = (await Promise.all(all.map(take))).filter((claim) => claim !== undefined)
    const held = atOnce.length === 1 ? [...atOnce, await take()] : atOnce

    const third = await take()
    const full = await queue.state(all)
    await queue.complete(held[0]?.id ?? '', '{}')
    const next = await take()
    expire()
    const after = await queue.state(all)

    assert.equal(held.filter(Boolean).length, 2)
    assert.equal(third, undefined)
    assert.deepEqual(full, { waiting: 5, free: 0 })
    assert.ok(next)
    assert.deepEqual(after, { waiting: 4, free: 4 })
  },
  'counts a question once until a worker begins, and once more while it works': async (t, server) => {
    const { queue } = (await openQueue(t, server)).worker()
    const one = repositories(1)
    await queue.ask(one, false)
    await queue.ask(one, false)

    const first = await queue.claim(one, 0, randomUUID())
    await queue.ask(one, false)
    await queue.complete(first?.id ?? '', '{}')
    const second = await queue.claim(one, 0, randomUUID())
    await queue.complete(second?.id ?? '', '{}')

    assert.ok(first && second)
    assert.equal(await queue.claim(one, 0, randomUUID()), undefined)
  },
  'gives a repository up after three lost workers, until it is asked for again': async (t, server) => {
    const { queue, expire } = (await openQueue(t, server)).worker()
    const one = repositories(1)
    await queue.ask(one, false)
    for (let lost = 0; lost < 3; lost++) {
      assert.ok(await queue.claim(one, 0, randomUUID()))
      expire()
    }

    const given = await queue.claim(one, 0, randomUUID())
    const [end] = await queue.ends(one)
    await queue.ask(one, false)

    assert.equal(given, undefined)
    assert.equal(end?.end, 'given_up')
    assert.ok(await queue.claim(one, 0, randomUUID()))
  },
  'leaves what another configuration asked for to workers of that configuration': async (t, server) => {
    const { queue } = (await openQueue(t, server)).worker()
    const own = repositories(1)
    const others = own.map((one) => ({ ...one, options_digest: 'b' }))
    await queue.ask(own, false)
    await queue.ask(others, true)

    assert.equal(await queue.claim(own, 0, randomUUID()), undefined)
    assert.deepEqual(
      (await queue.ends(own)).map(({ end }) => end),
      ['asked_otherwise'],
    )
    assert.equal((await queue.claim(others, 0, randomUUID()))?.prune, true)
  },
  'refuses a repository that changed since a worker followed, and a file name that another module has':
    async (t, server) => {
      const { worker, database } = await openQueue(t, server)
      const { queue, publish } = worker()
      const two = repositories(2)
      await queue.ask(two, false)
      const first = await queue.claim(two, 0, randomUUID())
      await publish(first?.repository ?? '', first?.id ?? '')
      await queue.ask(two, false)
      const second = await queue.claim(two, 0, randomUUID())
      const stale = await queue.claim(two, 0, randomUUID())
      const record = { id: 'a'.repeat(64), ref: 'v1', path: '.', summary_file: 'X.json', summary_sha256: 'h' }
      const rows = catalogueRows(database, TEAM)
      const taking = (id: string, file: string) => ({
        ...publication(second?.repository ?? ''),
        records: [{ ...record, id, summary_file: file } as unknown as Publication['records'][number]],
      })
      const guard = { text: 'own as (select 1)', values: [] }

      assert.notEqual(second?.repository, first?.repository)
      assert.equal(stale, undefined)
      assert.equal(await rows.publish(taking('a'.repeat(64), 'X.json'), guard), true)
      const { change } = await rows.head()
      await assert.rejects(rows.publish(taking('b'.repeat(64), 'x.json'), guard), { code: '23505' })
      assert.equal((await rows.head()).change, change)
    },
}

test('a queue of repositories in a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})
