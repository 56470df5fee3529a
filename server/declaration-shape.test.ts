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
  [{ routes: [{ ...ROUTE, path: '/x/:id' }] }, /route "\/x\/:id": path must begin with \/, and each part/],
  [{ streams: [{ ...STREAM, path: '/s/{id}.sse' }] }, /stream "s": path must begin with \/, and each part/],
  [{ commands: [{ ...COMMAND, positional: ['ids...', 'id'] }] }, /positional: only the last may be repeated/],
  [{ tools: [{ ...TOOL, scope: 'owner' }] }, /scope must be admin or absent/],
  [{ tools: [{ ...TOOL, requires: 'fly' }] }, /requires must be one of read, observe/],
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

test('all that is wrong is told together, twenty faults of many', async (t) => {
  const messageOf = async (instance: object): Promise<string> => {
    const opened = await openHost(t, { plugins: [loose(instance)] }).catch((error: Error) => error)
    return opened instanceof Error ? opened.message : ''
  }

  const several = await messageOf({
    tools: [
      { ...TOOL, title: '', profile: 'base', annotations: {}, http: { method: 'FETCH', path: '/x' } },
      { ...TOOL, name: 'Two', output: undefined, cli: { verb: 'loose two' } },
    ],
    prompts: [{ ...PROMPT, title: 7, render: 'Ask.' }],
    streams: {},
    start: true,
  })
  const many = await messageOf({ tools: Array.from({ length: 25 }, () => ({ ...TOOL, title: '' })) })

  assert.equal(
    several,
    'The plugin "loose" (test): ' +
      [
        'tool "greet": title must be a text',
        'tool "greet": profile must be core, standard or full',
        ...['readOnly', 'destructive', 'idempotent', 'openWorld'].map(
          (hint) => `tool "greet": annotations.${hint} must be true or false`,
        ),
        'tool "greet": http.method must be one of GET, POST, PATCH, PUT, DELETE',
        'tool "Two": name must be 1 to 48 of a-z, 0-9 and _',
        'tool "Two": output must be a zod object',
        'start must be a function',
        'prompt "ask": title must be a text',
        'prompt "ask": render must be a function',
        'streams must be a list.',
      ].join('; '),
  )
  assert.match(many, /(tool "greet": title must be a text; ){20}and 5 more\.$/)
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

test('a declaration that nothing reads is logged when the plugin is loaded', async (t) => {
  const { logged } = await openHost(t, {
    plugins: [loose({ tool: [TOOL], routes: [{ ...ROUTE, listeners: ['main'] }], streams: [STREAM] })],
  })

  const [tool = '', route = '', ...more] = logged.filter((line) => line.includes('nothing reads'))
  assert.match(tool, /"plugin":"loose".*setup gives \\"tool\\", which nothing reads: is it \\"tools\\"\?/)
  assert.match(route, /GET \/x is served at \\"main\\", which nothing opens: Known: api, mcp, owner/)
  assert.deepEqual(more, [])
})

const ADDRESSED = {
  ...TOOL,
  input: z.object({ id: z.string(), n: z.int() }),
  output: z.object({ at: z.string() }),
}

test('a path that the router and the document read differently is refused, and so is an option without effect', async (t) => {
  const faults: readonly (readonly [object, RegExp])[] = [
    ...[
      '/x/{id}.json',
      '/x/{id}-{n}',
      '/x/*',
      '/x/:id',
      '/x/{id}?',
      '/x?id={id}',
      '/x/{id}/{id}',
      '/x/{id',
      '/a b',
    ].map(
      (path) =>
        [{ path }, /http\.path must begin with \/, and each part of it be plain text or one/] as const,
    ),
    [{ path: '/x/../{id}' }, /http\.path must begin with/],
    [{ headers: { 'If-Match': 'n' } }, /http\.headers names "If-Match": write it in lower case/],
    [{ headers: { 'if-match': 'version' } }, /http\.headers names "version", which is not a field of input/],
    [{ etag: 'version' }, /http\.etag names "version", which is not a field of output/],
    [{ rawBody: { field: 'text', contentType: 'text/plain' } }, /http\.rawBody\.field names "text"/],
    [
      { rawBody: { field: 'id', contentType: 'text/plain; charset=utf-8' } },
      /contentType must be a media type/,
    ],
    [
      { method: 'GET', rawBody: { field: 'id', contentType: 'text/plain' } },
      /rawBody needs a method with a body/,
    ],
    [{ listeners: 'api' }, /http\.listeners must be a list of texts/],
    [{ maxBodyBytes: '10mb' }, /http\.maxBodyBytes must be a whole number/],
  ]
  for (const [change, message] of faults) {
    const http = { method: 'PUT', path: '/x/{id}', ...change }
    await assert.rejects(openHost(t, { plugins: [loose({ tools: [{ ...ADDRESSED, http }] })] }), { message })
  }
})

test('a verb that could not be typed is refused at load', async (t) => {
  const faults: readonly (readonly [object, RegExp])[] = [
    [{ short: { n: 'num' } }, /cli\.short must give one letter, not "num"/],
    [{ short: { n: 'h' } }, /cli\.short must give one letter, not "h"/],
    [{ short: { n: 'x', id: 'x' } }, /cli\.short gives one letter twice/],
    [{ short: { m: 'x' } }, /cli\.short names "m", which is not a field of input/],
    [{ long: { n: 'the number' } }, /cli\.long must give one word/],
    [{ preset: { m: 1 } }, /cli\.preset names "m"/],
    [{ positional: ['id...', 'n'] }, /cli\.positional: only the last may be repeated/],
    [{ positional: ['[id]', 'n'] }, /cli\.positional: after an optional one all must be optional/],
  ]
  for (const [change, message] of faults) {
    const cli = { verb: 'loose x', ...change }
    await assert.rejects(openHost(t, { plugins: [loose({ tools: [{ ...ADDRESSED, cli }] })] }), { message })
  }
})

test('every form of a route and a verb that the guide shows is accepted', async (t) => {
  const http = [
    { method: 'GET', path: '/', etag: 'at' },
    { method: 'GET', path: '/.well-known/x_y-z.json/{id}/' },
    { method: 'PUT', path: '/größe/{id}', headers: { 'if-match': 'n' }, maxBodyBytes: 1 },
    {
      method: 'POST',
      path: '/x',
      rawBody: { field: 'id', contentType: 'application/x-yaml' },
      listeners: ['api'],
    },
  ]
  const cli = { verb: 'loose x', positional: ['id', '[n]'], short: { n: 'c' }, long: { n: 'count' } }

  const { host } = await openHost(t, {
    plugins: [loose({ tools: [{ ...ADDRESSED, http, cli, scope: 'admin' }] })],
  })

  assert.equal(host.registry.tools.length, 1)
})
