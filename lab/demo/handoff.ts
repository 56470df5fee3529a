import assert from 'node:assert/strict'
import type { Client } from '@modelcontextprotocol/client'
import { git, type Stage } from './stage.ts'

type Data = Record<string, unknown>

/** The record that the first session leaves. */
const WORK = {
  title: 'Show satchel at work',
  objective: 'A person sees every door answer alike, in one minute.',
  current_state: 'The demo is running; nothing is broken.',
  completed: ['satchel was built'],
  decisions: [{ decision: 'Keep the store in a temporary folder', rationale: 'The work tree stays clean.' }],
  open_items: [
    { priority: 'high', description: 'Read the answer', suggested_action: 'Compare the four answers below' },
  ],
}

/** A handoff record of this very repository: made, checked, read back, and the same call at every door. */
export async function showHandoff(stage: Stage): Promise<void> {
  stage.say('1. A session leaves a record of its work, through an MCP client over stdio.')
  const client = await stage.connectStdio('demo-agent')
  const before = git(stage.repository, ['status', '--porcelain'])

  const created = await stage.step(
    'handoff_create wrote a record with the facts of this repository',
    async () => {
      const data = await callTool(client, 'handoff_create', WORK)
      stage.say(`   handoff_create -> ${String(data['id'])} (${String(data['status'])})`)
      return data
    },
  )
  const record = await stage.step(
    'the record, read back as a resource, names the commit that is checked out',
    async () => {
      const { contents } = await client.readResource({ uri: String(created['uri']) })
      const [content] = contents
      const text = content && 'text' in content ? content.text : ''
      const read = JSON.parse(text) as { project: { repository: Data } }
      const { head, dirty } = read.project.repository
      assert.equal(head, git(stage.repository, ['rev-parse', 'HEAD']))
      stage.say(
        `   ${String(created['uri'])} -> head ${String(head).slice(0, 12)}, ${dirty ? 'dirty' : 'clean'}`,
      )
      return read
    },
  )
  await stage.step('handoff_validate says that it keeps to the schema', async () => {
    const verdict = await callTool(client, 'handoff_validate', { id: created['id'] })
    assert.equal(verdict['schema_valid'], true)
  })
  await stage.step('a broken record is refused, each error at its place', async () => {
    const broken = { ...record, status: 'Ready', kind: 'note' }
    const verdict = await callTool(client, 'handoff_validate', { record: broken, level: 'schema' })
    assert.equal(verdict['schema_valid'], false)
    for (const { pointer, message } of verdict['errors'] as { pointer: string; message: string }[]) {
      stage.say(`   ${pointer}: ${message}`)
    }
  })

  stage.say()
  stage.say('2. The same question at four doors: MCP over stdio, MCP over HTTP, REST, the command line.')
  await stage.step('the four answers are equal', async () => {
    const input = { record, level: 'schema' }
    const answers = [
      await callTool(client, 'handoff_validate', input),
      await overHttp(stage, input),
      await overRest(stage, input),
      stage.run(['handoff', 'validate', '--input', '-'], { input: JSON.stringify(input) }).document,
    ].map(withoutTimes)
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    stage.say(`   4 x ${JSON.stringify(answers[0]).slice(0, 90)}…`)
  })
  await stage.step('the work tree is as it was', async () => {
    assert.equal(git(stage.repository, ['status', '--porcelain']), before)
  })
}

/** The structured answer of a tool. Throws what the tool refused. */
export async function callTool(client: Client, name: string, input: Data): Promise<Data> {
  const result = await client.callTool({ name, arguments: input })
  if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`)
  return result.structuredContent as Data
}

async function overHttp(stage: Stage, input: Data): Promise<Data> {
  const address = await stage.serve('mcp', '--transport', 'streamable-http')
  return callTool(await stage.connectHttp(address), 'handoff_validate', input)
}

async function overRest(stage: Stage, input: Data): Promise<Data> {
  const address = await stage.serve('serve')
  const response = await fetch(`${address}/handoffs/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return (await response.json()) as Data
}

/** When a check ran is the one thing that differs between two calls. */
function withoutTimes(answer: Data): unknown {
  return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'validated_at' ? undefined : value)))
}
