import assert from 'node:assert/strict'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { validate } from '../generated/handoff-validate.js'
import { plugin as handoff } from '../plugins/handoff/index.ts'
import { plugin as modules } from '../plugins/modules/index.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { forEachDoor, openHost, temporaryFolder } from './harness/index.ts'
import { listenerOf } from './workspace-server-fixture.ts'

const ENV = { PATH: process.env['PATH'] }
const VPC = (input: string) =>
  `variable "${input}" {\n  type = string\n}\noutput "id" {\n  value = var.${input}\n}\n`
type Answer = Record<string, unknown>

/** A project with a room, an ingested module at v5.0.0 and v6.0.0, an owner and an agent, each in a server of its own. */
async function openStory(
  t: TestContext,
  plugins: readonly ('handoff' | 'modules')[] = ['handoff', 'modules'],
) {
  const folder = await temporaryFolder(t)
  const root = join(folder, 'project')
  await mkdir(root)
  const file = join(root, 'plan.md')
  await writeFile(file, '# Plan\n\n## Network\n\nWrite the call.\n')
  const remote = join(folder, 'terraform-aws-vpc.git')
  const url = await buildRemote(remote, [
    { files: { 'main.tf': VPC('cidr') }, tags: ['v5.0.0'] },
    { files: { 'main.tf': VPC('cidr_block') }, tags: ['v6.0.0'] },
  ])
  const settings = {
    repositories: [{ url, max_tags: 0 }],
    output_dir: join(folder, 'out'),
    clone_dir: join(folder, 'clones'),
  }
  const stops: (() => Promise<unknown>)[] = []
  const server = async (name: string, room: Record<string, unknown>) => {
    const opened = await openHost(t, {
      plugins: [
        ...(plugins.includes('handoff') ? [handoff] : []),
        ...(plugins.includes('modules') ? [{ plugin: modules, settings }] : []),
        { plugin: workspacePlugin(realWorld), settings: { file, ...room } },
      ],
      projectRoot: root,
      env: { ...ENV, SATCHEL_SESSION: name },
      openListener: listenerOf({}),
    })
    stops.unshift(() => opened.host.stop())
    const client = { name, version: '1' }
    return (tool: string, input: Answer = {}) => opened.call(tool, input, { localTransport: 'stdio', client })
  }
  const owner = await server('owner', { as: 'owner' })
  if (plugins.includes('modules')) await owner('ingest_modules')
  const release = async (input: string, tag: string) => {
    await buildRemote(remote, [{ continues: true, files: { 'main.tf': VPC(input) }, tags: [tag] }])
    await owner('ingest_modules')
  }
  const stop = async () => {
    for (const one of stops) await one()
  }
  const content = (input: string) =>
    `## Network\n\n\`\`\`hcl\nmodule "vpc" {\n  source = "git::${url}?ref=v6.0.0"\n  ${input} = "10.0.0.0/16"\n}\n\`\`\`\n`
  return { owner, agent: await server('agent', {}), server, release, content, root, stop }
}
type Story = Awaited<ReturnType<typeof openStory>>

/** A released record whose claim rests on v6.0.0 of the module. */
async function releasedRecord({ owner }: Story): Promise<string> {
  const usage = await owner('module_usage', { repository: 'terraform-aws-vpc' })
  const created = await owner('handoff_create', {
    title: 'Upgrade the network',
    objective: 'Call version 6 of the network module',
    current_state: 'The differences are known.',
    scope: ['infra/**'],
    evidence: [{ type: 'observation', module: usage['id'] }],
    open_items: [
      { priority: 'high', description: 'Write the call', suggested_action: 'Propose it in the room' },
    ],
  })
  const id = String(created['id'])
  await owner('handoff_transition', { id, to: 'validated' })
  await owner('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  return id
}

const TASK = { title: 'Write the call', objective: 'A call of version 6 that fits.' }

async function proposed({ agent, content }: Story, input: string): Promise<unknown> {
  const { version } = await agent('workspace_read')
  const proposal = {
    base_version: version,
    summary: `with ${input}`,
    target: 'section:Plan/Network',
    content: content(input),
  }
  return (await agent('workspace_propose', proposal))['proposal_id']
}

test('a result is approved only once what its handoff requires holds, and leaves a record', async (t) => {
  const story = await openStory(t)
  const { owner, agent, server, release } = story
  const record_id = await releasedRecord(story)
  const made = await owner('workspace_handoff_create', {
    ...TASK,
    record_id,
    requires: ['module_check', 'fresh'],
  })
  const { handoff_id } = made

  const accepted = await agent('workspace_handoff_accept', { handoff_id })
  const wrong = await agent('workspace_handoff_result', {
    handoff_id,
    summary: 'a call with cidr',
    proposal_id: await proposed(story, 'cidr'),
  })
  const seen = await owner('workspace_handoff_get', { handoff_id })
  await assert.rejects(owner('workspace_handoff_review', { handoff_id, approve: true }), (error: Error) => {
    assert.equal((error as Error & { reason: string }).reason, 'requirements_unmet')
    assert.match(error.message, /module_check: the text: 2 findings \(line 4: .*cidr_block/)
    return true
  })
  const proposal_id = await proposed(story, 'cidr_block')
  const right = await agent('workspace_handoff_result', {
    handoff_id,
    summary: 'a call with cidr_block',
    proposal_id,
  })
  await owner('workspace_review', { proposal_id, approve: true })
  const approved = await owner('workspace_handoff_review', { handoff_id, approve: true, commit: true })
  const again = await owner('workspace_handoff_review', { handoff_id, approve: true })

  const next = await server('next', {})
  const left = String(approved['left_record'])
  const { record } = (await next('handoff_get', { id: left })) as { record: { lineage: Answer } }
  const resumed = (await next('handoff_resume', { id: left })) as {
    freshness: { gate: string }
    brief: string
  }
  await release('name', 'v7.0.0')
  const later = (await next('handoff_resume', { id: left })) as { freshness: { gate: string }; brief: string }

  const handed = accepted['resumed'] as Answer
  assert.deepEqual([handed['id'], handed['gate']], [record_id, 'go'])
  assert.match(String(handed['brief']), /Upgrade the network/)
  const verdictsOf = ({ checks }: Answer) => (checks as { verdict: string }[]).map(({ verdict }) => verdict)
  assert.deepEqual([wrong, seen, right].map(verdictsOf), [
    ['contradicted', 'holds'],
    ['contradicted', 'holds'],
    ['holds', 'holds'],
  ])
  assert.equal(again['left_record'], left, 'a repeated review leaves no second record')
  const { relation, parents, room } = record.lineage
  assert.deepEqual([relation, parents], ['fork', [record_id]])
  const { file, decision, version, event_ids } = room as Answer
  assert.deepEqual([file, decision, version], ['plan.md', 'approved', 2])
  assert.equal((event_ids as number[]).length, 5)
  assert.ok(validate(record))
  assert.equal(resumed.freshness.gate, 'go')
  assert.equal(later.freshness.gate, 'care')
  assert.match(later.brief, /v7\.0\.0 is out: 2 breaking changes/)
})

test('rejected work is warned of when another session plans it', async (t) => {
  const story = await openStory(t)
  const { owner, agent, server } = story
  const record_id = await releasedRecord(story)
  const made = await owner('workspace_handoff_create', { ...TASK, record_id })
  const { handoff_id } = made
  await agent('workspace_handoff_accept', { handoff_id })
  await agent('workspace_handoff_result', {
    handoff_id,
    summary: 'Pinned the network module to the main branch',
    proposal_id: await proposed(story, 'cidr_block'),
  })

  const rejected = await owner('workspace_handoff_review', {
    handoff_id,
    approve: false,
    reason: 'a branch moves: pin a tag',
  })
  const next = await server('next', {})
  const plan = { plan: 'Pin the network module to the main branch' }
  const warned = await next('handoff_check_plan', plan)
  const ofParent = await next('handoff_check_plan', { ...plan, id: record_id })
  const clear = await next('handoff_check_plan', { plan: 'Write documentation of the release' })
  const atDoors: Answer[] = []
  const later = await openHost(t, { plugins: [handoff], projectRoot: story.root, env: ENV })
  await forEachDoor(t, later, async (door) => {
    const outcome = await door.call('handoff_check_plan', plan)
    atDoors.push(outcome.ok ? outcome.data : { ...outcome.error })
  })

  assert.ok(rejected['left_record'])
  assert.equal(atDoors.length, 5)
  for (const { verdict, matches } of [warned, ofParent, ...atDoors]) {
    assert.notEqual(verdict, 'clear')
    assert.match(JSON.stringify(matches), /a branch moves: pin a tag/)
  }
  assert.equal(clear['verdict'], 'clear')
})

test('the claims of the record are checked again when the result is approved', async (t) => {
  const story = await openStory(t)
  const { owner, agent, release } = story
  const record_id = await releasedRecord(story)
  const { handoff_id } = await owner('workspace_handoff_create', { ...TASK, record_id, requires: ['fresh'] })
  await agent('workspace_handoff_accept', { handoff_id })
  await agent('workspace_handoff_result', { handoff_id, summary: 'done', result: 'no proposal' })

  await release('name', 'v7.0.0')

  await assert.rejects(owner('workspace_handoff_review', { handoff_id, approve: true }), {
    reason: 'requirements_unmet',
    message: /fresh: E-001: v7\.0\.0 is out/,
  })
  const rejected = await owner('workspace_handoff_review', { handoff_id, approve: false })
  assert.equal(rejected['status'], 'rejected')
})

test('requirements that cannot be checked are refused, and a plugin that is missing is said', async (t) => {
  const story = await openStory(t)
  const alone = await openStory(t, [])
  const record_id = await releasedRecord(story)
  const refused = (input: Answer) =>
    assert.rejects(story.owner('workspace_handoff_create', { ...TASK, ...input }), { code: 'invalid' })

  await refused({ requires: ['nothing_checks_this'] })
  await refused({ requires: ['fresh'] })
  await refused({ record_id: '00000000-0000-4000-8000-000000000000' })
  await refused({ record_id: 'latest' })
  await assert.rejects(alone.owner('workspace_handoff_create', { ...TASK, requires: ['module_check'] }), {
    message: /Known: none/,
  })
  await assert.rejects(alone.owner('workspace_handoff_create', { ...TASK, record_id }), {
    message: /no plugin here keeps them/,
  })
  const { handoff_id } = await story.owner('workspace_handoff_create', {
    ...TASK,
    requires: ['module_check'],
  })
  await story.agent('workspace_handoff_accept', { handoff_id })
  const empty = await story.agent('workspace_handoff_result', {
    handoff_id,
    summary: 'nothing',
    result: 'no code',
  })
  assert.match(JSON.stringify(empty['checks']), /unverifiable.*calls no module/)
})

test('the record of a review is whole after its room was deleted, and in a program that knows no room', async (t) => {
  const story = await openStory(t)
  const { owner, agent, root } = story
  const record_id = await releasedRecord(story)
  const { handoff_id } = await owner('workspace_handoff_create', { ...TASK, record_id, requires: ['fresh'] })
  await agent('workspace_handoff_accept', { handoff_id })
  await agent('workspace_handoff_result', { handoff_id, summary: 'done', result: 'The call is written.' })
  const { left_record } = await owner('workspace_handoff_review', { handoff_id, approve: true })
  const id = String(left_record)
  const path = join(root, '.handoffs/records', `${id}.json`)
  const bytes = await readFile(path, 'utf8')

  await story.stop()
  await rm(join(root, 'plan.md'))
  await rm(join(root, '.plan.md.satchel'), { recursive: true })
  const alone = await openHost(t, { plugins: [handoff], projectRoot: root, env: ENV })
  const resumed = await alone.call('handoff_resume', { id, mark: false })
  const fresh = await alone.call('handoff_freshness', { id })
  const { content } = await alone.call('handoff_export', { id, format: 'json' })
  const elsewhere = await openHost(t, { plugins: [handoff], env: ENV })
  await elsewhere.call('handoff_import', { content })
  const copied = await readFile(join(elsewhere.projectRoot, '.handoffs/records', `${id}.json`), 'utf8')
  const { etag } = await alone.call('handoff_get', { id })
  await alone.call('handoff_transition', { id, to: 'archived', if_match: etag })
  const changed = JSON.parse(await readFile(path, 'utf8')) as { evidence: unknown; lineage: unknown }

  const { evidence, lineage } = JSON.parse(bytes) as { evidence: Answer[]; lineage: { room: Answer } }
  assert.equal(lineage.room['decision'], 'approved')
  assert.equal(evidence[0]?.['kind'], 'module')
  assert.match(String(resumed['brief']), /Approved in the room plan\.md/)
  assert.match(JSON.stringify(fresh['claims']), /unverifiable.*no plugin here provides evidence of the kind/)
  assert.equal(copied, bytes)
  assert.deepEqual([changed.evidence, changed.lineage], [evidence, lineage])
  assert.ok(validate(changed))
})
