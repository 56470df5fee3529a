import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callTool } from './handoff.ts'
import { configText } from './modules.ts'
import { commitFiles, git, newRepository, type Stage } from './stage.ts'

type Data = Record<string, unknown>
interface Resumed {
  readonly freshness: { readonly gate: string }
  readonly brief: string
}

/** A module whose address range has this name. */
const vpc = (input: string): Readonly<Record<string, string>> => ({
  'main.tf': `variable "${input}" {\n  type        = string\n  description = "Address range of the network"\n}\n\nresource "aws_vpc" "this" {\n  cidr_block = var.${input}\n}\n`,
  'README.md': '# VPC\n\nA virtual private cloud.\n',
})

/**
 * The upgrade of a module from version 5 to 6 across the three plugins: what a session claims is checked by the room before
 * it is approved, and again when a later session resumes it.
 */
export async function showStory(stage: Stage): Promise<void> {
  stage.say('6. One story: upgrade a module in a room, and have every claim checked again.')
  const module = newRepository(join(stage.folder, 'terraform-aws-vpc'), vpc('cidr'))
  git(module, ['tag', 'v5.0.0'])
  commitFiles(module, vpc('cidr_block'))
  git(module, ['tag', 'v6.0.0'])
  const config = join(stage.folder, 'story.yaml')
  writeFileSync(config, configText(stage, [module]))
  const ingest = () => assert.equal(stage.run(['ingest', config], { config }).code, 0)
  ingest()

  const call = (ref: string, input: string) =>
    `module "vpc" {\n  source = "git::${module}?ref=${ref}"\n  ${input} = "10.0.0.0/16"\n}\n`
  const folder = join(stage.folder, 'infra')
  mkdirSync(folder)
  const plan = join(folder, 'plan.md')
  writeFileSync(plan, '# Plan\n\n## Network\n\nWrite the call.\n')
  const connect = (name: string, ...flags: readonly string[]) =>
    stage.connectStdio(name, { cwd: folder, flags: ['--room', plan, '--profile', 'full', ...flags] })
  const owner = await connect('owner', '--as', 'owner')

  const id = await stage.step('search, diff and upgrade say what version 6 breaks', async () => {
    const { results } = (await callTool(owner, 'search_modules', { query: 'virtual private cloud' })) as Data
    const [hit] = results as { readonly id: string }[]
    const diff = await callTool(owner, 'module_diff', { repository: 'terraform-aws-vpc', from: 'v5.0.0' })
    const upgrade = await callTool(owner, 'module_upgrade', { hcl: call('v5.0.0', 'cidr'), to: 'v6.0.0' })
    assert.equal(diff['verdict'], 'breaking')
    assert.match(JSON.stringify(upgrade), /cidr_block/)
    return hit?.id
  })
  const record = await stage.step('a record claims that version, by its id', async () => {
    const made = await callTool(owner, 'handoff_create', {
      title: 'Upgrade the network',
      objective: 'Call version 6 of the network module.',
      current_state: 'The differences are known.',
      scope: ['infra/**'],
      parent: 'none',
      evidence: [{ type: 'observation', module: id }],
      open_items: [
        { priority: 'high', description: 'Write the call', suggested_action: 'Propose it in the room' },
      ],
    })
    await callTool(owner, 'handoff_transition', { id: made['id'], to: 'validated' })
    await callTool(owner, 'handoff_transition', { id: made['id'], to: 'ready', accept_warnings: 'a demo' })
    return made['id']
  })
  const left = await showRoomHandoff(stage, { owner, agent: await connect('agent'), record, call })

  const next = await connect('next-session')
  const gate = async (): Promise<Resumed> =>
    (await callTool(next, 'handoff_resume', { id: left })) as unknown as Resumed
  await stage.step('a new session resumes what the review left: its claims hold', async () => {
    assert.equal((await gate()).freshness.gate, 'go')
  })
  await stage.step('the module releases version 7, and the gate turns to care', async () => {
    commitFiles(module, vpc('range'))
    git(module, ['tag', 'v7.0.0'])
    ingest()
    const { freshness, brief } = await gate()
    assert.equal(freshness.gate, 'care')
    const [why] = brief.split('\n').filter((line) => line.includes('v7.0.0 is out'))
    assert.ok(why)
    stage.say(`   | ${why}`)
  })
}

function textOf({ content }: { readonly content?: unknown }): string {
  return (content as { readonly text?: string }[]).map(({ text = '' }) => text).join('\n') // what a tool answers
}

interface Room {
  readonly owner: Parameters<typeof callTool>[0]
  readonly agent: Parameters<typeof callTool>[0]
  readonly record: unknown
  call(ref: string, input: string): string
}

/** The work in the room: a result that does not fit the module, a corrected one, the approval. Gives the record that it left. */
async function showRoomHandoff(stage: Stage, { owner, agent, record, call }: Room): Promise<unknown> {
  const task = { title: 'Write the call', objective: 'A call of version 6 that fits.' }
  const requires = ['module_check', 'fresh']
  const { handoff_id } = await callTool(owner, 'workspace_handoff_create', {
    ...task,
    record_id: record,
    requires,
  })
  await stage.step('the participant who accepts the handoff gets the record', async () => {
    const { resumed } = await callTool(agent, 'workspace_handoff_accept', { handoff_id })
    assert.match(JSON.stringify(resumed), /Upgrade the network/)
  })
  const handIn = async (input: string): Promise<unknown> => {
    const { version } = await callTool(agent, 'workspace_read', {})
    const content = `## Network\n\n\`\`\`hcl\n${call('v6.0.0', input)}\`\`\`\n`
    const change = { base_version: version, summary: `Call it with ${input}`, target: 'section:Plan/Network' }
    const { proposal_id } = await callTool(agent, 'workspace_propose', { ...change, content })
    await callTool(agent, 'workspace_handoff_result', { handoff_id, summary: change.summary, proposal_id })
    return proposal_id
  }
  await stage.step('a result that does not fit version 6 cannot be approved', async () => {
    await handIn('cidr')
    const review = { name: 'workspace_handoff_review', arguments: { handoff_id, approve: true } }
    const refused = await owner.callTool(review)
    assert.equal(refused.isError, true)
    const [why = ''] = /module_check: [^"]*"\w+[^"]*"/.exec(textOf(refused)) ?? []
    assert.ok(why)
    stage.say(`   | ${why} …`)
  })
  return stage.step('the corrected one is approved and committed, and leaves a record', async () => {
    const proposal_id = await handIn('cidr_block')
    await callTool(owner, 'workspace_review', { proposal_id, approve: true })
    const review = { handoff_id, approve: true, commit: true }
    const { left_record } = await callTool(owner, 'workspace_handoff_review', review)
    assert.ok(left_record)
    return left_record
  })
}
