import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browser, settled } from '../../testing/page-browser.ts'

test('the page loads the room, then follows from its latest event', async () => {
  const page = browser()

  await page.view.start()
  page.source().open()

  assert.deepEqual(page.asked, ['/workspace/room'])
  assert.equal(page.source().url, '/workspace/observe?since_event_id=10')
  assert.equal(page.connection(), 'live')
})

test('each event is applied once, by id', async () => {
  const page = browser()
  await page.view.start()

  for (const id of [11, 12, 12, 11, 9, 13]) page.source().send(id, 'session.created')

  assert.deepEqual(page.ids(), [13, 12, 11])
})

test('each family of events reads its own part again, and a burst only once', async () => {
  const page = browser()
  await page.view.start()
  const families: [string, string][] = [
    ['proposal.created', '/workspace/proposals?limit=200'],
    ['lease.acquired', '/workspace/leases?limit=200'],
    ['participant.joined', '/workspace/participants?limit=200'],
    ['session.expired', '/workspace/participants?limit=200'],
    ['change.committed', '/workspace/status'],
    ['handoff.created', '/workspace/handoff_list?limit=200'],
    ['task.updated', '/workspace/handoff_list?limit=200'],
    ['invite.created', '/workspace/invites?limit=200'],
  ]
  let id = 10
  for (const [type, path] of families) {
    page.asked.length = 0
    for (let count = 0; count < 5; count += 1) {
      id += 1
      page.source().send(id, type)
    }
    await page.pass(150)
    assert.deepEqual(page.asked, [path], type)
  }
})

test('a list that goes on is read a page further when asked, and stays as long from then on', async () => {
  const page = browser()
  const first = '/workspace/invites?limit=200'
  const room = () => page.told.at(-1)?.state.room
  Object.assign(page.server.answers, {
    '/workspace/room': {
      latest_event_id: 10,
      invites: [3],
      next_cursors: { invites: '30' },
    },
    [first]: { invites: [3], next_cursor: '30' },
    [`${first}&cursor=30`]: { invites: [2], next_cursor: '20' },
    [`${first}&cursor=20`]: { invites: [1] },
  })
  await page.view.start()

  page.view.readOlder('invites')
  await settled()
  const two = room()
  page.source().send(11, 'invite.created')
  await page.pass(150)
  const again = room()
  page.view.readOlder('invites')
  await settled()
  const all = room()

  assert.deepEqual(
    [two?.['invites'], again?.['invites']],
    [
      [3, 2],
      [3, 2],
    ],
  )
  assert.deepEqual(again?.next_cursors, { invites: '20' })
  assert.deepEqual(all?.['invites'], [3, 2, 1])
  assert.deepEqual(all?.next_cursors, {})
})

test('what waits is shown behind any number of newer rows, also after a first load and a later read', async () => {
  const page = browser()
  const list = '/workspace/proposals?limit=200'
  const [newest, old, done] = ['c', 'b', 'a'].map((proposal_id) => ({ proposal_id }))
  Object.assign(page.server.answers, {
    '/workspace/room': { latest_event_id: 10, proposals: [newest], next_cursors: { proposals: '30' } },
    [list]: { proposals: [newest], next_cursor: '30' },
    [`${list}&status=pending`]: { proposals: [newest], next_cursor: '30' },
    [`${list}&status=pending&cursor=30`]: { proposals: [old] },
    [`${list}&status=approved`]: { proposals: [done] },
  })
  const shown = () => page.told.at(-1)?.state.room

  await page.view.start()
  await page.pass(150)
  const first = shown()
  page.source().send(11, 'proposal.created')
  await page.pass(150)

  assert.deepEqual(first?.['proposals'], [newest, old, done])
  assert.deepEqual(shown()?.['proposals'], [newest, old, done])
  assert.deepEqual(shown()?.next_cursors, { proposals: '30' })
})

test('a part that could not be read for the moment is read again, without another event', async () => {
  const page = browser()
  const path = '/workspace/status'
  await page.view.start()
  page.server.status = 429
  page.source().send(11, 'change.committed')
  await page.pass(150)
  page.server.status = 200
  page.asked.length = 0

  await page.pass(5000)
  await page.pass(150)

  assert.deepEqual(page.asked, [path])
})

test('what nothing or a proxy answered while the stream stayed is read again', async () => {
  const page = browser()
  await page.view.start()
  page.source().open()
  for (const fault of [{ down: true }, { status: 502 }]) {
    Object.assign(page.server, fault)
    page.source().send(page.server.latest + 1, 'change.committed')
    page.server.latest += 1
    await page.pass(150)
    page.source().resync()
    await page.pass(0)
    Object.assign(page.server, { down: false, status: 200 })
    page.asked.length = 0

    await page.pass(5000)
    await page.pass(150)

    assert.deepEqual([...page.asked].sort(), ['/workspace/room', '/workspace/status'])
  }
})

test('what is refused for good is not read again', async () => {
  const page = browser()
  await page.view.start()

  page.view.retry('document', 403)
  page.view.retry('proposals', 503)
  await page.pass(5000)
  await page.pass(150)

  assert.deepEqual(page.asked.slice(1), ['/workspace/proposals?limit=200'])
})

test('what overlapping reads of a part found is shown in the order in which they began', async () => {
  const page = browser()
  const path = '/workspace/proposals?limit=200'
  let release = (): void => {}
  await page.view.start()
  page.server.answers = { [path]: { proposals: ['old'] } }
  page.server.hold = new Promise((done) => {
    release = done
  })
  page.source().send(11, 'proposal.created')
  await page.pass(150)
  page.server.answers = { [path]: { proposals: ['new'] } }
  page.server.hold = undefined
  page.source().send(12, 'proposal.approved')
  await page.pass(150)

  release()
  await settled()

  assert.deepEqual(page.told.at(-1)?.state.room?.['proposals'], ['new'])
})

test('a part that was read again while the room was loaded is read once more, as the room may be older', async () => {
  const page = browser()
  const path = '/workspace/proposals?limit=200'
  let release = (): void => {}
  await page.view.start()
  page.server.hold = new Promise((done) => {
    release = done
  })
  page.source().resync()
  page.server.hold = undefined
  page.server.answers = { [path]: { proposals: ['new'] } }
  page.view.refresh('proposals')
  await page.pass(150)

  release()
  await settled()
  await page.pass(150)

  assert.deepEqual(page.told.at(-1)?.state.room?.['proposals'], ['new'])
})

test('events without a pause do not keep a part from being read', async () => {
  const page = browser()
  await page.view.start()
  page.source().send(11, 'proposal.created')
  page.source().send(12, 'lease.acquired')
  const set = page.set(150)

  await page.pass(150)

  assert.equal(set, 1, 'the time runs from the first of them')
  assert.deepEqual(page.asked.slice(1), ['/workspace/proposals?limit=200', '/workspace/leases?limit=200'])
})

test('members and leases are always read whole', async () => {
  const page = browser()
  const path = '/workspace/participants?limit=200'
  Object.assign(page.server.answers, {
    [path]: { participants: [1], next_cursor: '7' },
    [`${path}&cursor=7`]: { participants: [2] },
  })
  await page.view.start()

  page.source().send(11, 'participant.joined')
  await page.pass(150)

  assert.deepEqual(page.told.at(-1)?.state.room?.['participants'], [1, 2])
})

test('a resync reads the room again, and events meanwhile wait and are dropped when the room holds them', async () => {
  const page = browser()
  await page.view.start()
  let release = (): void => {}
  page.server.hold = new Promise((done) => {
    release = done
  })
  page.server.latest = 20

  page.source().resync()
  page.source().send(19, 'session.created')
  page.source().send(21, 'session.created')
  release()
  await settled()

  assert.deepEqual(page.asked, ['/workspace/room', '/workspace/room'])
  assert.deepEqual(page.ids(), [21])
})

test('what was lost while the room was being read is read once more', async () => {
  const page = browser()
  await page.view.start()
  let release = (): void => {}
  page.server.hold = new Promise((done) => {
    release = done
  })
  page.source().resync()
  page.server.latest = 30
  page.source().resync()
  page.source().resync()
  release()
  await settled()
  page.source().send(30, 'session.created')
  page.source().send(31, 'session.created')

  assert.equal(page.asked.length, 3)
  assert.deepEqual(page.ids(), [31])
})

test('a room whose ids began again is followed from its own newest', async () => {
  const page = browser()
  await page.view.start()
  page.source().send(11, 'session.created')
  page.server.latest = 2

  page.source().resync()
  await settled()
  page.source().send(3, 'session.created')

  assert.deepEqual(page.ids(), [3])
})

test('a lost stream is said, and the room is read every 30 seconds until the stream is open again', async () => {
  const page = browser()
  await page.view.start()
  page.source().open()
  page.asked.length = 0

  page.source().fail()
  await settled()
  const first = page.connection()
  page.source().fail()
  page.server.down = true
  await page.pass(30_000)
  const second = page.connection()
  page.server.down = false
  await page.pass(30_000)
  const third = page.connection()
  page.source().open()
  await page.pass(30_000)

  assert.deepEqual(
    [first, second, third, page.connection()],
    ['reconnecting', 'offline', 'reconnecting', 'live'],
  )
  assert.deepEqual(page.asked, Array(3).fill('/workspace/room'))
  assert.equal(page.due(30_000), 0)
})

test('an ended session is the end: no reload, no stream', async () => {
  const page = browser()
  await page.view.start()
  page.source().open()
  page.server.status = 401

  page.source().fail(2)
  await settled()

  assert.equal(page.connection(), 'ended')
  assert.equal(page.source().readyState, 2)
  assert.equal(page.due(30_000), 0)
})

test('a source that gave up for another reason is replaced once the room answers', async () => {
  const page = browser()
  await page.view.start()
  page.source().open()
  page.server.down = true
  page.source().fail(2)
  await settled()
  page.server.down = false

  await page.pass(30_000)

  assert.equal(page.sources.length, 2)
})

test('a room that went on further than it tells leaves no hole in the events', async () => {
  const page = browser()
  const events = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, n) => ({ event_id: from - n, event_type: 'session.created' }))
  const reloaded = async (latest: number) => {
    const room = { latest_event_id: latest, events: events(latest, latest - 2), proposals: [] }
    page.server.answers['/workspace/room'] = room
    page.source()?.resync()
    await settled()
    return page.ids()
  }
  await page.view.start()

  const ids = [await reloaded(10), await reloaded(12), await reloaded(20)]

  assert.deepEqual(ids, [
    [10, 9, 8],
    [12, 11, 10, 9, 8],
    [20, 19, 18],
  ])
})

test('another room at the address is the end: nothing of it is shown, and its stream is not followed', async () => {
  const room = (workspace_id: string) => ({ status: { workspace_id }, latest_event_id: 10, events: [] })
  for (const happen of ['resync', 'reconnection', 'refusal'] as const) {
    const page = browser()
    page.server.answers['/workspace/room'] = room('ws_a')
    await page.view.start()
    page.source().open()
    const url = page.source().url
    page.server.answers['/workspace/room'] = happen === 'refusal' ? { reason: 'other_room' } : room('ws_b')
    if (happen === 'refusal') page.server.status = 409

    if (happen === 'resync') page.source().resync()
    else page.source().fail(2)
    await settled()
    page.source().open()

    assert.equal(url, '/workspace/observe?since_event_id=10&expects=ws_a')
    assert.equal(page.connection(), 'elsewhere', happen)
    assert.deepEqual(page.told.at(-1)?.state.room?.['status'], { workspace_id: 'ws_a' })
    assert.deepEqual([page.sources.length, page.due(30_000)], [1, 0])
  }
})

test('a stream that opened before the room was read is opened again for the room that is there', async () => {
  const page = browser()
  page.server.down = true
  await page.view.start()
  page.server.down = false
  page.server.answers['/workspace/room'] = {
    status: { workspace_id: 'ws_a' },
    latest_event_id: 10,
    events: [],
  }

  page.source().open()
  await settled()
  const before = page.connection()
  page.source().open()

  assert.deepEqual([before, page.connection()], ['offline', 'live'])
  assert.equal(page.source().url, '/workspace/observe?since_event_id=10&expects=ws_a')
})
