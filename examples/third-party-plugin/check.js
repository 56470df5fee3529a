/** Calls the built plugin's tool at every door of the installed satchel, and checks that the answers are the same. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const root = dirname(createRequire(import.meta.url).resolve('satchel/package.json'))
const bin = join(root, 'dist', 'satchel.js')
const cwd = import.meta.dirname
const input = { value: 3, from: 'mile', to: 'km' }
const expected = { value: 4.8, unit: 'km' }

const typed = spawnSync(process.execPath, [bin, 'units', 'convert', '3', 'mile', 'km', '--json'], {
  cwd,
  encoding: 'utf8',
})
assert.deepEqual(JSON.parse(typed.stdout), expected)
const unknown = spawnSync(process.execPath, [bin, 'units', 'convert', '3', 'league', 'km', '--json'], {
  cwd,
  encoding: 'utf8',
})
assert.deepEqual([unknown.status, JSON.parse(unknown.stdout).error.reason], [4, 'unknown_unit'])

const found = spawnSync(process.execPath, [bin, 'find', 'one mile', '--json'], { cwd, encoding: 'utf8' })
const { results } = JSON.parse(found.stdout).groups.find(({ kind }) => kind === 'unit')
assert.deepEqual(results, [
  { text: 'mile: 1609.344 m', open: { tool: 'convert_units', args: { value: 1, from: 'mile', to: 'm' } } },
])

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'check', version: '1.0.0' },
  },
}
const call = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'convert_units', arguments: input },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const stdio = spawnSync(process.execPath, [bin, 'mcp'], {
  cwd,
  encoding: 'utf8',
  input: [initialize, initialized, call].map((message) => `${JSON.stringify(message)}\n`).join(''),
})
const answers = stdio.stdout
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
assert.deepEqual(answers.find(({ id }) => id === 2).result.structuredContent, expected)

const server = spawn(process.execPath, [bin, 'serve', '--host', '127.0.0.1', '--port', '0', '--json'], {
  cwd,
  stdio: ['ignore', 'pipe', 'ignore'],
})
try {
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  const [{ address }] = JSON.parse(line).listeners
  const rest = await fetch(`${address}/units/convert`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  assert.deepEqual(await rest.json(), expected)
  const document = await (await fetch(`${address}/openapi.json`)).json()
  assert.ok(document.paths['/units/convert'])
} finally {
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  await exited
}

console.log('third-party-plugin: ok')
