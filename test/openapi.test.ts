import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { listen } from '../server/http/testing/listen.ts'
import { askAt } from '../server/http/testing/open-door.ts'
import { temporaryFolder } from './harness/index.ts'
import { openWholeHost } from './harness/whole-host.ts'

interface Operation {
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

async function refused(url: string, method: string): Promise<{ status: number; named: readonly string[] }> {
  const answer = await fetch(url, { method })
  await answer.body?.cancel()
  return { status: answer.status, named: (answer.headers.get('allow') ?? '').split(', ') }
}
