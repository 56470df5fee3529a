import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../test/harness/open-host.ts'
import { definePlugin, defineRefusals, type PluginInstance } from './plugin.ts'

/** As a plugin in plain JavaScript gives it: the compiler has checked nothing. */
function loose(instance: object) {
  const setup = async () => instance as PluginInstance
  return definePlugin({ name: 'loose', version: '1.0.0', apiVersion: 1, config: z.object({}), setup })
}

const read = async () => ({ mimeType: 'text/plain', text: '' })
const RESOURCE = {
  uri: 'loose://x/{id}',
  name: 'x',
  title: 'X',
  description: 'An x.',
  mimeType: 'text/plain',
  subscribable: false,
  read,
}
const PROMPT = { name: 'ask', title: 'Ask', description: 'Asks.', render: async () => 'Ask.' }
const ROUTE = {
  method: 'GET',
  path: '/x',
  listeners: ['api'],
  guard: 'open',
  handle: async () => new Response(),
}
const STREAM = { name: 's', path: '/s', listeners: ['api'], guard: 'open', open: async () => undefined }
const COMMAND = {
  cli: 'loose run',
  title: 'Run',
  description: 'Runs.',
  input: z.object({}),
  example: 'satchel loose run',
  run: async () => 0,
}
const TOOL = {
  name: 'greet',
  title: 'Greet',
  description: 'Greets.',
  profile: 'core',
  input: z.object({}),
  output: z.object({}),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  example: {},
  handler: async () => ({}),
  headline: () => 'said',
}
const document = { operationId: 'x-x', summary: 'X' }

const REFUSED: readonly (readonly [object, RegExp])[] = [
  [{ prompts: PROMPT }, /prompts must be a list/],
  [{ prompts: [{ name: 'x' }] }, /prompt "x": title must be a text/],
  [{ prompts: [{ ...PROMPT, arguments: ['who'] }] }, /prompt "ask": arguments must be a list of/],
  [{ prompts: [{ ...PROMPT, render: 'Ask.' }] }, /prompt "ask": render must be a function/],
  [{ resources: ['x'] }, /resource 0: is not an object/],
  [{ resources: [{ ...RESOURCE, uri: 'no scheme {a' }] }, /resource "no scheme \{a": uri must be a URI/],
  [{ resources: [{ ...RESOURCE, mimeType: undefined }] }, /resource "loose:.*": mimeType must be a text/],
  [{ resources: [{ ...RESOURCE, read: 5 }] }, /resource "loose:.*": read must be a function/],
  [{ streams: [{ name: 's' }] }, /stream "s": path must begin with \//],
  [{ streams: [{ ...STREAM, guard: 'none' }] }, /stream "s": guard must be one of open, bearer/],
  [{ routes: [{ method: 'GET', path: '/x' }] }, /route "\/x": listeners must be a list of texts/],
  [{ routes: [{ ...ROUTE, method: 'HEAD' }] }, /route "\/x": method must be one of GET, POST, DELETE/],
  [{ routes: [{ ...ROUTE, document: {} }] }, /route "\/x": document must have an operationId/],
  [
    { routes: [{ ...ROUTE, document: { ...document, answer: z.object({ at: z.date() }) } }] },
    /route "\/x": output.at has no JSON Schema \(Date/,
  ],
  [{ commands: [{ ...COMMAND, cli: 'Run!' }] }, /command "Run!": cli must be one or two words/],
  [{ listeners: [{ name: 'page' }] }, /listener "page": at must be/],
  [{ searchers: [{ kind: 'zzz' }] }, /searcher "zzz": search must be a function/],
  [{ evidence: [{ name: 'Image' }] }, /evidence "Image": name must be a-z/],
  [{ tasks: {} }, /tasks must have get, update and cancel/],
  [{ start: true }, /start must be a function/],
  [{ refusals: { odd: { code: 'odd', message: 'Odd.' } } }, /refusals must be a table of defineRefusals/],
  [
    { tools: [{ ...TOOL, input: z.object({ trips: z.array(z.object({ at: z.date() })) }) }] },
    /tool "greet": input\.trips\[\]\.at has no JSON Schema \(Date/,
  ],
  [
    { tools: [{ ...TOOL, output: z.object({ seen: z.map(z.string(), z.string()).optional() }) }] },
    /tool "greet": output\.seen has no JSON Schema \(Map/,
  ],
  [
    { tools: [{ ...TOOL, output: z.object({ size: z.string().transform(Number) }) }] },
    /tool "greet": output\.size has no JSON Schema \(Transforms/,
  ],
]

test('one wrong declaration refuses its plugin at load, naming plugin, part and member', async (t) => {
  for (const [instance, message] of REFUSED) {
    await assert.rejects(
      openHost(t, { plugins: [loose(instance)] }),
      (error: Error & { code: string; reason: string }) => {
        assert.deepEqual([error.code, error.reason], ['invalid', 'plugin_shape'], error.message)
        assert.match(error.message, /^The plugin "loose" \(test\): /)
        assert.match(error.message, message)
        return true
      },
    )
  }
})

test('declarations with nothing but what the contract asks for are accepted', async (t) => {
  const odd = defineRefusals({ odd: { code: 'invalid', message: 'Odd.' } })

  const { host } = await openHost(t, {
    plugins: [
      loose({
        tools: [TOOL],
        resources: [RESOURCE],
        prompts: [PROMPT],
        streams: [STREAM],
        routes: [ROUTE],
        commands: [COMMAND],
        refusals: odd,
      }),
    ],
  })

  assert.equal(host.registry.prompts.length, 1)
})
