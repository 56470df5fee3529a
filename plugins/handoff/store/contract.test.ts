import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startPostgres } from '../../../test/postgres-server.ts'
import { createHandoffs, type Project } from '../project.ts'
import { LOCK_MS, openTestProject, SMALL, type TestProject, testHost } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'
import { migratedDatabase } from '../testing/migrated-database.ts'

/**
 * What every store of records promises, run over both of them. A name of a test says what a caller can rely on; where a
 * store has to do more, its own tests show it.
 */
const ID = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f'
const OTHER = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e40'
const OLD = `${JSON.stringify(VALID, null, 2)}\n`
const NEW = OLD.replace('One fixture remains.', 'None remains.')

const READY = {
  ...SMALL,
  open_items: [
    {
      priority: 'high',
      description: 'Add a fixture',
      suggested_action: 'Create it',
      acceptance_check: 'green',
    },
  ],
}

interface Place {
  readonly project: TestProject
  /** The same records as another process sees them. */
  other(): Promise<{ readonly test: TestProject; readonly direct: Project }>
  readonly direct: Project
}

type Promise_ = (place: Place, t: TestContext) => Promise<void>

const PROMISES: Readonly<Record<string, Promise_>> = {
  'of two creates of one id one wins, and the other is told that it exists': async ({ direct, other }) => {
    const second = (await other()).direct

    const outcomes = await Promise.allSettled([direct.store.create(ID, OLD), second.store.create(ID, OLD)])

    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.equal(refused[0]?.reason.reason, 'exists')
  },
  'a record has exactly the bytes that were written': async ({ direct }) => {
    const text = OLD.replace(
      'One fixture remains.',
      'Ünïcode \\u0000 and “quotes” 🙂, one\\r\\nfixture remains.',
    )

    const { etag } = await direct.store.create(ID, text)

    assert.equal((await direct.store.bytes(ID))?.toString('utf8'), text)
    const stored = await direct.store.read(ID)
    assert.equal(stored?.kind, 'record')
    assert.equal(stored?.etag, etag)
  },
  'an update with an old etag changes nothing': async ({ direct }) => {
    const { etag } = await direct.store.create(ID, OLD)
    await direct.store.update(ID, etag, () => NEW)

    await assert.rejects(
      direct.store.update(ID, etag, () => OLD),
      { code: 'conflict', reason: 'etag_mismatch' },
    )

    assert.equal((await direct.store.bytes(ID))?.toString('utf8'), NEW)
  },
  'an edit that throws or gives nothing changes nothing': async ({ direct }) => {
    const { etag } = await direct.store.create(ID, OLD)

    const kept = await direct.store.update(ID, undefined, () => undefined)
    await assert.rejects(
      direct.store.update(ID, undefined, () => Promise.reject(new Error('no'))),
      /no/,
    )

    assert.equal(kept.etag, etag)
    assert.equal((await direct.store.bytes(ID))?.toString('utf8'), OLD)
  },
  'an unknown record is not found, with the ids that a mistyped one may mean': async ({ direct }) => {
    await assert.rejects(
      direct.store.update(OTHER, undefined, () => NEW),
      { code: 'not_found' },
    )
    await direct.store.create(ID, OLD)

    const thrown = await direct.store.update(OTHER, undefined, () => NEW).catch((error) => error)

    assert.equal(thrown.reason, 'record_not_found')
    assert.deepEqual(thrown.details.near, [ID])
    assert.equal(await direct.store.read('../x'), undefined)
  },
  'eight writers of one record lose no update': async ({ direct, other }) => {
    await direct.store.create(ID, OLD)
    const stores = [direct.store, (await other()).direct.store]

    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        stores[n % 2]?.update(ID, undefined, (current) =>
          current.kind === 'record'
            ? current.document.text.replace('One fixture', `One fixture w${n}`)
            : undefined,
        ),
      ),
    )

    const text = (await direct.store.bytes(ID))?.toString('utf8') ?? ''
    for (let n = 0; n < 8; n++) assert.ok(text.includes(`w${n}`), `writer ${n} was lost`)
  },
  'work under one lock never overlaps, and locks of other names are free': async ({ direct, other }) => {
    const stores = [direct.store, (await other()).direct.store]
    let inside = 0
    let most = 0

    await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        stores[n % 2]?.locked('one', async () => {
          most = Math.max(most, ++inside)
          await stores[(n + 1) % 2]?.locked(`inner-${n}`, async () => {})
          inside--
        }),
      ),
    )

    assert.equal(most, 1)
  },
  'a list sees what another process committed before it': async ({ project, other }) => {
    const second = (await other()).test
    const before = await second.call('handoff_list')
    const { id } = await project.call('handoff_create', SMALL)

    const listed = await second.call('handoff_list')
    const found = await second.call('handoff_list', { query: 'oauth' })

    assert.equal(before.items.length, 0)
    assert.deepEqual(
      listed.items.map((item: { id: string }) => item.id),
      [id],
    )
    assert.deepEqual(
      found.items.map((item: { id: string }) => item.id),
      [id],
    )
  },
  'one idempotency key gives one record, also if several processes use it': async ({ project, other }) => {
    const second = (await other()).test
    const input = { ...SMALL, idempotency_key: 'once' }

    const answers = await Promise.all([
      project.call('handoff_create', input),
      second.call('handoff_create', input),
      project.call('handoff_create', input),
    ])

    assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
    assert.equal(answers.filter(({ repeated }) => repeated === true).length, 2)
    assert.equal((await project.call('handoff_list')).items.length, 1)
  },
  'an idempotency key with another body is refused, and nothing is written': async ({ project, other }) => {
    const second = (await other()).test
    const input = { ...SMALL, idempotency_key: 'once', extra: { b: 1, a: 'password=hunter2secret!' } }
    const { id } = await project.call('handoff_create', input)

    const again = await second.call('handoff_create', { ...input, extra: { a: input.extra.a, b: 1 } })
    const others = [
      { ...input, title: 'Another' },
      { ...input, parent: 'none' },
      { ...input, hash_artifacts: false },
    ]

    assert.deepEqual([again.id, again.repeated], [id, true])
    for (const body of others) {
      await assert.rejects(second.call('handoff_create', body), {
        code: 'conflict',
        reason: 'idempotency_mismatch',
        details: { id },
      })
    }
    await assert.rejects(
      project.call('handoff_branch', { id, relation: 'continue', overrides: { idempotency_key: 'once' } }),
      { reason: 'idempotency_mismatch' },
    )
    assert.equal((await project.call('handoff_list')).items.length, 1)
  },
  'a record is claimed by one session, and free again at its end': async ({ project, other }) => {
    const second = (await other()).test
    const { id } = await project.call('handoff_create', READY)
    await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })

    const claims = await Promise.allSettled([
      project.call('handoff_resume', { id, mark: true, claim: { by: 'one', ttl_s: 600 } }),
      second.call('handoff_resume', { id, mark: true, claim: { by: 'two', ttl_s: 600 } }),
    ])

    const refused = claims.filter((claim) => claim.status === 'rejected')
    assert.equal(refused.length, 1, JSON.stringify(claims))
    assert.equal(refused[0]?.reason.reason, 'claimed')
    project.advance(601)
    await project.call('handoff_resume', { id, mark: true, claim: { by: 'three', ttl_s: 600 } })
  },
}

for (const [promise, keep] of Object.entries(PROMISES)) {
  test(`in files: ${promise}`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    await keep(placeOf(t, project, undefined), t)
  })
}

test('in a database:', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  let count = 0
  for (const [promise, keep] of Object.entries(PROMISES)) {
    await t.test(`in a database: ${promise}`, async (each) => {
      const url = await migratedDatabase(server, `promise_${count++}`)
      const project = await openTestProject(each, { repository: true, database: url })
      await keep(placeOf(each, project, url), each)
    })
  }
})

function placeOf(t: TestContext, project: TestProject, database: string | undefined): Place {
  const directOf = (test: TestProject): Project => {
    const base = testHost(test.root, test.now)
    const host = test.host.database ? { ...base, database: test.host.database } : base
    return createHandoffs(host, test.config, { lockMs: LOCK_MS }).projectAt(test.root)
  }
  return {
    project,
    direct: directOf(project),
    async other() {
      const test = await openTestProject(t, {
        root: project.root,
        ...(database !== undefined && { database }),
      })
      return { test, direct: directOf(test) }
    },
  }
}
