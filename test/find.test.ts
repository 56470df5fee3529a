import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plugin as find } from '../plugins/finder/index.ts'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { plugin as modules } from '../plugins/modules/index.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { filesBelow } from './harness/files-below.ts'
import { forEachDoor, openHost, temporaryFolder } from './harness/index.ts'
import { listenerOf } from './workspace-server-fixture.ts'

const ENV = { PATH: process.env['PATH'] }
const VPC = '# A network\n\nvariable "cidr" {\n  type = string\n}\n'

interface Group {
  readonly kind: string
  readonly results: readonly {
    readonly text: string
    readonly open: { tool: string; args: Record<string, unknown> }
  }[]
  readonly more: boolean
  readonly partly?: true
  readonly unavailable?: string
}
type Answer = Record<string, unknown>

const groupsOf = (answer: unknown) => (answer as { groups: readonly Group[] }).groups

/** A project with an ingested module, a record and a room, in which an agent has proposed a change. */
async function openProject(t: TestContext, { embedding = true } = {}) {
  const folder = await temporaryFolder(t)
  const root = join(folder, 'project')
  await mkdir(root)
  const file = join(root, 'plan.md')
  await writeFile(file, '# Plan\n\n## Network\n\nThe network comes first.\n')
  const url = await buildRemote(join(folder, 'terraform-aws-network.git'), [
    { files: { 'main.tf': VPC, 'README.md': '# Network\n\nA private network.\n' }, tags: ['v1.0.0'] },
  ])
  const settings = {
    repositories: [{ url, max_tags: 0 }],
    output_dir: join(folder, 'out'),
    clone_dir: join(folder, 'clones'),
    embedding: { enabled: embedding, vectordb_path: join(folder, 'vectors') },
  }
  const server = async (name: string, room: Answer = {}) =>
    openHost(t, {
      plugins: [
        handoff,
        { plugin: modules, settings },
        { plugin: workspacePlugin(realWorld), settings: { file, ...room } },
        find,
      ],
      projectRoot: root,
      env: { ...ENV, SATCHEL_SESSION: name },
      openListener: listenerOf({}),
    })
  const owner = await server('owner', { as: 'owner' })
  const local = { localTransport: 'stdio', client: { name: 'owner', version: '1' } } as const
  await owner.call('ingest_modules', {})
  await owner.call('handoff_create', {
    title: 'Call the network module',
    objective: 'One network for all',
    current_state: 'Nothing is written.',
    failed_attempts: [{ approach: 'Peered the old networks', reason: 'their ranges overlap' }],
  })
  const { version } = await owner.call('workspace_read', {}, local)
  await owner.call(
    'workspace_propose',
    {
      base_version: version,
      summary: 'peer the network',
      target: 'section:Plan/Network',
      content: '## Network\n\nPeered.\n',
    },
    local,
  )
  return { root, file, owner, local, server }
}

test('one search finds a record, a module and places of the room, the same at every door, and each call opens its result', async (t) => {
  const { owner, local } = await openProject(t)

  const answers: unknown[] = []
  await forEachDoor(t, owner, async (door) => {
    const outcome = await door.call('satchel_find', { query: 'network' })
    answers.push(outcome.ok ? outcome.data : outcome.error)
  })
  const [first, ...others] = answers
  const groups = groupsOf(first)

  for (const other of others) assert.deepEqual(other, first)
  assert.equal(others.length, 4)
  assert.deepEqual(
    groups.map(({ kind }) => kind),
    ['record', 'module', 'room'],
  )
  const texts = groups.map(({ results }) => results.map(({ text }) => text).join('\n'))
  assert.match(texts[0] ?? '', /^Call the network module \(draft\)/)
  assert.match(texts[1] ?? '', /terraform-aws-network v1\.0\.0/)
  assert.match(
    texts[2] ?? '',
    /line 5 of Plan\/Network: The network comes first\.[\s\S]*proposal prop_\S+: .*peer the network/,
  )
  for (const { results, kind } of groups) {
    assert.ok(results.length > 0, kind)
    for (const { open } of results) {
      const opened = await owner.call(open.tool, open.args, local)
      assert.match(JSON.stringify(opened), /network/i, `${open.tool} ${JSON.stringify(open.args)}`)
    }
  }
})

test('a search of a room leaves no session, participant or event, whether it is open or not', async (t) => {
  const { owner, local, root, file, server } = await openProject(t)
  const state = async () => [
    await owner.call('workspace_sessions', {}, local),
    await owner.call('workspace_participants', {}, local),
    await owner.call('workspace_events', { since_event_id: 0 }, local),
  ]
  const other = await server('other')
  const before = await state()

  const beside = groupsOf(await other.call('satchel_find', { query: 'first' }, { localTransport: 'stdio' }))
  const typed = groupsOf(
    await other.call('satchel_find', { query: 'first' }, { door: 'cli', localTransport: 'cli' }),
  )
  const after = await state()
  await owner.host.stop()
  const sidecar = join(root, '.plan.md.satchel')
  const stored = filesBelow(sidecar)
  const closed = groupsOf(await other.call('satchel_find', { query: 'first' }))
  const events = groupsOf(await other.call('satchel_find', { query: 'proposal.created' }))

  const room = (groups: readonly Group[]) => groups.find(({ kind }) => kind === 'room')
  assert.equal(room(beside)?.results.length, 1)
  assert.deepEqual(typed, beside)
  assert.deepEqual(after, before)
  assert.deepEqual(room(closed), room(beside))
  assert.match(room(events)?.results[0]?.text ?? '', /^event \d+: proposal\.created/)
  assert.ok(stored.size > 0, file)
  assert.deepEqual(filesBelow(sidecar), stored)
})

test('nothing found, no room and no modules are not errors, and the plugin alone answers', async (t) => {
  const root = await temporaryFolder(t)
  const alone = await openHost(t, { plugins: [find], projectRoot: root, env: ENV })
  const two = await openHost(t, {
    plugins: [handoff, { plugin: modules, settings: { output_dir: join(root, 'out') } }, find],
    projectRoot: root,
    env: ENV,
  })
  const missing = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings: { file: 'missing.md' } }, find],
    projectRoot: root,
    env: ENV,
  })

  const empty = { results: [], more: false }
  assert.deepEqual(groupsOf(await alone.call('satchel_find', { query: 'network' })), [])
  assert.deepEqual(groupsOf(await two.call('satchel_find', { query: 'network' })), [
    { kind: 'record', ...empty },
    { kind: 'module', ...empty },
  ])
  const [room] = groupsOf(await missing.call('satchel_find', { query: 'network' }))
  assert.match(room?.unavailable ?? '', /no room around this file/)
  assert.deepEqual(await readdir(root), [], 'nothing was created')
})

test('without embeddings modules are found by their words, and without their store as well', async (t) => {
  const plain = await openProject(t, { embedding: false })

  const [, module] = groupsOf(await plain.owner.call('satchel_find', { query: 'private network' }))

  const embedded = await openProject(t)
  await rm(join(embedded.root, '../vectors'), { recursive: true })
  const [, lost] = groupsOf(
    await (await embedded.server('next')).call('satchel_find', { query: 'private network' }),
  )

  for (const group of [module, lost]) {
    assert.equal(group?.unavailable, undefined)
    assert.match(group?.results[0]?.text ?? '', /terraform-aws-network/)
  }
})

test('queries and limits out of bounds are refused, and the syntax of other searches is plain text', async (t) => {
  const { owner } = await openProject(t)
  const search = (input: Answer) => owner.call('satchel_find', input)

  for (const query of ['', '   ', '"-*', '\u202e\u0000', '\n'])
    await assert.rejects(search({ query }), { reason: 'query_empty' })
  for (const query of ['network\0', '\ud800 network', 'network \udc00'])
    await assert.rejects(search({ query }), { code: 'invalid', reason: 'options_invalid' })
  for (const input of [{ query: 'x'.repeat(501) }, { query: 'a', limit: 0 }, { query: 'a', limit: 21 }, {}])
    await assert.rejects(search(input), { reason: 'invalid_arguments' })
  const odd = await search({ query: 'network\u0007 -overlap: "ranges*' })
  const [record] = groupsOf(odd)
  assert.equal(odd['query'], 'network -overlap: "ranges*')
  assert.match(record?.results[0]?.text ?? '', /Call the network module/)
  const [long] = groupsOf(await search({ query: 'network '.repeat(60), limit: 1 }))
  assert.equal(long?.results.length, 1)
})

test('a guest of the room and a token of one plugin see no more than before', async (t) => {
  const { owner } = await openProject(t)
  const guest = { id: 'session:ssn_x', kind: 'session', plugin: 'workspace', capabilities: ['read'] } as const
  const token = {
    id: 'operator',
    kind: 'operator',
    capabilities: [],
    scopes: ['finder:read', 'modules:read'],
  } as const

  await assert.rejects(owner.call('satchel_find', { query: 'network' }, { principal: guest }), {
    reason: 'permission_denied',
  })
  const groups = groupsOf(
    await owner.call('satchel_find', { query: 'network' }, { principal: token, door: 'http' }),
  )
  assert.deepEqual(
    groups.map(({ kind, results }) => [kind, results.length > 0]),
    [
      ['record', false],
      ['module', true],
      ['room', false],
    ],
  )
})
