/**
 * Two processes work on one Markdown file: an agent proposes, the owner approves and commits. Each starts satchel as a
 * harness does; the first becomes the writer of the room, the second reaches it through the first.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const folder = await mkdtemp(join(tmpdir(), 'satchel-room-client-'))
const file = join(folder, 'idea.md')
await writeFile(file, '# Idea\n\n## Goals\n\nNone yet.\n')

const agent = await joinRoom('agent', [])
const owner = await joinRoom('owner', ['--as', 'owner', '--profile', 'full'])

try {
  const { version } = await call(agent, 'workspace_status', {})
  assert.equal(version, 1)

  const proposal = await call(agent, 'workspace_propose', {
    target: 'section:Idea/Goals',
    base_version: version,
    summary: 'A first goal',
    content: '## Goals\n\nRead it in five minutes.\n',
  })
  assert.equal(proposal.status, 'pending')

  const refused = await agent.callTool({
    name: 'workspace_review',
    arguments: { proposal_id: proposal.proposal_id, approve: true },
  })
  assert.equal(
    refused.structuredContent.error.reason,
    'permission_denied',
    'an agent does not approve its own work',
  )

  await call(owner, 'workspace_review', { proposal_id: proposal.proposal_id, approve: true })
  const committed = await call(owner, 'workspace_commit', { proposal_id: proposal.proposal_id })
  assert.equal(committed.version, 2)
  assert.equal(await readFile(file, 'utf8'), '# Idea\n\n## Goals\n\nRead it in five minutes.\n')

  const changes = await call(agent, 'workspace_changes', { since_event_id: 0 })
  assert.equal(changes.version.to, 2)
  console.log(`room-client: ok, version ${committed.version}`)
} finally {
  await owner.close()
  await agent.close()
  await rm(folder, { recursive: true, force: true })
}

/** A client connected to a satchel of its own, in the room of `file`. */
async function joinRoom(name, flags) {
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const args = [join(root, 'dist', 'satchel.js'), 'mcp', '--room', file, '--name', name, ...flags]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' }),
  )
  return client
}

async function call(client, name, args) {
  const answer = await client.callTool({ name, arguments: args })
  assert.notEqual(answer.isError, true, JSON.stringify(answer.structuredContent))
  return answer.structuredContent
}
