import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { newReplica, type Place, type Replica } from './replicas.ts'
import { runSatchel } from './satchel-process.ts'

const SETTINGS = 'workspace: { file: plan.md, database: shop }\n'

/** A machine of the team: its server, its copy of the document, and the command line there. */
async function newMachine(t: TestContext, server: PostgresServer, name: string, place?: Place) {
  const replica = await newReplica(t, name, server.url, SETTINGS, place)
  const file = join(replica.project, 'plan.md')
  writeFileSync(file, '# Plan\n')
  const env = { SATCHEL_STORAGE_URL: server.url }
  const run = async (...words: readonly string[]) => {
    const { code, out, err } = await runSatchel(replica.project, [...words, '--json'], env)
    assert.ok(!`${out}${err}`.includes('not-told'), 'the password was told')
    return { code, data: out === '' ? undefined : JSON.parse(out), told: `${out}${err}` }
  }
  const call = async (tool: string, input: object) =>
    (await run('workspace', 'call', tool, JSON.stringify(input), '--room', 'plan.md')).data
  return { ...replica, file, run, call }
}

type Machine = Awaited<ReturnType<typeof newMachine>>

async function commit({ call }: Machine, base_version: number, content: string): Promise<void> {
  const { proposal_id } = await call('propose', { base_version, summary: 'a change', content })
  await call('review', { proposal_id, approve: true })
  await call('commit', { proposal_id })
}

async function eventsOf({ run }: Machine, since: number) {
  const { data } = await run('workspace', 'events', '--room', 'plan.md', '--since', String(since))
  return data as { events: { event_id: number; event_type: string }[]; latest_event_id: number; gap: boolean }
}

/** Asks until this machine owns the room. */
async function owns(machine: Machine): Promise<void> {
  for (;;) {
    const { data } = await machine.run('workspace', 'status', '--room', 'plan.md')
    if (data?.lifecycle === 'ACTIVE') return
    await ask(machine)
  }
}

/** Any call at the room of a server makes it attach. */
async function ask({ address }: Replica): Promise<number> {
  const response = await fetch(`${address}/workspace/status`, {
    headers: { authorization: 'Bearer ses_of_another_room' },
  })
  await response.arrayBuffer()
  return response.status
}

test('a room in the database goes on at another machine when its owner is killed', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const [one, two] = [await newMachine(t, server, 'one'), await newMachine(t, server, 'two')]
  assert.equal((await one.run('storage', 'migrate')).code, 0)
  await one.start()
  await owns(one)
  await commit(one, 1, '# Plan\n\nours\n')
  const before = await eventsOf(one, 0)

  await one.kill()
  await two.start()
  await owns(two)
  const text = readFileSync(two.file, 'utf8')
  const after = await eventsOf(two, before.latest_event_id)
  const all = await eventsOf(two, 0)
  await commit(two, 2, '# Plan\n\nours\n\nand theirs\n')

  assert.equal(text, '# Plan\n\nours\n')
  assert.equal(after.gap, false)
  assert.equal(after.events[0]?.event_id, before.latest_event_id + 1)
  assert.deepEqual(all.events.slice(0, before.events.length), before.events)
  assert.equal(existsSync(join(two.project, '.plan.md.satchel/room.db')), false)
  // The other machine comes back: its copy is older, and is not taken for an edit.
  assert.equal(await two.stop(), 0, two.log())
  await one.start()
  await owns(one)
  assert.equal(readFileSync(one.file, 'utf8'), '# Plan\n\nours\n\nand theirs\n')
  const status = (await one.run('workspace', 'status', '--room', 'plan.md')).data
  assert.equal(status.version, 3)
})

/** The first machine opens the room and stops; the second one has it then. */
async function passRoom(first: Machine, second: Machine): Promise<void> {
  await second.run('storage', 'migrate')
  await first.start()
  await owns(first)
  assert.equal(await first.stop(), 0, first.log())
  await second.start()
  await owns(second)
}

/** One machine has version 1 in its file, another one commits two versions and is killed. */
async function overtaken(t: TestContext, server: PostgresServer) {
  const [one, two] = [await newMachine(t, server, 'one'), await newMachine(t, server, 'two')]
  for (const { file } of [one, two]) writeFileSync(file, '# Plan\n\nfirst\n\nlast\n')
  await passRoom(two, one)
  await commit(one, 1, '# Plan\n\nfirst, by two\n\nlast\n')
  await commit(one, 2, '# Plan\n\nfirst, by three\n\nlast\n')
  await one.kill()
  assert.equal(readFileSync(two.file, 'utf8'), '# Plan\n\nfirst\n\nlast\n')
  return two
}

test('an edit of an older copy is merged into what was committed meanwhile', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const two = await overtaken(t, server)
  writeFileSync(two.file, '# Plan\n\nfirst\n\nlast\nby hand\n')

  await two.start()
  await owns(two)
  const read = await two.call('read', {})

  assert.deepEqual([read.version, read.content], [4, '# Plan\n\nfirst, by three\n\nlast\nby hand\n'])
  assert.equal(readFileSync(two.file, 'utf8'), read.content)
  assert.match(two.log(), /edited while another machine had its room/)
})

test('an edit of an older copy that does not fit is left as a proposal, and the room keeps its text', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const two = await overtaken(t, server)
  const edit = '# Plan\n\nfirst, by hand\n\nlast\n'
  writeFileSync(two.file, edit)

  await two.start()
  await owns(two)
  const read = await two.call('read', {})
  const { proposals } = await two.call('proposals', { status: 'pending' })
  const proposal = await two.call('proposal', { proposal_id: proposals[0].proposal_id })

  assert.deepEqual([read.version, read.content], [3, '# Plan\n\nfirst, by three\n\nlast\n'])
  assert.equal(readFileSync(two.file, 'utf8'), read.content)
  assert.deepEqual([proposals.length, proposals[0].base_version, proposal.content], [1, 1, edit])
})

test('a room in the database is told from one in files, and needs its database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const one = await newMachine(t, server, 'one')
  await one.run('storage', 'migrate')
  await one.start()
  await owns(one)
  assert.equal(await one.stop(), 0, one.log())

  const closed = await one.run('workspace', 'status', '--room', 'plan.md')
  const found = await one.run('workspace', 'doctor', '--room', 'plan.md')
  const project = await runSatchel(one.project, [
    'workspace',
    'open',
    'plan.md',
    '--owner-port',
    '0',
    '--ingress-port',
    '0',
  ])
  const flags = ['workspace', 'open', 'plan.md', '--ephemeral', '--owner-port', '0', '--ingress-port', '0']
  const ephemeral = await one.run(...flags)

  assert.match(closed.told, /room_in_database/)
  assert.match(JSON.stringify(found.data), /kept in the database as shop:plan.md/)
  assert.equal(project.code, 5)
  assert.match(project.err + project.out, /kept in the database as shop:plan\.md/)
  assert.equal(ephemeral.code, 3)
  assert.match(ephemeral.told, /--ephemeral is for rooms in files only/)
})

test('verbs at a machine that does not own the room say where it is open', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const one = await newMachine(t, server, 'one', { host: '127.0.0.2' })
  const [two, three] = [await newMachine(t, server, 'two'), await newMachine(t, server, 'three')]
  await passRoom(two, one)

  const open = 'workspace open plan.md --owner-port 0 --ingress-port 0'
  const verbs = ['status', 'events', 'invite', 'call status'].map(
    (verb) => `workspace ${verb} --room plan.md`,
  )
  // One machine had the room before, and the other one never had it.
  for (const machine of [two, three]) {
    for (const words of [...verbs, open]) {
      const { code, told } = await machine.run(...words.split(' '))
      assert.equal(code, 5, `${words}: ${told}`)
      assert.match(told, /room_locked/)
      assert.ok(told.includes(`shop:plan.md of the database is open at ${hostname()}, ${one.address}`), told)
    }
  }
  const found = await two.run('workspace', 'doctor', '--room', 'plan.md')
  assert.equal(found.code, 0)
  assert.ok(found.told.includes(`is open at ${hostname()}, ${one.address}`), found.told)
})
