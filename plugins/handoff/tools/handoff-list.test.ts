import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import type { Handoff } from '../domain/record.ts'
import { layoutOf } from '../store/layout.ts'
import { createIndex } from '../store/record-index.ts'
import { leastMs, openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'

const idOf = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`

function put(
  project: TestProject,
  n: number,
  change: (record: Handoff) => Partial<Handoff> = () => ({}),
): void {
  const time = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
  const record = {
    ...VALID,
    id: idOf(n),
    created_at: time,
    updated_at: time,
    work: { ...VALID.work, title: `Record ${n}` },
  }
  const folder = join(project.root, '.handoffs/records')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${idOf(n)}.json`), JSON.stringify({ ...record, ...change(record) }))
}

type Listed = { id: string; title: string; snippet?: string }
const titles = (answer: { items: Listed[] }) => answer.items.map(({ title }) => title)

test('reading verbs make nothing in a project without a store and touch nothing in one that has one', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const empty = project.files()
  for (const tool of [
    'handoff_list',
    'handoff_get',
    'handoff_freshness',
    'handoff_check_plan',
    'handoff_resume',
  ]) {
    await project
      .call(
        tool,
        tool === 'handoff_get' ? { id: 'latest' } : tool === 'handoff_check_plan' ? { plan: 'x' } : {},
      )
      .catch((error: { reason: string }) => assert.equal(error.reason, 'record_not_found', tool))
  }
  assert.deepEqual(project.files(), empty)
})

test('a damaged file is listed with reason and line, keeps its bytes, and hides no other record', async (t) => {
  const project = await openTestProject(t)
  put(project, 1)
  const damaged = {
    [`${idOf(2)}.json`]: '<<<<<<< HEAD\n{"a": 1}\n=======\n{"a": 2}\n>>>>>>> theirs\n',
    [`${idOf(3)}.json`]: '',
    [`${idOf(4)}.json`]: '{"kind": "handoff",\n  "id": ',
    [`${idOf(5)}.json`]: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
    [`${idOf(6)}.json`]: JSON.stringify(VALID),
    [`${idOf(7)}.json`]: JSON.stringify({ ...VALID, id: idOf(7), kind: 'Handoff' }),
    [`${idOf(8)}.json`]: `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
    'notes.json': '{}',
  }
  for (const [name, content] of Object.entries(damaged)) project.write(`.handoffs/records/${name}`, content)

  const answer = await project.call('handoff_list')

  assert.deepEqual(titles(answer), ['Record 1'])
  const reasons = answer.problems.map(({ reason, line }: { reason: string; line?: number }) => [reason, line])
  assert.deepEqual(reasons, [
    ['bad_json', 1],
    ['bad_json', 1],
    ['bad_json', 2],
    ['not_utf8', undefined],
    ['wrong_id', undefined],
    ['schema_invalid', undefined],
    ['too_deep', undefined],
    ['wrong_id', undefined],
  ])
  await assert.rejects(project.call('handoff_get', { id: idOf(4) }), { code: 'invalid', reason: 'bad_json' })
  const readable = await project.call('handoff_get', { id: idOf(7) })
  assert.equal(readable.problems[0].reason, 'schema_invalid')
  for (const [name, content] of Object.entries(damaged)) {
    assert.deepEqual(readFileSync(join(project.root, '.handoffs/records', name)), Buffer.from(content))
  }
})

test('a record of another process is in the next answer, and so is its removal', async (t) => {
  const project = await openTestProject(t)
  put(project, 1)
  assert.equal((await project.call('handoff_list')).total, 1)

  put(project, 2)
  assert.equal((await project.call('handoff_list')).total, 2)
  rmSync(join(project.root, '.handoffs/records', `${idOf(1)}.json`))
  assert.deepEqual(titles(await project.call('handoff_list')), ['Record 2'])
})

/** An index file with another body. */
function indexOf(body: string): string {
  return `${JSON.stringify({ version: 1, sha256: createHash('sha256').update(body).digest('hex') })}\n${body}`
}

test('an index that is missing, cut, newer, edited or of another shape gives the same answers as a new one', async (t) => {
  const first = await openTestProject(t)
  for (let n = 0; n < 20; n++) put(first, n)
  const list = async () => {
    const fresh = await openTestProject(t, { root: first.root })
    const { items } = await fresh.call('handoff_list', { query: 'record', limit: 50 })
    return items
  }
  const expected = await list()
  const path = '.handoffs/.cache/index.json'
  const index = first.read(path)
  const damages = [
    () => rmSync(join(first.root, path)),
    () => first.write(path, index.slice(0, 300)),
    () => first.write(path, index.replace('"version":1', '"version":99')),
    () => first.write(path, index.replaceAll('Record 1', 'Nothing')),
    () => first.write(path, ''),
    ...['5', '{}', '[5]', '[["a", 5]]', '[["a", {"mtimeMs": 1, "size": 1}]]', '{'].map(
      (body) => () => first.write(path, indexOf(body)),
    ),
  ]
  for (const damage of damages) {
    damage()
    assert.deepEqual(await list(), expected)
  }
  assert.equal(expected.length, 20)
})

test('a look that must end in time reads first what was written last, says what is left, and goes on where it ended', async (t) => {
  const project = await openTestProject(t)
  for (let n = 0; n < 300; n++) put(project, n)
  const file = (n: number) => join(project.root, '.handoffs/records', `${idOf(n)}.json`)
  for (let n = 0; n < 300; n++) utimesSync(file(n), 1_700_000_000 + n, 1_700_000_000 + n)
  utimesSync(file(7), 1_800_000_000, 1_800_000_000) // an old record that was changed just now
  let clock = 0
  /** As a process of its own that comes later, on a clock that goes on by one with every look at it. */
  const look = async (budgetMs: number) => {
    const layout = layoutOf(project.root, join(project.root, '.handoffs'))
    clock += 10_000
    const view = await createIndex(realDisk, layout, () => clock++).viewWithin(budgetMs)
    return { ...view, ids: view.rows.map(({ id }) => id) }
  }

  const first = await look(20)
  assert.ok(first.unread > 0 && first.unread < 300, `${first.unread} unread`)
  assert.equal(first.ids.length, 300 - first.unread)
  const newest = [7, ...Array.from({ length: first.ids.length - 1 }, (_, n) => 299 - n)]
  assert.deepEqual(first.ids, newest.map(idOf).toSorted())

  let last = first
  for (let round = 0; last.unread > 0; round++) {
    const next = await look(20)
    assert.ok(next.unread < last.unread && round < 30, `round ${round}: ${next.unread} unread`)
    last = next
  }
  const whole = await project.call('handoff_list', { limit: 1 })
  assert.deepEqual([last.ids.length, whole.total], [300, 300])

  // Not even the time to see which files changed: what is known of them is better than nothing, and none of it is lost.
  const hasty = await look(1)
  assert.deepEqual([hasty.ids.length, hasty.unread, hasty.unchecked > 200], [300, 0, true])
  project.write(
    `.handoffs/records/${idOf(3)}.json`,
    project.read(`.handoffs/records/${idOf(3)}.json`).replace('Record 3', 'Renamed'),
  )
  const renamed = await look(1000)
  assert.deepEqual([renamed.unread, renamed.unchecked], [0, 0])
  assert.ok(renamed.rows.some(({ title }) => title === 'Renamed'))
})

test('paging gives each unchanged record once while others are written', async (t) => {
  const project = await openTestProject(t)
  for (let n = 0; n < 1000; n++) put(project, n)
  for (const query of [undefined, 'record']) {
    const seen: string[] = []
    let cursor: string | null = null
    let written = 2000
    do {
      const page: { items: Listed[]; next_cursor: string | null } = await project.call('handoff_list', {
        limit: 30,
        ...(query && { query }),
        ...(cursor && { cursor }),
      })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor
      for (let more = 0; more < 3; more++) put(project, written++)
    } while (cursor)
    const old = seen.filter((id) => id < idOf(1000))
    assert.equal(old.length, 1000)
    assert.equal(new Set(seen).size, seen.length)
    assert.ok(written >= 2100)
    for (let n = 2000; n < written; n++) rmSync(join(project.root, '.handoffs/records', `${idOf(n)}.json`))
  }
})

test('a cursor of another list is refused', async (t) => {
  const project = await openTestProject(t)
  for (let n = 0; n < 5; n++) put(project, n)
  const { next_cursor } = await project.call('handoff_list', { limit: 2 })

  for (const cursor of ['nonsense', Buffer.from('[1]').toString('base64url')]) {
    await assert.rejects(project.call('handoff_list', { cursor }), { code: 'invalid', reason: 'bad_cursor' })
  }
  await assert.rejects(project.call('handoff_list', { cursor: next_cursor, status: ['draft'] }), {
    reason: 'bad_cursor',
  })
})

test('words, phrases, exclusions, prefixes, fields, accents and parts of identifiers find what they say', async (t) => {
  const project = await openTestProject(t)
  put(project, 1, ({ summary }) => ({
    summary: { ...summary, current_state: 'The getUserName helper reads café menus' },
  }))
  put(project, 2, ({ summary }) => ({
    summary: { ...summary, current_state: 'The user has a name in src/user_store.ts' },
  }))
  put(project, 3, ({ work }) => ({ work: { ...work, title: 'Rotate the signing keys' } }))
  const found = async (query: string) =>
    titles(await project.call('handoff_list', { query, sort: 'created' })).reverse()

  assert.deepEqual(await found('user name'), ['Record 1', 'Record 2'])
  assert.deepEqual(await found('getUserName'), ['Record 1'])
  assert.deepEqual(await found('"user has a name"'), ['Record 2'])
  assert.deepEqual(await found('"has a nam"'), [])
  assert.deepEqual(await found('user -cafe'), ['Record 2'])
  assert.deepEqual(await found('CAFE'), ['Record 1'])
  assert.deepEqual(await found('menu'), [])
  assert.deepEqual(await found('menu*'), ['Record 1'])
  assert.deepEqual(await found('title:keys'), ['Rotate the signing keys'])
  assert.deepEqual(await found('state:keys'), [])
  assert.deepEqual(await found('store'), ['Record 1', 'Record 2', 'Rotate the signing keys'])
  assert.deepEqual(await found('state:store'), ['Record 2'])
  for (const query of ['user_store.ts', 'src/user_store.ts', 'state:user_store.ts', 'store.ts -keys.ts'])
    assert.deepEqual(await found(query), query.startsWith('store') ? [] : ['Record 2'], query)
  assert.deepEqual(await found(`id:${idOf(2)}`), ['Record 2'])
  assert.deepEqual(await found('"unbalanced rotate'), [])
  assert.deepEqual(await found(''), ['Record 1', 'Record 2', 'Rotate the signing keys'])
  await assert.rejects(found('titel:keys'), {
    code: 'invalid',
    reason: 'unknown_field',
    details: { field: 'titel', at: 1, nearest: 'title' },
  })

  const long = await project.call('handoff_list', { query: 'record '.repeat(1428) })
  assert.equal(long.warnings.length, 1)
})

test('words of scripts without spaces are found inside of sentences, and words of others beside them', async (t) => {
  const project = await openTestProject(t)
  const texts = [
    'ログイン時のJWT認証を修正し、トークンの期限を確認した。',
    '我们修复了登录验证的缓存问题',
    'แก้ไขการตรวจสอบสิทธิ์ของผู้ใช้แล้ว',
    'Nothing of these; the café token is checked.',
  ]
  for (const [at, current_state] of texts.entries())
    put(project, at + 1, ({ summary }) => ({ summary: { ...summary, current_state } }))
  const found = async (query: string) => {
    const { items } = await project.call('handoff_list', { query, sort: 'created' })
    return items.map(({ title }: { title: string }) => Number(title.replace('Record ', ''))).sort()
  }

  for (const query of [
    '認証',
    'トークン',
    '期限',
    'JWT',
    'jwt認証',
    '"期限を確認"',
    '鍵 -x',
    '認証*',
    '修正 期限',
    'した',
  ])
    assert.deepEqual(await found(query), query.startsWith('鍵') ? [] : [1], query)
  for (const query of ['缓存', '登录验证', '题', 'state:缓存', '缓存 -認証'])
    assert.deepEqual(await found(query), [2], query)
  for (const query of ['ตรวจสอบ', 'สิทธิ์', 'ผู้ใช้']) assert.deepEqual(await found(query), [3], query)
  for (const query of ['認期', '缓问', '証認', 'title:缓存', 'toke'])
    assert.deepEqual(await found(query), [], query)
  assert.deepEqual(await found('登录'), [2])
  assert.deepEqual(await found('token -認証'), [4])
  const { items } = await project.call('handoff_list', { query: 'トークン' })
  assert.match(items[0].snippet, /JWT認証を修正し、トークンの期限/)
})

test('a snippet begins with a whole word', async (t) => {
  const project = await openTestProject(t)
  const title = 'Retry the deliveries of webhooks with an exponential backoff'
  await project.call('handoff_create', { ...SMALL, title })

  const { items } = await project.call('handoff_list', { query: 'backoff' })

  assert.equal(items[0].snippet, title.slice('Retry '.length))
})

test('a title counts more than a text, and a snippet is short and shows what is hidden', async (t) => {
  const project = await openTestProject(t)
  put(project, 1, ({ summary }) => ({
    summary: { ...summary, current_state: `zebra\u202e ${'word '.repeat(200)}` },
  }))
  put(project, 2, ({ work }) => ({ work: { ...work, title: 'The zebra' } }))

  const { items } = await project.call('handoff_list', { query: 'zebra' })

  assert.equal(items[0].title, 'The zebra')
  assert.ok(items[1].snippet.length <= 160)
  assert.ok(items[1].snippet.includes('\\u{202e}'))
})

test('filters narrow a list, and leaves are what nothing released goes on from', async (t) => {
  const project = await openTestProject(t)
  put(project, 1, () => ({ status: 'superseded' }))
  put(project, 2, () => ({
    lineage: { parents: [idOf(1)], relation: 'continue', branch_label: null, merge_basis: [] },
  }))
  put(project, 3, () => ({
    status: 'draft',
    lineage: { parents: [idOf(2)], relation: 'fork', branch_label: 'x', merge_basis: [] },
  }))
  const found = async (filter: Record<string, unknown>) =>
    titles(await project.call('handoff_list', filter)).sort()

  assert.deepEqual(await found({ leaf_only: true }), ['Record 2', 'Record 3'])
  assert.deepEqual(await found({ status: ['draft', 'superseded'] }), ['Record 1', 'Record 3'])
  assert.deepEqual(await found({ relation: 'fork' }), ['Record 3'])
  assert.deepEqual(await found({ parent: idOf(1) }), ['Record 2'])
  assert.deepEqual(await found({ since: '2026-01-01T00:02:30Z' }), ['Record 3'])
  assert.deepEqual(await found({ until: '2026-01-01T00:01:30Z' }), ['Record 1'])
  await assert.rejects(project.call('handoff_list', { relation: 'frok' }), { reason: 'invalid_arguments' })
  await assert.rejects(project.call('handoff_list', { since: 'yesterday' }), { reason: 'invalid_arguments' })
})

test('a draft does not hide its parent from latest, and a skeleton comes last', async (t) => {
  const project = await openTestProject(t)
  put(project, 1)
  put(project, 2, () => ({
    status: 'draft',
    lineage: { parents: [idOf(1)], relation: 'continue', branch_label: null, merge_basis: [] },
  }))
  assert.equal((await project.call('handoff_get', { id: 'latest' })).id, idOf(1))

  rmSync(join(project.root, '.handoffs/records', `${idOf(1)}.json`))
  put(project, 3, () => ({ status: 'draft', x_satchel: { skeleton: true } }) as Partial<Handoff>)

  assert.equal((await project.call('handoff_get', { id: 'latest' })).id, idOf(2))
})

test('an edit in place shows immediately in get, validate and resume', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  await project.call('handoff_list')

  project.write(
    path,
    project
      .read(path)
      .replace(SMALL.current_state, 'Edited by hand.')
      .replace(/"evidence_ids": \[\]|"risks": \[\]/, '"risks": [{"severity": "high"}]'),
  )

  const { problems } = await project.call('handoff_get', { id })
  assert.equal(problems[0].reason, 'schema_invalid')
  assert.equal((await project.call('handoff_validate', { id })).schema_valid, false)
  project.write(path, project.read(path).replace('[{"severity": "high"}]', '[]'))
  assert.equal((await project.call('handoff_get', { id })).record.summary.current_state, 'Edited by hand.')
  assert.equal((await project.call('handoff_validate', { id })).schema_valid, true)
  assert.match((await project.call('handoff_resume', { id, mark: false })).brief, /Edited by hand/)
})

test('an edit in place shows in lists and searches within 6 s, however often they are asked', async (t) => {
  for (const everyMs of [500, 1500, 5500, 60_000]) {
    const project = await openTestProject(t)
    put(project, 1)
    put(project, 2)
    // Times of files are those of the real clock; this one goes on in steps from there.
    let clock = Date.now() + 1000
    const { disk, atRest } = watchedDisk()
    const index = createIndex(disk, layoutOf(project.root, join(project.root, '.handoffs')), () => clock)
    const title = async () => (await index.view()).rows.find(({ id }) => id === idOf(1))?.title
    assert.equal(await title(), 'Record 1')
    const path = `.handoffs/records/${idOf(1)}.json`

    project.write(path, project.read(path).replace('Record 1', 'Edited in place'))
    const edited = clock
    let shown = await title()
    while (shown === 'Record 1') {
      clock += everyMs
      shown = await title()
      await atRest() // a pass in the background ends, as it would in so long
      if (clock - edited > 120_000) break
    }

    assert.equal(shown, 'Edited in place')
    const firstAfter6s = Math.ceil(6000 / everyMs) * everyMs
    assert.ok(clock - edited <= firstAfter6s, `asked every ${everyMs} ms: after ${clock - edited} ms`)
  }
})

/** The real disk, and a promise that no call is pending: code that goes on after a call makes the next one immediately. */
function watchedDisk(): { readonly disk: Disk; atRest(): Promise<void> } {
  let underWay = 0
  const watched =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      underWay++
      try {
        return await method(...args)
      } finally {
        underWay--
      }
    }
  return {
    disk: {
      ...realDisk,
      readFile: watched(realDisk.readFile),
      list: watched(realDisk.list),
      stat: watched(realDisk.stat),
      mkdir: watched(realDisk.mkdir),
      create: watched(realDisk.create),
      rename: watched(realDisk.rename),
      unlink: watched(realDisk.unlink),
      syncDirectory: watched(realDisk.syncDirectory),
    },
    async atRest() {
      do await pause(1)
      while (underWay > 0)
    },
  }
}

test('any query gives a result or says where it is wrong, within 100 ms of processor time', async (t) => {
  const project = await openTestProject(t)
  for (let n = 0; n < 500; n++) put(project, n)
  await project.call('handoff_list')
  const units = [
    'record ',
    '"',
    '""',
    '-',
    '- ',
    'a* ',
    '*',
    ':',
    'title:',
    'nofield:x ',
    '\\',
    'é',
    '\u0000',
    '🙂 ',
  ]

  for (const query of [
    ...units,
    ...units.map((unit) => unit.repeat(10_000).slice(0, 10_000)),
    'x'.repeat(10_000),
  ]) {
    const ask = () =>
      project.call('handoff_list', { query }).catch((thrown) => {
        assert.equal(thrown.code, 'invalid', query.slice(0, 20))
        assert.equal(typeof thrown.details.at, 'number', query.slice(0, 20))
      })
    const ms = await leastMs(ask)
    assert.ok(ms <= 100, `${query.slice(0, 20)}: ${ms} ms`)
  }
})
