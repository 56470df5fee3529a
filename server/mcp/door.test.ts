import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../../test/harness/index.ts'
import { definePlugin, defineTool } from '../plugin.ts'
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
  const plugin = definePlugin({
    name: 'dates',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({ tools: [dated] }),
  })
  const { host } = await openHost(t, { plugins: [plugin] })
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
