import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { it } from 'node:test'
import { measureServerStart } from './server-start.ts'

const LIST = { jsonrpc: '2.0', id: 2, result: { tools: [{ name: 'hello' }] } }

/** A server that greets, answers in its time and leaves a process of its own behind. */
const SERVER = `
const { spawn } = require('node:child_process')
spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
console.log('Welcome to the server')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line)
  if (id === 1) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }))
  if (id === 2) console.log(${JSON.stringify(JSON.stringify(LIST))})
})`

it('a server is measured until its list of tools, with what it started and beside what else it prints', async () => {
  const { wall, cpu, rss, bytes } = await measureServerStart(['-e', SERVER], tmpdir())

  assert.equal(bytes, JSON.stringify(LIST).length)
  assert.ok(wall > 0)
  if (process.platform === 'linux') assert.ok(cpu > 0 && rss > 40, `${cpu} ms, ${rss} MiB`)
})

it('a server that ends or refuses is an error, not a figure', async () => {
  const refusing = SERVER.replace('result: {}', 'error: { code: 1 }')

  await assert.rejects(measureServerStart(['-e', 'process.exit(1)'], tmpdir()), /ended before it answered/)
  await assert.rejects(measureServerStart(['-e', refusing], tmpdir()), /answered .*error/)
})
