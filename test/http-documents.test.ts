import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { plugin as workspace } from '../plugins/workspace/index.ts'
import { copyAssets } from '../scripts/assets.ts'
import { listen } from '../server/http/testing/listen.ts'
import { askAt, openDoor } from '../server/http/testing/open-door.ts'
import { openHost, temporaryFolder } from './harness/index.ts'

interface Described {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Described>>
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
}

interface RoomOperation extends Operation {
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: { readonly required: readonly string[]; readonly properties: object }
      }
    }
  }
}

describe('the API listener with a room', () => {
  it('is the room’s ingress too: it says how to join and hides what is the owner’s', async (t) => {
    const projectRoot = await temporaryFolder(t)
    const settings = { file: join(projectRoot, 'idea.md') }
    const { host } = await openHost(t, { plugins: [{ plugin: workspace, settings }], projectRoot })
    const door = await listen(t, host)
    const status = async (path: string) => (await askAt(door, path)).status

    for (const path of [
      '/.well-known/agent-workspace',
      '/protocol',
      '/skills',
      '/skills/satchel',
      '/health',
    ]) {
      assert.equal(await status(path), 200, path)
    }
    assert.equal(await status('/workspace/status'), 401)
    assert.equal(await status('/local/ping'), 404)
    assert.equal(await status('/owner/claim'), 404)
  })
})

describe('the API document of a room', () => {
  it('names every address once, and says how to join and where a stream goes on', async (t) => {
    const projectRoot = await temporaryFolder(t)
    const settings = { file: join(projectRoot, 'idea.md') }
    const { host } = await openHost(t, { plugins: [{ plugin: workspace, settings }], projectRoot })
    const door = await listen(t, host)

    const { json } = await askAt(door, '/openapi.json')
    const valid = await new Validator().validate(structuredClone(json))
    const paths = json['paths'] as Record<string, Record<string, RoomOperation>>
    const ids = Object.values(paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    )
    const parametersOf = (path: string) =>
      paths[path]?.['get']?.parameters.map(({ name, in: place }) => `${place} ${name}`)
    const joining = paths['/session/join']?.['post']
    const body = joining?.requestBody?.content['application/json'].schema

    assert.deepEqual(valid, { valid: true })
    assert.ok(ids.every((id) => typeof id === 'string' && id !== ''))
    assert.equal(new Set(ids).size, ids.length)
    assert.equal(joining?.operationId, 'session-join')
    assert.deepEqual(
      [body?.required, Object.keys(body?.properties ?? {})],
      [
        ['invite', 'name'],
        ['invite', 'name', 'kind'],
      ],
    )
    assert.deepEqual(parametersOf('/workspace/observe'), ['header Last-Event-ID', 'query since_event_id'])
    assert.deepEqual(parametersOf('/events'), ['query topics'])
    for (const path of ['/skills/satchel', '/workspace/page']) {
      const served = (await askAt(door, path)).headers['content-type']
      const described = Object.keys(paths[path]?.['get']?.responses['200']?.content ?? {})
      assert.deepEqual(described, [String(served).split(';')[0]], path)
    }
  })
})

describe('documents of the API', () => {
  it('has pages that work below the prefix of a reverse proxy: all of their addresses are relative', async (t) => {
    const { ask } = await openDoor(t)
    const base = 'http://proxy.example/tools/satchel'

    for (const path of ['/docs', '/redoc']) {
      const { text } = await ask(path)
      const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
      assert.ok(named.length > 3)
      for (const name of named) {
        const { href } = new URL(name, `${base}${path}`)
        assert.ok(href.startsWith(`${base}/`), href)
        assert.equal((await ask(href.slice(base.length))).status, 200, href)
      }
      const { text: start } = await ask(`${path}/start.js`)
      assert.match(start, /'openapi\.json'/)
    }
    const { json } = await ask('/openapi.json')
    const [server] = json['servers'] as [{ url: string }]
    assert.equal(new URL(server.url, `${base}/openapi.json`).href, `${base}/`)
  })

  it('has an OpenAPI document that an independent validator accepts', async (t) => {
    const { ask } = await openDoor(t)
    const { json } = await ask('/openapi.json')
    const pages = [await ask('/docs'), await ask('/redoc')]

    for (const { headers, text } of pages) {
      const policy = String(headers['content-security-policy'])
      assert.match(
        policy,
        /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; /,
      )
      assert.match(policy, /connect-src 'self'; font-src 'self' data:; worker-src blob:; /)
      assert.equal(/<script>|<script [^>]*>[^<]|https?:/.test(text), false)
    }
    const result = await new Validator().validate(structuredClone(json))

    assert.deepEqual(result, { valid: true })
    const paths = json['paths'] as Record<string, Record<string, Operation>>
    const note = paths['/notes/{id}']?.['get']
    assert.match(String(json['openapi']), /^3\.1\./)
    assert.equal(note?.operationId, 'note_get')
    assert.deepEqual(
      note?.parameters.map(({ name, in: place }) => `${place} ${name}`),
      [
        'path id',
        'query limit',
        'query where',
        'query deep',
        'query tags',
        'query sizes',
        'header if-none-match',
      ],
    )
    const answered = await ask('/notes/7')
    const { etag } = answered.headers
    const again = await ask('/notes/7', { headers: { 'if-none-match': String(etag) } })
    assert.ok(note?.responses['200']?.headers?.['ETag'] && etag)
    assert.ok(note.responses[String(again.status)], `${again.status} is described`)
    assert.equal(again.status, 304)
    assert.equal(JSON.stringify(json).includes('x-satchel-untrusted'), false)
  })

  it('holds the schema of a record so that every reference leads somewhere and nothing is fetched', async (t) => {
    const { ask } = await openDoor(t)
    const { json, text } = await ask('/openapi.json')

    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => String(reference))

    const at = (pointer: string): unknown =>
      pointer
        .split('/')
        .slice(1)
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], json)
    for (const reference of references) assert.ok(at(reference), reference)
    assert.ok(references.includes('#/components/schemas/Note_record.Part'))
    assert.deepEqual(Object.keys(at('#/components/schemas/Note_record/properties') as object), [
      '$schema',
      'definitions',
      'parts',
      'above',
    ])
    assert.equal(text.includes('note.example'), false)
  })

  it('copies every packaged file with its licence and its sum, and redoc without the foreign logo', async (t) => {
    const folder = await temporaryFolder(t)

    const names = await copyAssets(folder)

    const sums = await readFile(join(folder, 'SHA256SUMS'), 'utf8')
    assert.equal(sums.trim().split('\n').length, names.length - 1)
    assert.ok(
      sums
        .split('\n')
        .slice(0, -1)
        .every((line) => /^[0-9a-f]{64} {2}\S+$/.test(line)),
    )
    const redoc = await readFile(join(folder, 'redoc.standalone.js'), 'utf8')
    assert.equal(redoc.includes('cdn.redoc.ly'), false)
    assert.ok(redoc.includes('data:image/svg+xml'))
    assert.ok(names.includes('LICENSE.redoc') && names.includes('NOTICE.swagger-ui'))
  })
})
