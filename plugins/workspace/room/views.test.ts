import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../domain/limits.ts'
import { openTestRoom } from '../testing/test-room.ts'
import { turnsOf } from '../testing/turns.ts'
import type { PageInput } from './page.ts'
import {
  handoffsPage,
  handoffWithRecord,
  invitesPage,
  leasesPage,
  outlinePage,
  participantsPage,
  readDocument,
  roomView,
  sessionsPage,
  status,
  type View,
} from './views.ts'

test('the path of the file is shown to admins only', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read'])

  assert.equal((await room.look(ada, status)).path, room.file)
  assert.ok(!JSON.stringify(await room.look(bob, roomView)).includes(room.file))
})

test('the text is cut to a budget of one token or more, and a smaller one is refused', async (t) => {
  const room = await openTestRoom(t, { text: 'abcdefgh' })
  const ada = await room.join('ada')
  const read = (max_tokens: number) => room.look(ada, (view) => readDocument(view, { max_tokens }))

  assert.deepEqual([(await read(1)).content, (await read(2)).content], ['abcd', 'abcdefgh'])
  for (const tokens of [0, -1]) await assert.rejects(read(tokens), { reason: 'invalid_request' })
})

test('a list gives at most 200 rows, page by page, without a repeat or a hole', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await Promise.all(
    Array.from({ length: 30 }, (_, n) => room.do(ada, 'handoff_create', { title: `${n}`, objective: 'o' })),
  )
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await room.look(ada, (view) => handoffsPage(view, { limit: 7, cursor }))
    seen.push(...page.handoffs.map(({ title }) => title))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }

  assert.deepEqual(
    seen,
    Array.from({ length: 30 }, (_, n) => `${29 - n}`),
  )
  await room.look(ada, (view) => handoffsPage(view, { limit: 200 }))
  for (const limit of [0, 201]) {
    await assert.rejects(
      room.look(ada, (view) => handoffsPage(view, { limit })),
      { code: 'invalid', reason: 'limit_exceeded' },
    )
  }
  await assert.rejects(
    room.look(ada, (view) => handoffsPage(view, { cursor: 'x' })),
    { reason: 'invalid_request' },
  )
})

test('leases, members and the sessions in use are listed page by page, each once', async (t) => {
  const room = await openTestRoom(t, { text: Array.from({ length: 9 }, (_, n) => `# S${n}\n`).join('') })
  const ada = await room.join('ada')
  for (let n = 0; n < 8; n += 1) await room.join(`p${n}`)
  await room.do(ada, 'checkout', { target: 'section:S8', minutes: 1 })
  room.pass(1) // over, though no timer has ended it
  for (let n = 0; n < 7; n += 1) await room.do(ada, 'checkout', { target: `section:S${n}` })
  const left = await room.join('left')
  await room.do(left, 'leave', {})
  const paged = async <T>(
    look: (view: View, input: PageInput) => { readonly next_cursor?: string },
    key: string,
  ): Promise<T[]> => {
    const seen: T[] = []
    for (let cursor: string | undefined; ; ) {
      const found = await room.look(ada, (view) => look(view, { limit: 3, cursor }))
      const rows = (found as unknown as Record<string, T[]>)[key] ?? []
      assert.ok(rows.length <= 3)
      seen.push(...rows)
      cursor = found.next_cursor
      if (cursor === undefined) return seen
    }
  }

  const leased = await paged<{ target: string }>(leasesPage, 'leases')
  const members = await paged<{ name: string }>(participantsPage, 'participants')
  const former = await paged<{ name: string; left_at: string }>(
    (view, input) => participantsPage(view, { ...input, left: true }),
    'participants',
  )
  const used = await paged<{ live: boolean }>(
    (view, input) => sessionsPage(view, { ...input, live: true }),
    'sessions',
  )
  const sessions = await paged<{ live: boolean }>(sessionsPage, 'sessions')

  assert.deepEqual(
    leased.map(({ target }) => target),
    Array.from({ length: 7 }, (_, n) => `section:S${n}`),
  )
  assert.deepEqual(
    members.map(({ name }) => name),
    ['ada', ...Array.from({ length: 8 }, (_, n) => `p${n}`)],
  )
  assert.deepEqual(
    former.map(({ name, left_at }) => [name, left_at === undefined]),
    [['left', false]],
  )
  assert.deepEqual([used.length, sessions.length], [9, 10])
  assert.ok(used.every(({ live }) => live))
})

test('the room says of its lists where they go on', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const one = await room.look(ada, roomView)
  await Promise.all(Array.from({ length: LIMITS.listRows + 1 }, () => room.do(ada, 'invite', {})))

  const full = await room.look(ada, roomView)
  const rest = await room.look(ada, (view) => invitesPage(view, { cursor: full.next_cursors?.invites }))

  assert.equal(one.next_cursors, undefined)
  assert.deepEqual(Object.keys(full.next_cursors ?? {}), ['invites'])
  assert.deepEqual([full.invites?.length, rest.invites.length], [LIMITS.listRows, 1])
})

test('the handoffs of one participant are found behind any number of others, page by page', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const make = (who: typeof ada, count: number, to?: string) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        room.do(who, 'handoff_create', { title: `${n}`, objective: 'o', ...(to && { to }) }),
      ),
    )
  const own = await make(ada, 3)
  await make(bob, 120)
  const addressed = await make(bob, 2, ada.participant_id)
  await make(bob, 2000 - 2 - 120 - 1)
  const mine = (limit: number, cursor?: string) =>
    room.look(ada, (view) => handoffsPage(view, { mine: true, limit, cursor }))

  const seen: string[] = []
  let pages = 0
  for (let cursor: string | undefined; ; pages += 1) {
    const page = await mine(2, cursor)
    seen.push(...page.handoffs.map(({ handoff_id }) => handoff_id))
    cursor = page.next_cursor
    if (cursor === undefined) break
  }
  const all = await mine(200)

  const expected = [...own, ...addressed].map(({ handoff_id }) => handoff_id).reverse()
  assert.deepEqual(seen, expected)
  assert.equal(pages, 2, 'three pages')
  assert.deepEqual(
    all.handoffs.map(({ handoff_id }) => handoff_id),
    expected.slice(0, 3),
  )
  assert.ok(all.next_cursor !== undefined, 'it says that it did not look at all')
})

test('a list of handoffs does not carry their results', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const { handoff_id } = await room.do(ada, 'handoff_create', { title: 't', objective: 'o' })
  await room.do(bob, 'handoff_accept', { handoff_id })
  await room.do(bob, 'handoff_result', { handoff_id, summary: 'short', result: 'a long one' })

  const listed = await room.look(ada, (view) => handoffsPage(view, {}))
  const whole = await room.look(ada, (view) => handoffWithRecord(view, handoff_id))
  const shown = JSON.stringify(await room.look(ada, roomView))

  assert.equal(listed.handoffs[0]?.result_summary, 'short')
  assert.ok(!JSON.stringify(listed).includes('a long one'))
  assert.ok(!shown.includes('a long one'))
  assert.equal(whole.result, 'a long one')
})

test('a truncated outline names a call that shows more, at the lowest depth too', async (t) => {
  const room = await openTestRoom(t, { text: '# A\n'.repeat(2001) })
  const ada = await room.join('ada')
  const next = async (depth: number) =>
    (await room.look(ada, (view) => outlinePage(view, depth))).truncated?.next

  assert.deepEqual(await next(2), { tool: 'workspace_outline', args: { max_depth: 1 } })
  assert.deepEqual(await next(1), { tool: 'workspace_read', args: {} })
})

test('of those who ask for the document one goes on in each turn, in the order in which they ask', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const turns = turnsOf(t)
  const readers = Array.from({ length: 5 }, async () => {
    await room.room.readInTurn(ada.session_id, (view) => readDocument(view, {}))
    return turns.passed()
  })

  const ended = await Promise.all(readers)

  assert.deepEqual(
    ended,
    [...new Set(ended)].sort((a, b) => a - b),
  )
})
