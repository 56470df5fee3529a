import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHost } from '../test/harness/open-host.ts'
import { createPump } from './fanout/pump.ts'
import { HOST_PATHS, ownerOfVerb, takenByHost } from './host-names.ts'
import { listen } from './http/testing/listen.ts'
import { createHttpMount } from './mcp/http.ts'
import { createSseMount } from './mcp/sse-2024.ts'
import { createMetrics } from './metrics.ts'

test('the list of paths is what the host serves', async (t) => {
  const { host } = await openHost(t, { plugins: [] })
  const resolvePath = async (path: string) => path
  const mount = { boot: Promise.resolve(host), log: host.log, version: '1', resolvePath, pump: createPump() }
  const served = new Set<string>()
  for (const mcp of [createHttpMount(mount), createSseMount(mount)]) {
    const oauth = { issuer: 'https://issuer.example', resource: 'https://satchel.example' }
    const listener = await listen(t, host, {}, { mcp, metrics: createMetrics(), oauth })
    for (const { path } of listener.inventory) served.add(path)
  }

  assert.deepEqual([...served].sort(), [...HOST_PATHS].sort())
})

test('verbs of the host and of built-in plugins are taken, those below a word for plugins only where they exist', async () => {
  const owners = await Promise.all(
    ['serve', 'serve now', 'help me', 'handoff mine', 'bench', 'bench start', 'bench mine', 'greet'].map(
      ownerOfVerb,
    ),
  )

  const host = 'satchel itself'
  assert.deepEqual(owners, [host, host, host, 'the plugin "handoff"', host, host, undefined, undefined])
})

test('a path of the host is free at the listeners of plugins', async () => {
  const route = (listener: string) => ({
    method: 'GET' as const,
    path: '/' as const,
    listeners: [listener],
    guard: 'open' as const,
    handle: async () => new Response(),
  })

  assert.deepEqual(await takenByHost({ routes: [route('page')] }), undefined)
  assert.deepEqual(await takenByHost({ routes: [route('api')] }), {
    name: 'route "GET /"',
    owner: 'satchel itself',
  })
})
