import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../test/harness/open-host.ts'
import { temporaryFolder } from '../test/harness/temporary-folder.ts'
import { loadPlugin } from './load-plugins.ts'
import { definePlugin, type PluginInstance, type Tool } from './plugin.ts'
import { refusals } from './refusals.ts'
import { refuseOneNameOfTwo } from './registry.ts'

function plugin(name: string, instance: PluginInstance | (() => Promise<PluginInstance>)) {
  const setup = typeof instance === 'function' ? instance : async () => instance
  return definePlugin({ name, version: '1.0.0', apiVersion: 1, config: z.object({}), setup })
}

function tool(name: string, extra: Partial<Tool> = {}): Tool {
  return {
    name,
    title: name,
    description: name,
    profile: 'core',
    input: z.object({}),
    output: z.object({}),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: {},
    handler: async () => ({}),
    headline: () => name,
    ...extra,
  }
}

test('plugins start in order and stop in reverse, and a stop that fails skips no other', async (t) => {
  const seen: string[] = []
  const noisy = (name: string) =>
    plugin(name, {
      start: async () => void seen.push(`start ${name}`),
      stop: async () => {
        seen.push(`stop ${name}`)
        if (name === 'b') throw new Error('cannot stop')
      },
    })

  const { host, logged } = await openHost(t, { plugins: [noisy('a'), noisy('b'), noisy('c')] })
  await host.stop()

  assert.deepEqual(seen, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
  assert.ok(logged.some((line) => line.includes('cannot stop')))
  assert.ok(host.signal.aborted)
})

test('a duplicate name is refused naming both owners, and the plugins already set up are stopped', async (t) => {
  let stopped = 0
  const first = plugin('first', { tools: [tool('same')], stop: async () => void stopped++ })
  const second = plugin('second', { tools: [tool('same')] })

  await assert.rejects(openHost(t, { plugins: [first, second] }), {
    code: 'conflict',
    reason: 'name_taken',
    details: { name: 'tool "same"', owners: ['first', 'second'] },
  })
  assert.equal(stopped, 1)
})

test('two plugins of one name are told apart by their origins, before either is set up', async (t) => {
  let ran = 0
  const same = plugin('same', async () => {
    ran += 1
    return {}
  })
  const [first, second] = ['built in', '/p/same.js']
  const entries = [first, second].map((source) => ({ plugin: same, config: {}, source }))

  await assert.rejects(openHost(t, { plugins: [same, same] }), { code: 'conflict', reason: 'name_taken' })
  assert.throws(() => refuseOneNameOfTwo(entries), {
    message: `Two plugins are called "same": ${first} and ${second}. Rename one, or list only one.`,
    details: { name: 'plugin "same"', owners: [first, second] },
  })
  assert.equal(ran, 0)
})

test('routes, verbs, resources, prompts and listeners may not clash either', async (t) => {
  const instances: PluginInstance[] = [
    { tools: [tool('x1', { http: { method: 'GET', path: '/x' } })] },
    { tools: [tool('x1', { cli: { verb: 'x' } })] },
    { prompts: [{ name: 'p', title: 'p', description: 'p', arguments: [], render: async () => 'p' }] },
    { listeners: [{ name: 'owner', at: { host: '127.0.0.1', port: 0 }, mcp: false }] },
  ]
  for (const instance of instances) {
    const twin = instance.tools ? { tools: instance.tools.map((one) => ({ ...one, name: 'x2' })) } : instance
    await assert.rejects(openHost(t, { plugins: [plugin('a', instance), plugin('b', twin)] }), {
      reason: 'name_taken',
    })
  }
})

test('a plugin that throws in setup is named, its own text stays in the log, and the others are stopped', async (t) => {
  let stopped = 0
  const good = plugin('good', { stop: async () => void stopped++ })
  const bad = plugin('bad', async () => {
    throw new Error('connection string with a password')
  })

  await assert.rejects(openHost(t, { plugins: [good, bad] }), (error: Error) => {
    assert.match(error.message, /"bad" \(test\) failed in setup/)
    assert.doesNotMatch(error.message, /password/)
    return true
  })
  assert.equal(stopped, 1)
})

test('a start that hangs is named after ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opening = openHost(t, { plugins: [plugin('slow', { start: () => new Promise(() => {}) })] })
  let settled = false
  const refused = assert
    .rejects(opening, { code: 'unavailable', reason: 'plugin_start_timeout' })
    .finally(() => {
      settled = true
    })
  // The limit is set after setup, which reads the disk: how many turns that takes is not ours to say.
  while (!settled) {
    t.mock.timers.tick(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await refused
})

test('a name in include or exclude that no tool has is warned of with the nearest one; a right one is not', async (t) => {
  const all = plugin('all', { tools: [tool('a_read'), tool('a_write')] })

  const { logged } = await openHost(t, {
    plugins: [all],
    filter: { include: ['a_read'], exclude: ['a_writ', 'a_write', 'z'] },
  })

  const warned = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warning')
  assert.deepEqual(
    warned.map(({ tool: name, nearest }) => [name, nearest]),
    [
      ['a_writ', 'a_write'],
      ['z', undefined],
    ],
  )
})

test('the profile, include, exclude and read-only decide which tools are offered', async (t) => {
  const writes = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
  const all = plugin('p', {
    tools: [
      tool('a_core'),
      tool('b_standard', { profile: 'standard' }),
      tool('c_full', { profile: 'full' }),
      tool('d_write', { annotations: writes }),
      tool('e_hidden', { mcp: false }),
    ],
  })
  const offered = async (filter: object) => {
    const { host } = await openHost(t, { plugins: [all], filter })
    return host.registry.tools.filter((owned) => host.offers(owned)).map((owned) => owned.tool.name)
  }

  assert.deepEqual(await offered({ profile: 'core' }), ['a_core', 'd_write'])
  assert.deepEqual(await offered({ profile: 'standard' }), ['a_core', 'b_standard', 'd_write'])
  assert.deepEqual(await offered({ profile: 'core', include: ['c_full'] }), ['a_core', 'c_full', 'd_write'])
  assert.deepEqual(await offered({ profile: 'full', exclude: ['a_core'] }), [
    'b_standard',
    'c_full',
    'd_write',
  ])
  assert.deepEqual(await offered({ profile: 'core', include: ['d_write'], readOnly: true }), ['a_core'])
})

test('a third-party plugin is loaded from the configuration file, and the refusal of a bad one names the problem', async (t) => {
  const folder = await temporaryFolder(t)
  const configFile = join(folder, 'satchel.yaml')
  const shape =
    'config: { shape: {}, safeParse: () => ({ success: true, data: {} }) }, setup: async () => ({})'
  const files: Record<string, string> = {
    'good.mjs': `export default { name: 'good', version: '1.0.0', apiVersion: 1, ${shape} }`,
    'old.mjs': `export default { name: 'old', version: '1.0.0', apiVersion: 9, ${shape} }`,
    'empty.mjs': 'export const x = 1',
    'throws.mjs': 'throw new Error("private")',
    'no-setup.mjs': "export default { name: 'n', version: '1', apiVersion: 1 }",
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  await mkdir(join(folder, 'node_modules/only-import'), { recursive: true })
  await writeFile(
    join(folder, 'node_modules/only-import/package.json'),
    JSON.stringify({ name: 'only-import', type: 'module', exports: { '.': { import: './x.js' } } }),
  )

  assert.equal((await loadPlugin('./good.mjs', configFile)).plugin.name, 'good')
  await assert.rejects(loadPlugin('./old.mjs', configFile), { code: 'invalid', reason: 'plugin_api' })
  await assert.rejects(loadPlugin('./empty.mjs', configFile), { code: 'invalid', reason: 'plugin_shape' })
  await assert.rejects(loadPlugin('./no-setup.mjs', configFile), { code: 'invalid', reason: 'plugin_shape' })
  await assert.rejects(loadPlugin('./throws.mjs', configFile), (error: Error & { code: string }) => {
    assert.equal(error.code, 'internal')
    assert.doesNotMatch(error.message, /private/)
    return true
  })
  await assert.rejects(loadPlugin('not-installed', configFile), { reason: 'plugin_not_found' })
  await assert.rejects(loadPlugin('only-import', configFile), (error: Error) =>
    /under "default"/.test(error.message),
  )
})

test('a start that throws names its plugin, and the log has the cause', async (t) => {
  const broken = (thrown: unknown) =>
    plugin('broken', {
      start: async () => {
        throw thrown
      },
    })

  for (const thrown of [new Error('no database'), undefined, Symbol('odd')])
    await assert.rejects(openHost(t, { plugins: [broken(thrown)] }), (error: Error) => {
      assert.match(error.message, /^The plugin "broken" failed in start/)
      assert.ok(error.cause !== undefined)
      return true
    })
  const full = refusals.plugin_syntax({ place: 'a.js:1', fault: 'odd' })
  await assert.rejects(openHost(t, { plugins: [broken(full)] }), { reason: 'plugin_load' })
})

test('lines of the log carry the plugin, and in a call the tool, also over fields of the same name', async (t) => {
  const unreadable = new Proxy({}, { ownKeys: () => assert.fail('not read') })
  const talker = plugin('talker', {
    tools: [
      tool('talk', {
        handler: async (ctx) => {
          ctx.log.info('in a call', { tool: 'hammer', nails: 2 })
          ctx.log.warn('unreadable', unreadable)
          return {}
        },
      }),
    ],
  })
  const early = definePlugin({
    ...plugin('early', {}),
    async setup(host) {
      host.log.info('in setup')
      return {}
    },
  })
  const { call, logged } = await openHost(t, { plugins: [talker, early] })

  await call('talk')

  const lineOf = (message: string) => JSON.parse(logged.find((line) => line.includes(message)) ?? '{}')
  const { plugin: name, tool: used, nails } = lineOf('in a call')
  assert.deepEqual([name, used, nails], ['talker', 'talk', 2])
  assert.equal(lineOf('unreadable').plugin, 'talker')
  assert.equal(lineOf('in setup').plugin, 'early')
})

test('a host for tests refuses a setting that its plugin does not have, and names the nearest one', async (t) => {
  const plugin = definePlugin({
    name: 'watered',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({
      every_s: z.number().default(60),
      beds: z.array(z.object({ name: z.string() })).default([]),
    }),
    setup: async () => ({}),
  })
  const opening = (settings: Record<string, unknown>) => openHost(t, { plugins: [{ plugin, settings }] })

  await opening({ every_s: 5, beds: [{ name: 'herbs' }] })

  await assert.rejects(opening({ evry_s: 5 }), {
    code: 'invalid',
    reason: 'unknown_key',
    details: { key: 'watered.evry_s', nearest: 'every_s' },
  })
  await assert.rejects(opening({ beds: [{ name: 'herbs' }, { name: 'peas', nmae: 'beans' }] }), {
    reason: 'unknown_key',
    details: { key: 'watered.beds.1.nmae', nearest: 'name' },
  })
})
