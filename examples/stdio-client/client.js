/** An MCP client that starts satchel as a harness does: over standard input and output, in the project it works on. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const project = await mkdtemp(join(tmpdir(), 'satchel-stdio-client-'))
const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })

try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(root, 'dist', 'satchel.js'), 'mcp'],
      cwd: project,
    }),
  )

  const { tools } = await client.listTools()
  const create = tools.find(({ name }) => name === 'handoff_create')
  assert.ok(create, 'the server lists handoff_create')
  assert.equal(create.annotations?.destructiveHint, false)

  const made = await client.callTool({
    name: 'handoff_create',
    arguments: {
      title: 'Move the parser to its own file',
      objective: 'The parser can be read alone',
      current_state: 'It is cut out; its tests still import the old place.',
      open_items: [
        {
          priority: 'high',
          description: 'Point the tests to the new file',
          suggested_action: 'Edit the imports',
        },
      ],
    },
  })
  assert.notEqual(made.isError, true, JSON.stringify(made.structuredContent))
  const { id, uri } = made.structuredContent

  const read = await client.readResource({ uri })
  const record = JSON.parse(read.contents[0].text)
  assert.deepEqual([record.id, record.status], [id, 'draft'])

  const valid = await client.callTool({ name: 'handoff_validate', arguments: { id } })
  assert.equal(valid.structuredContent.schema_valid, true)

  const refused = await client.callTool({ name: 'handoff_validate', arguments: { record: { id } } })
  assert.equal(refused.structuredContent.schema_valid, false)

  console.log(`stdio-client: ok, ${tools.length} tools, record ${id}`)
} finally {
  await client.close()
  await rm(project, { recursive: true, force: true })
}
