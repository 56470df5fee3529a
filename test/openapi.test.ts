import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { listen } from '../server/http/testing/listen.ts'
import { askAt } from '../server/http/testing/open-door.ts'
import { temporaryFolder } from './harness/index.ts'
import { openWholeHost } from './harness/whole-host.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly schema?: object }>> }
    >
  >
}
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> }
}

/** A server with all built-in plugins and a room. */
async function openApi(t: TestContext): Promise<{ address: string; document: ApiDocument }> {
  const host = await openWholeHost(await temporaryFolder(t))
  t.after(() => host.stop())
  const door = await listen(t, host)
  const document = (await askAt(door, '/openapi.json')).json as unknown as ApiDocument
  return { address: door.address, document }
}

async function problemsOf(document: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`)
}

test('the recommended rules of Redocly find nothing in the API document, and find a planted fault', async (t) => {
  const { document } = await openApi(t)

  assert.deepEqual(await problemsOf(document), [])

  const [[path, methods = {}] = []] = Object.entries(document.paths)
  const [[method, operation] = []] = Object.entries(methods)
  const planted = { ...operation, responses: { 200: { description: 'Done.' } } }
  const faulty = { ...document, paths: { ...document.paths, [String(path)]: { [String(method)]: planted } } }
  assert.match((await problemsOf(faulty)).join('\n'), /operation-4xx-response/)
})

test('every operation lists its refusals by status, with their reasons', async (t) => {
  const { paths, components } = (await openApi(t)).document
  const reasonsAt = (path: string, method: string, status: number): string => {
    const name = paths[path]?.[method]?.responses[status]?.$ref?.split('/').at(-1) ?? ''
    return components.responses[name]?.description ?? ''
  }

  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      assert.match(reasonsAt(path, method, 401), /`unauthorized`/, `${method} ${path}`)
      assert.match(reasonsAt(path, method, 429), /`too_many_requests`/, `${method} ${path}`)
    }
  }
  assert.match(reasonsAt('/handoffs/{id}', 'get', 404), /`project_not_found`.*`record_not_found`/)
  assert.match(reasonsAt('/handoffs', 'post', 413), /`limit_exceeded`/)
  assert.match(reasonsAt('/handoffs', 'post', 415), /`media_type`/)
  assert.equal(reasonsAt('/handoffs/{id}', 'get', 415), '', 'a request without a body')
  assert.doesNotMatch(reasonsAt('/handoffs/{id}', 'get', 404), /module_not_found/, 'of another plugin')
  assert.match(reasonsAt('/workspace/status', 'get', 403), /`permission_denied`/)
})

test('every address refuses OPTIONS and unknown methods, and names its own, HEAD beside a GET that is not a stream', async (t) => {
  const { address, document } = await openApi(t)

  for (const [path, operations] of Object.entries(document.paths)) {
    const streams = JSON.stringify(operations['get'] ?? {}).includes('text/event-stream')
    const methods = Object.keys(operations).map((method) => method.toUpperCase())
    const allowed = [...methods, ...(methods.includes('GET') && !streams ? ['HEAD'] : [])]
    for (const method of ['OPTIONS', 'PROPFIND', ...(streams ? ['HEAD'] : [])]) {
      const { status, named } = await refused(`${address}${path.replaceAll(/[{}]/g, '')}`, method)
      assert.equal(status, 405, `${method} ${path}`)
      // An address with a name in its place may fit another one, which has more methods.
      assert.deepEqual(
        allowed.filter((own) => !named.includes(own)),
        [],
        path,
      )
      assert.equal(named.includes('HEAD') && streams, false, path)
    }
  }
  const [got, head] = await Promise.all(
    ['GET', 'HEAD'].map((method) => fetch(`${address}/openapi.json`, { method })),
  )
  assert.deepEqual([got?.status, head?.status, await head?.text()], [200, 200, ''])
  assert.equal(head?.headers.get('content-type'), got?.headers.get('content-type'))
  await got?.body?.cancel()
})

test('what the server tells about itself has a schema, which the answers fit', async (t) => {
  const { address, document } = await openApi(t)
  const ajv = new Ajv2020({ strict: false })

  for (const path of ['/', '/health', '/ready']) {
    const schema = document.paths[path]?.['get']?.responses[200]?.content?.['application/json']?.schema
    assert.ok(schema, path)
    const answer = await (await fetch(`${address}${path}`)).json()
    assert.equal(ajv.validate(schema, answer), true, JSON.stringify(ajv.errors))
    assert.equal(ajv.validate(schema, {}), false)
  }
})

test('every answer has a schema', async (t) => {
  const { document } = await openApi(t)
  const without = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const described = Object.values(responses[200]?.content ?? {})
      return described.length > 0 && described.every(({ schema }) => schema) ? [] : [`${method} ${path}`]
    }),
  )

  assert.deepEqual(without, [])
})

/** What the test below does not ask for: tools, whose answers are checked at each call, what other tests ask, and what is not JSON. */
const NOT_ASKED: readonly string[] = [
  ...['get /', 'get /health', 'get /ready', 'get /events', 'get /workspace/observe'],
  ...['get /skills/satchel', 'get /workspace/page'],
  // The compiler compares them with their schemas, or they have that of a join.
  ...['get /replica/ping', 'post /replica/session', 'post /replica/join', 'post /session/renew'],
]

test('what the routes of a room answer fits their schemas', async (t) => {
  const text = `# Plan\n\n- [ ] a [link](https://example.org)\n\n3. x\n\n| a |\n|:-|\n| b |\n`
  const server = await openRoomServer(t, { text })
  const door = await listen(t, server.opened.host)
  const { token } = await server.join('ada', ['read', 'propose', 'observe', 'invite', 'checkout'])
  const ask = (method: string, path: string, body?: object) =>
    askAt(door, path, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { body }),
    })
  const edits = [{ old: 'a [link]', new: 'the [link]' }]
  await ask('POST', '/workspace/propose', { base_version: 1, summary: 'clearer', edits })
  await ask('POST', '/workspace/checkout', { target: 'workspace' })
  const handed = await ask('POST', '/workspace/handoff', { title: 'a', objective: 'b' })
  const invited = await ask('POST', '/workspace/invite', {})
  const document = (await askAt(door, '/openapi.json')).json as unknown as ApiDocument
  const ajv = new Ajv2020({ strict: false }).addSchema({ $id: 'api', ...document })
  const asked: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['get', '/workspace/room'],
    ['get', '/workspace/markup'],
    ['post', '/workspace/tasks/{task_id}', { kind: 'get' }],
    ['post', '/session/join', { invite: invited.json['uri'], name: 'bob' }],
    ...['/.well-known/agent-workspace', '/protocol', '/skills', '/openapi.json'].map(
      (path) => ['get', path] as const,
    ),
  ]

  for (const [method, path, body] of asked) {
    const place = `#/paths/${path.replaceAll('/', '~1')}/${method}/responses/200/content/application~1json/schema`
    const { status, json } = await askAt(door, path.replace('{task_id}', String(handed.json['task_id'])), {
      method: method.toUpperCase(),
      ...(path.startsWith('/workspace') && { headers: { authorization: `Bearer ${token}` } }),
      ...(body && { body }),
    })
    const fits = (value: unknown) => ajv.validate({ $ref: `api${encodeURI(place)}` }, value)
    assert.equal(status, 200, path)
    assert.ok(fits(json), `${path}: ${JSON.stringify(ajv.errors)}\n${JSON.stringify(json).slice(0, 2000)}`)
    assert.equal(fits({}), false, path)
  }
  const room = (await ask('GET', '/workspace/room')).json
  for (const list of ['participants', 'leases', 'proposals', 'handoffs', 'invites', 'events'])
    assert.ok(Array.isArray(room[list]) && room[list].length > 0, list)
  const names = asked.map(([method, path]) => `${method} ${path}`)
  const tools = new Set(server.opened.host.registry.tools.map(({ tool }) => tool.name))
  const others = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !tools.has(operationId.replace(/_\d+$/, '')))
      .map(([method]) => `${method} ${path}`),
  )
  assert.deepEqual(
    others.filter((name) => !names.includes(name) && !NOT_ASKED.includes(name)),
    [],
  )
})

async function refused(url: string, method: string): Promise<{ status: number; named: readonly string[] }> {
  const answer = await fetch(url, { method })
  await answer.body?.cancel()
  return { status: answer.status, named: (answer.headers.get('allow') ?? '').split(', ') }
}
