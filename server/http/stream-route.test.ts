import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { manualAfter } from '../fanout/testing/manual-after.ts'
import { openDoor } from './testing/open-door.ts'
import { BROKEN_CURSOR, eventFrame, READER, SESSION } from './testing/sample-plugin.ts'

const bearer = (token: string) => `Authorization: Bearer ${token}\r\n`
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`

/** The body of a chunked answer so far. */
function bodyOf(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, '')
}

/** No reader is given up because a busy machine lets it read nothing for half a minute. */
const PATIENT = { after: manualAfter().after }

/** Lets happen what a timer causes. */
async function fewTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await nextTurn()
}

describe('a plugin’s stream', () => {
  it('sends retry, history after the cursor, then live frames, in the very form the plugin gave', async (t) => {
    const { raw, sample } = await openDoor(t)
    const { until } = raw(get('/feed?since_event_id=1', bearer(SESSION)))
    await until('id: 3')

    for (const inbox of sample.inboxes) inbox.offer(eventFrame(4))
    const text = await until('id: 4')

    assert.equal(
      bodyOf(text).replaceAll('\r\n', ''),
      'retry: 5000\n\nid: 2\ndata: {"event":2}\n\nid: 3\ndata: {"event":3}\n\nid: 4\ndata: {"event":4}\n\n',
    )
  })

  it('takes Last-Event-ID before since_event_id, and answers a bad cursor before the first byte', async (t) => {
    const { raw, ask, sample } = await openDoor(t)
    const { until } = raw(get('/feed?since_event_id=0', `${bearer(SESSION)}Last-Event-ID: 2\r\n`))

    const text = await until('id: 3')
    const bad = await ask('/feed?since_event_id=abc', { headers: { authorization: `Bearer ${SESSION}` } })

    assert.equal(text.includes('id: 2'), false)
    assert.deepEqual([bad.status, bad.json['reason']], [400, 'bad_cursor'])
    assert.equal(sample.inboxes.size, 1)
  })

  it('answers 401 and 403 as problem documents', async (t) => {
    const { ask } = await openDoor(t)

    const none = await ask('/feed')
    const reader = await ask('/feed', { headers: { authorization: `Bearer ${READER}` } })

    assert.deepEqual([none.status, none.headers['content-type']], [401, 'application/problem+json'])
    assert.deepEqual([reader.status, reader.json['reason']], [403, 'permission_denied'])
  })

  it('fails a test that asks for the end of a stream', async (t) => {
    const { ask } = await openDoor(t)

    await assert.rejects(ask('/events'), /answered with a stream/)
  })

  it('ends at the heartbeat that finds its session revoked', async (t) => {
    const clock = manualAfter()
    const { raw, sample } = await openDoor(t, {}, { after: clock.after })
    const { until } = raw(get('/feed', bearer(SESSION)))
    await until('id: 3')
    clock.fire(15_000)
    await fewTurns()
    await until(': hb\n\n')

    sample.revoked.add('all')
    clock.fire(15_000)
    await fewTurns()
    const text = await until('0\r\n\r\n')

    assert.equal(text.match(/: hb/g)?.length, 1)
    assert.equal(sample.inboxes.size, 0)
  })

  it('tells a reader that fell behind once, and goes on', async (t) => {
    const { raw, sample } = await openDoor(t, {}, PATIENT)
    const { socket, until, received } = raw(get('/feed', bearer(SESSION)))
    await until('id: 3')
    socket.pause()
    const big = Buffer.from(`id: 9\ndata: "${'x'.repeat(60_000)}"\n\n`)
    const [inbox] = sample.inboxes
    for (let sent = 0; sent < 400; sent++) {
      inbox?.offer(big)
      if (sent % 20 === 0) await nextTurn()
    }

    socket.resume()
    await until('"lagged"')
    inbox?.offer(eventFrame(1000))
    await until('id: 1000')

    assert.equal(received().match(/event: resync/g)?.length, 1)
  })

  it('refuses one stream more than fit, with the time to come again, and takes one when another ended', async (t) => {
    const { raw, ask } = await openDoor(t, {}, { maxStreams: 2 })
    const first = raw(get('/feed', bearer(SESSION)))
    await first.until('id: 3')
    await raw(get('/events')).until('event-stream')

    const third = await ask('/events')
    first.socket.destroy()
    let text = ''
    do text = await raw(get('/events')).until('\r\n\r\n')
    while (text.startsWith('HTTP/1.1 503 ')) // until the server has heard of it

    assert.match(text, /event-stream/)
    assert.deepEqual([third.status, third.json['reason']], [503, 'too_many_streams'])
    assert.ok(Number(third.headers['retry-after']) > 0)
  })
})

describe('history that cannot be read', () => {
  it('cuts the reader off, and the cause reaches only the log', async (t) => {
    const { raw, logged, sample } = await openDoor(t)
    const { closed, received } = raw(get(`/feed?since_event_id=${BROKEN_CURSOR}`, bearer(SESSION)))

    await closed

    assert.equal(received().includes('secret of the disk'), false)
    assert.ok(logged.some((line) => line.includes('replay of feed') && line.includes('secret of the disk')))
    assert.equal(sample.inboxes.size, 0)
  })
})

describe('GET /events', () => {
  it('sends one resource event per changed resource of the requested topics', async (t) => {
    const { raw, sample } = await openDoor(t)
    const all = raw(get('/events'))
    const one = raw(get('/events?topics=note://a,room://'))
    await Promise.all([all.until('event-stream'), one.until('event-stream')])

    for (const uri of ['note://b', 'note://a', 'note://a', 'note://ab']) sample.host?.resourceChanged(uri)
    await Promise.all([all.until('note://ab'), one.until('note://ab')])

    const frames = (text: string) => bodyOf(text).replaceAll('\r\n', '')
    const event = (uri: string) => `event: resource\ndata: {"uri":"${uri}"}\n\n`
    assert.equal(frames(all.received()), event('note://b') + event('note://a') + event('note://ab'))
    assert.equal(frames(one.received()), event('note://a') + event('note://ab'))
  })

  it('hides resources that the caller may not read or that no plugin declares', async (t) => {
    const { raw, sample } = await openDoor(t)
    const local = raw(get('/events'))
    const reader = raw(get('/events', bearer(READER)))
    await Promise.all([local.until('event-stream'), reader.until('event-stream')])

    for (const uri of ['room://status', 'other://x', 'note://end']) sample.host?.resourceChanged(uri)
    await Promise.all([local.until('note://end'), reader.until('note://end')])

    assert.equal(local.received().includes('room://status'), false)
    assert.ok(reader.received().includes('room://status'))
    for (const { received } of [local, reader]) assert.equal(received().includes('other://x'), false)
  })

  it('ends immediately when its caller loses its rights, and only then', async (t) => {
    const { raw, sample } = await openDoor(t)
    const local = raw(get('/events'))
    const reader = raw(get('/events', bearer(READER)))
    await Promise.all([local.until('event-stream'), reader.until('event-stream')])

    sample.host?.callerEnded('reader')
    sample.host?.resourceChanged('room://status')
    await reader.until('room://status')
    sample.revoked.add('reader')
    sample.host?.callerEnded('reader')
    await reader.until('0\r\n\r\n')
    sample.host?.resourceChanged('note://end')
    await local.until('note://end')

    assert.equal(reader.received().includes('note://end'), false)
  })

  it('tells a reader that fell behind to read again', async (t) => {
    const { raw, sample } = await openDoor(t, {}, PATIENT)
    const { socket, until, received } = raw(get('/events'))
    await until('event-stream')
    socket.pause()
    const long = 'x'.repeat(100_000)

    for (let sent = 0; sent < 300; sent++) {
      sample.host?.resourceChanged(`note://${sent}${long}`)
      if (sent % 10 === 0) await nextTurn()
    }
    await nextTurn()
    socket.resume()
    await until('event: resync\ndata: {"reason":"lagged"}\n\n')
    sample.host?.resourceChanged('note://afterwards')
    await until('note://afterwards')

    assert.equal(received().match(/event: resync/g)?.length, 1)
  })

  it('listens to the hub only while there is a reader', async (t) => {
    const { raw, host } = await openDoor(t)
    assert.equal(host.hub.listenerCount, 0)
    const readers = [raw(get('/events')), raw(get('/events'))]
    await Promise.all(readers.map(({ until }) => until('event-stream')))
    assert.equal(host.hub.listenerCount, 1)

    for (const { socket } of readers) socket.destroy()
    while (host.hub.listenerCount > 0) await pause(5)
  })

  it('refuses topics without measure', async (t) => {
    const { ask } = await openDoor(t)

    const many = await ask(`/events?topics=${Array.from({ length: 33 }, (_, at) => `a${at}`).join(',')}`)
    const long = await ask(`/events?topics=${'x'.repeat(2049)}`)

    assert.deepEqual([many.status, long.status], [400, 400])
  })

  it('refuses two values of a parameter that has one, also beside a header that comes before it', async (t) => {
    const { ask } = await openDoor(t)

    for (const query of [
      'since_event_id=1&since_event_id=2',
      'since_event_id=&since_event_id=2',
      'expects=a&expects=b',
    ]) {
      for (const header of [{}, { 'last-event-id': '1' }, { 'x-satchel-expects': 'a' }]) {
        const headers = { authorization: `Bearer ${SESSION}`, ...header }
        const { status, json } = await ask(`/feed?${query}`, { headers })
        assert.deepEqual([status, json['code'], json['reason']], [400, 'invalid', 'bad_request'], query)
        assert.match(String(json['detail']), /more than once/)
      }
    }
  })

  it('refuses a parameter that it does not read, as a plugin’s stream does', async (t) => {
    const { ask } = await openDoor(t)

    const topic = await ask('/events?topic=note:')
    const since = await ask('/feed?since_event=3', { headers: { authorization: `Bearer ${SESSION}` } })

    assert.deepEqual(
      [topic, since].map(({ status, json }) => [status, json['reason'], json['detail']]),
      [
        [400, 'unknown_argument', 'Unknown argument "topic". Did you mean "topics"?'],
        [400, 'unknown_argument', 'Unknown argument "since_event". Did you mean "since_event_id"?'],
      ],
    )
  })
})
