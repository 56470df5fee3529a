import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { sha256 } from '../plugins/workspace/domain/fingerprint.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { openTestRoom } from '../plugins/workspace/testing/test-room.ts'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'
import { openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

async function project(t: TestContext, text = '# Plan\n\n## Goals\none\n') {
  const cwd = await temporaryFolder(t)
  const file = join(cwd, 'plan.md')
  await writeFile(file, text)
  const env = { HOME: cwd }
  const start = (...argv: string[]) => startCli(['workspace', ...argv], { cwd, env })
  const satchel = async (...argv: string[]) => {
    const { code, out, err } = await start(...argv, '--json').done
    return { code, out, err, json: out.startsWith('{') ? JSON.parse(out) : undefined }
  }
  const open = async (...argv: string[]) => {
    const running = start('open', file, '--owner-port', '0', '--ingress-port', '0', '--json', ...argv)
    t.after(async () => {
      running.send('SIGTERM')
      await running.done
    })
    const [line] = await running.heard('out', /^\{.*\}\n/)
    return { running, printed: JSON.parse(line) as Record<string, string> }
  }
  return { cwd, file, start, satchel, open, room: ['--room', file] as const }
}

/** Every file of a folder with its content and time: what must not change. */
async function filesOf(folder: string): Promise<readonly [string, string, number][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    files
      .sort()
      .map(
        async (path) =>
          [path, await readFile(path, 'hex'), (await stat(path)).mtimeMs] as [string, string, number],
      ),
  )
}

test('the story of a room, from the command line alone', async (t) => {
  const { satchel, open, room, file } = await project(t)
  const { running } = await open()

  const proposed = await satchel(
    'call',
    'propose',
    JSON.stringify({ base_version: 1, summary: 's', content: '# New\n' }),
    ...room,
  )
  const id = JSON.stringify({ proposal_id: proposed.json.proposal_id })
  await satchel(
    'call',
    'review',
    JSON.stringify({ proposal_id: proposed.json.proposal_id, approve: true }),
    ...room,
  )
  const committed = await satchel('call', 'workspace_commit', id, ...room)
  const conflict = await satchel(
    'call',
    'propose',
    JSON.stringify({ base_version: 1, summary: 's', content: 'x' }),
    ...room,
  )
  const status = await satchel('status', ...room)
  const events = await satchel('events', '--since', '2', ...room)
  running.send('SIGTERM')
  const ended = await running.done

  assert.equal(committed.json.version, 2)
  assert.equal(await readFile(file, 'utf8'), '# New\n')
  assert.deepEqual([conflict.code, conflict.json.error.reason], [5, 'stale_version'])
  assert.equal(status.json.version, 2)
  assert.equal(events.json.events[0].event_id, 3)
  assert.ok(
    events.json.events.some((event: { event_type: string }) => event.event_type === 'proposal.committed'),
  )
  assert.equal(ended.code, 0)
})

test('looking writes nothing: no session, participant or event', async (t) => {
  const { satchel, open, room } = await project(t)
  await open()
  const looks = [
    ['status'],
    ['events'],
    ...['read', 'outline', 'history', 'proposals', 'sessions', 'participants'].map((tool) => ['call', tool]),
    ['call', 'wait', '{"since_event_id":0}'],
    ['call', 'search', '{"query":"plan"}'],
    ['wait', '--since', '0'],
    ['call', 'read', '{"section":null}'],
  ]
  const before = await satchel('events', ...room)

  for (const argv of looks) assert.equal((await satchel(...argv, ...room)).code, 0, argv.join(' '))
  const timedOut = await satchel(
    'wait',
    '--since',
    String(before.json.latest_event_id),
    '--timeout',
    '0',
    ...room,
  )
  const after = await satchel('events', ...room)

  assert.deepEqual([timedOut.code, timedOut.json.happened], [3, false])
  assert.deepEqual(after.json, before.json)
})

test('without a running room the looking verbs work and change no byte; the others say so', async (t) => {
  const { satchel, open, room, cwd } = await project(t)
  const { running } = await open()
  await satchel('call', 'propose', JSON.stringify({ base_version: 1, summary: 's', content: 'x' }), ...room)
  running.send('SIGTERM')
  await running.done
  const before = await filesOf(cwd)

  const status = await satchel('status', ...room)
  const events = await satchel('events', ...room)
  const doctor = await satchel('doctor', ...room)
  const exported = await satchel('export', join(await temporaryFolder(t), 'out'), ...room)
  const after = await filesOf(cwd)
  const others = await Promise.all([
    satchel('invite', ...room),
    satchel('owner-link', ...room),
    satchel('observe', ...room),
    satchel('call', 'status', ...room),
    satchel('revoke', 'inv_0', ...room),
  ])

  assert.deepEqual([status.code, events.code, doctor.code, exported.code], [0, 0, 0, 0])
  assert.deepEqual([status.json.lifecycle, status.json.counts.pending_proposals], ['STOPPED', 1])
  assert.equal(events.json.events.at(-1).event_type, 'workspace.stopped')
  assert.deepEqual(after, before)
  for (const { code, json } of others) {
    assert.deepEqual([code, json.error.reason], [7, 'room_not_running'])
    assert.match(json.error.message, /Open it: satchel workspace open \/.*\/plan\.md\.$/)
  }
})

test('the status of a room that is closed counts no lease whose time is over', async (t) => {
  const room = await openTestRoom(t, { now: { micros: Date.UTC(2020, 0, 1) * 1000 } })
  await room.do(await room.join('ada'), 'checkout', { target: 'workspace' })
  await room.close()
  const cwd = await temporaryFolder(t)

  const { out } = await startCli(['workspace', 'status', '--json', '--room', room.file], { cwd }).done

  assert.equal(JSON.parse(out).counts.active_leases, 0)
})

test('a person reads what --json says in one line', async (t) => {
  const { start, satchel, open, room } = await project(t)
  await open()
  const proposal = { base_version: 1, summary: 'Say why', content: '# New\n' }
  const proposed = await satchel('call', 'propose', JSON.stringify(proposal), ...room)

  const status = await satchel('status', ...room)
  const person = await Promise.all(
    [['status'], ['events'], ['call', 'read'], ['call', 'proposals']].map(
      async (argv) => (await start(...argv, ...room).done).out,
    ),
  )

  for (const { out, json } of [status, proposed]) assert.equal(out, `${JSON.stringify(json)}\n`)
  const [state = '', events = '', document = '', proposals = ''] = person
  assert.match(state, /^Room plan at version 1, active\.\n/)
  assert.match(state, /\ncounts: pending_proposals: 1, active_leases: 0, participants: \d\n/)
  assert.match(events, /^\d+ events\.\n/)
  assert.match(events, /\n {2}id +time +event +version +what\n/)
  assert.match(events, /proposal\.created +Say why\n/)
  assert.match(document, /^workspace at version 1\.\n[\s\S]*\n# Plan\n\n## Goals\none\n$/)
  assert.match(proposals, /^1 proposal\.\n[\s\S]*summary: Say why\n/)
})

test('a file without a room, an unknown folder and an unknown tool are named', async (t) => {
  const { satchel, room, open, cwd } = await project(t)

  const unnamed = await satchel('invite')
  const none = await satchel('status', ...room)
  const nowhere = await satchel('status', '--room', join(cwd, 'no', 'plan.md'))
  await open()
  const tool = await satchel('call', 'proposs', ...room)
  const input = await satchel('call', 'status', '[]', ...room)

  assert.deepEqual([unnamed.code, unnamed.json.error.reason], [7, 'room_not_running'])
  assert.match(unnamed.json.error.message, /--room FILE/)
  assert.deepEqual([none.code, none.json.error.reason], [4, 'room_not_found'])
  assert.deepEqual([nowhere.code, nowhere.json.error.reason], [4, 'room_not_found'])
  assert.deepEqual([tool.code, tool.json.error.reason], [4, 'unknown_tool'])
  assert.match(tool.json.error.message, /workspace_propose/)
  assert.equal(input.code, 3)
})

test('an invitation is made, joined, used and left', async (t) => {
  const { satchel, open, room, cwd } = await project(t)
  await open()

  const invited = await satchel('invite', '--minutes', '5', '--capabilities', 'read,observe', ...room)
  const joined = await satchel('join', invited.json.uri, '--name', 'ada', '--kind', 'human')
  const saved = join(cwd, '.config', 'satchel', 'sessions', `${joined.json.workspace_id}.json`)
  const mode = (await stat(saved)).mode & 0o777
  const status = await satchel('call', 'status')
  const left = await satchel('leave')
  const after = await satchel('call', 'status')

  assert.deepEqual(joined.json.capabilities, ['read', 'observe'])
  assert.equal(mode, 0o600)
  assert.ok(!joined.out.includes('ses_'))
  assert.equal(status.json.you.name, 'ada')
  assert.ok(!('path' in status.json))
  assert.equal(left.code, 0)
  assert.deepEqual([after.code, after.json.error.reason], [7, 'room_not_running'])
})

test('a session of the command line that ran out is renewed as the same participant; one that was ended is forgotten by leave', async (t) => {
  let passed = 0
  const server = await openRoomServer(t, { nowMicros: () => realWorld.nowMicros() + passed })
  const { satchel } = await project(t)
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const joined = await satchel('join', String(invited.json['uri']), '--name', 'ada')
  passed = 9 * 60 * 60_000_000

  const status = await satchel('call', 'status')
  const { token } = await server.join('admin', ['*'])
  await server.ask(server.ingress, 'POST', '/workspace/leave', {
    token,
    body: { participant_id: joined.json.participant_id },
  })
  const left = await satchel('leave')
  const after = await satchel('call', 'status')

  assert.deepEqual([status.code, status.json.you?.participant_id], [0, joined.json.participant_id])
  assert.deepEqual([left.code, left.json.error.reason], [6, 'session_expired'])
  assert.deepEqual([after.code, after.json.error.reason], [7, 'room_not_running'])
})

test('verbs that run together renew a session that ran out, and all are answered', async (t) => {
  let passed = 0
  const server = await openRoomServer(t, { nowMicros: () => realWorld.nowMicros() + passed })
  const { satchel } = await project(t)
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const joined = await satchel('join', String(invited.json['uri']), '--name', 'ada')
  passed = 9 * 60 * 60_000_000

  const looks = await Promise.all(Array.from({ length: 4 }, () => satchel('call', 'status')))

  for (const { code, json } of looks)
    assert.deepEqual([code, json.you?.participant_id], [0, joined.json.participant_id])
})

test('events that are no longer kept are said to be missing, however many pages follow', async (t) => {
  const { cwd, satchel, open, room } = await project(t)
  const filled = await openTestRoom(t, { folder: cwd })
  await filled.room.changeAsSystem(({ emit }) => {
    for (let n = 0; n < LIMITS.eventsKept; n += 1) emit({ type: 'workspace.started', payload: {} })
  })
  await filled.close()

  const closed = await satchel('events', '--since', '1', ...room)
  await open()
  const running = await satchel('events', '--since', '1', ...room)

  assert.deepEqual([closed.json.gap, running.json.gap], [true, true])
  assert.equal(running.json.events.length, LIMITS.eventsKept)
})

test('a revoked invitation is refused, and a revoked session ends', async (t) => {
  const { satchel, open, room } = await project(t)
  await open()
  const first = await satchel('invite', ...room)
  const second = await satchel('invite', ...room)
  const joined = await satchel('join', second.json.uri)

  await satchel('revoke', first.json.invite_id, ...room)
  await satchel('revoke', joined.json.session_id, ...room)
  const refused = await satchel('join', first.json.uri)
  const ended = await satchel('call', 'status')

  assert.deepEqual([refused.code, refused.json.error.reason], [6, 'invitation_revoked'])
  assert.deepEqual([ended.code, ended.json.error.reason], [6, 'session_expired'])
})

test('observe prints an envelope a line as things happen, and ends with the signal', async (t) => {
  const { start, satchel, open, room, file } = await project(t)
  await open()
  const observing = start('observe', '--json', ...room)
  await observing.heard('out', /workspace\.created/)

  await writeFile(file, 'by hand\n')
  const [line] = await observing.heard('out', /\{[^\n]*change\.committed[^\n]*\}/)
  observing.send('SIGTERM')
  const ended = await observing.done
  const events = await satchel('events', ...room)

  assert.equal(JSON.parse(line).payload.status, 'external')
  for (const each of ended.out.trimEnd().split('\n')) assert.equal(JSON.parse(each).schema_version, 1)
  assert.equal(events.json.events.at(-1).event_type, 'change.committed')
})

test('a second opening exits 5 and names where the room is open', async (t) => {
  const { satchel, open, file } = await project(t)
  const { printed } = await open()

  const second = await satchel('open', file, '--owner-port', '0', '--ingress-port', '0')

  assert.deepEqual([second.code, second.json.error.reason], [5, 'room_locked'])
  assert.ok(second.json.error.message.includes(printed['owner']))
})

test('open makes a missing file when asked, and removes the sidecar at the end of an ephemeral room', async (t) => {
  const { start, satchel, cwd } = await project(t)
  const file = join(cwd, 'fresh.md')
  const missing = await satchel('open', file, '--owner-port', '0', '--ingress-port', '0')
  const running = start(
    'open',
    file,
    '--create',
    '--ephemeral',
    '--owner-port',
    '0',
    '--ingress-port',
    '0',
    '--json',
  )
  await running.heard('out', /\}\n/)
  running.send('SIGTERM')
  const { code } = await running.done

  assert.deepEqual([missing.code, missing.json.error.code], [4, 'not_found'])
  assert.equal(code, 0)
  assert.equal(await readFile(file, 'utf8'), '# fresh\n')
  assert.ok(!(await readdir(cwd)).includes('.fresh.md.satchel'))
})

test('export writes the document, the status and every event, running or not', async (t) => {
  const { satchel, open, room, cwd } = await project(t)
  const { running } = await open()
  const live = await satchel('export', join(cwd, 'live'), ...room)
  running.send('SIGTERM')
  await running.done
  const still = await satchel('export', join(cwd, 'still'), ...room)

  assert.deepEqual([live.code, still.code], [0, 0])
  for (const folder of ['live', 'still']) {
    assert.equal(await readFile(join(cwd, folder, 'document.md'), 'utf8'), '# Plan\n\n## Goals\none\n')
    const lines = (await readFile(join(cwd, folder, 'events.jsonl'), 'utf8')).trimEnd().split('\n')
    assert.equal(JSON.parse(lines[0] ?? '').event_type, 'workspace.created')
  }
})

test('an export is of one moment, also where the document changes between its requests', async (t) => {
  const server = await openRoomServer(t)
  const { satchel, cwd } = await project(t)
  const invited = await server.ask(server.socket, 'POST', '/local/invite', {
    body: { capabilities: ['read', 'observe'] },
  })
  const joined = await satchel('join', String(invited.json['uri']))
  const { token } = await server.join('admin', ['*'])
  let version = 1
  const land = async () => {
    const body = { base_version: version, summary: 's', content: `# Version ${version + 1}\n` }
    const { json } = await server.ask(server.ingress, 'POST', '/workspace/propose', { token, body })
    const proposal_id = json['proposal_id']
    for (const [path, more] of [['proposal/review', { approve: true }] as const, ['commit', {}] as const])
      await server.ask(server.ingress, 'POST', `/workspace/${path}`, {
        token,
        body: { proposal_id, ...more },
      })
    version += 1
  }
  const between = await answeringBetween(t, server, land)
  await renamed(join(cwd, '.config', 'satchel', 'sessions', `${joined.json.workspace_id}.json`), between)

  const { code, err } = await satchel('export', join(cwd, 'story'))

  assert.equal(code, 0, err)
  const [document, status, events] = await Promise.all(
    ['document.md', 'status.json', 'events.jsonl'].map((name) => readFile(join(cwd, 'story', name), 'utf8')),
  )
  const kept = JSON.parse(status ?? '')
  const told = (events ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.equal(sha256(document ?? ''), kept.content_hash)
  assert.equal(told.filter(({ event_type }) => event_type === 'proposal.committed').length, kept.version - 1)
  assert.ok(version > kept.version)
})

/** The address of a server that passes requests on to the room, and runs `work` after each of its answers. */
async function answeringBetween(t: TestContext, server: RoomServer, work: () => Promise<void>) {
  const passing = createServer(async (request, response) => {
    const { authorization = '' } = request.headers
    const { status, text } = await server.ask(server.ingress, 'GET', request.url ?? '', {
      headers: { authorization },
    })
    await work()
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  await once(passing.listen(0, '127.0.0.1'), 'listening')
  t.after(() => passing.close())
  return `http://127.0.0.1:${(passing.address() as AddressInfo).port}`
}

/** Lets a stored session go to another address. */
async function renamed(file: string, url: string): Promise<void> {
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), url }))
}

test('export replaces an earlier one of the same room, and no other file', async (t) => {
  const { satchel, open, room, cwd } = await project(t)
  await open()
  const mine = join(cwd, 'mine')
  await mkdir(mine)
  await writeFile(join(mine, 'document.md'), 'Mine.\n')

  const first = await satchel('export', join(cwd, 'story'), ...room)
  const again = await satchel('export', join(cwd, 'story'), ...room)
  const foreign = await satchel('export', mine, ...room)
  const onFile = await satchel('export', join(mine, 'document.md'), ...room)

  assert.deepEqual([first.code, again.code], [0, 0])
  assert.deepEqual([foreign.code, foreign.json.error.reason], [5, 'file_exists'])
  assert.deepEqual([onFile.code, onFile.json.error.reason], [3, 'file_not_created'])
  assert.deepEqual(await readdir(mine), ['document.md'])
  assert.equal(await readFile(join(mine, 'document.md'), 'utf8'), 'Mine.\n')
})
