import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../../test/harness/index.ts'
import { defineTool } from '../plugin.ts'
import { createDoor } from './door.ts'

test('a tool whose schema cannot be listed is not an error of the remote server', async (t) => {
  const dated = defineTool({
    name: 'dated',
    title: 'Dated',
    description: 'Takes a date.',
    profile: 'core',
    input: z.object({ at: z.date().optional().describe('when') }),
    output: z.object({}),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: {},
    handler: async () => ({}),
    headline: () => 'done',
  })
  // A plugin of others is refused with such a tool; a built-in one is not checked at each start.
  const opened = await openHost(t, { plugins: [] })
  const tools = [{ tool: dated, plugin: 'dates' }]
  const host = { ...opened.host, registry: { ...opened.host.registry, tools } }
  const warned: string[] = []
  const log = { ...host.log, warn: (message: string) => void warned.push(message) }
  const door = createDoor({
    boot: Promise.resolve(host),
    version: '1',
    log,
    resolvePath: async (path) => path,
  })

  const catalog = await door.catalog()
  assert.throws(() => catalog.modernTools, {
    reason: 'plugin_shape',
    message: /"dated" has no JSON Schema/,
  })
  assert.deepEqual(warned, [])
})
