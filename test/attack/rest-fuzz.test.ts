import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openProject } from '../../server/cli/testing/run-cli.ts'
import { ERROR_TABLE } from '../../server/error-table.ts'
import { createInputs, randomFrom } from './inputs.ts'

/** As many in `npm run check:long`, where the seed is another one in each run. */
const REQUESTS = Number(process.env['ATTACK_REQUESTS'] ?? 300)
const SEED = Number(process.env['SEED'] ?? 20_261)
const DOCUMENTED: ReadonlySet<number> = new Set([
  ...Object.values(ERROR_TABLE).map(({ http }) => http),
  ...[304, 405, 408, 415],
])

type Json = Readonly<Record<string, unknown>>
interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Json[]
  readonly body: unknown
  readonly streams: boolean
}

function operationsIn(document: Json): Operation[] {
  return Object.entries(document['paths'] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => {
      const content = (operation['requestBody'] as Json | undefined)?.['content'] as Json | undefined
      return {
        method: method.toUpperCase(),
        path,
        parameters: (operation['parameters'] ?? []) as Json[],
        body: (content?.['application/json'] as Json | undefined)?.['schema'],
        streams: JSON.stringify(operation['responses']).includes('text/event-stream'),
      }
    }),
  )
}

/** A request for an operation; what a client cannot write is sent in escaped form. */
function requestFor(operation: Operation, inputs: ReturnType<typeof createInputs>) {
  let { path } = operation
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { name, in: place, schema } of operation.parameters.filter(
    ({ required }) => required || inputs.isRare(0.4),
  )) {
    const text = sendable(inputs.made(schema))
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(text) || '%20')
    else if (place === 'query') query.append(String(name), text)
    else headers[String(name)] = encodeURIComponent(text).slice(0, 4000)
  }
  const whole = `${path}${query.size > 0 ? `?${query}` : ''}`.slice(0, 12_000)
  if (operation.body === undefined) return { path: whole, init: { method: operation.method, headers } }
  headers['content-type'] = inputs.isRare(0.03) ? 'text/plain' : 'application/json'
  const body = JSON.stringify(inputs.made(operation.body))
  return { path: whole, init: { method: operation.method, headers, body } }
}

function sendable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/[\ud800-\udfff]/g, '?')
}

/** Says what is wrong with an answer; undefined if nothing is. */
function faultOf(status: number, text: string): string | undefined {
  if (status === 500) return text
  if (status < 300 || status === 304) return undefined
  const problem: Json = JSON.parse(text)
  const isWhole = problem['status'] === status && typeof problem['reason'] === 'string'
  return DOCUMENTED.has(status) && isWhole ? undefined : `${status} is not documented: ${text}`
}

/** Serves the built-in plugins and, if given, the plugin with this source. */
async function served(t: TestContext, plugin?: string): Promise<string> {
  const { root, start } = await openProject(t)
  if (plugin !== undefined) {
    await writeFile(join(root, 'planted.mjs'), plugin)
    await writeFile(join(root, 'satchel.yaml'), 'plugins: { ./planted.mjs: {} }\n')
  }
  const running = start(['serve', '--host', '127.0.0.1', '--port', '0', '--json'])
  const [line] = await running.heard('out', /^\{.*\}\n/)
  t.after(async () => {
    running.send('SIGTERM')
    await running.done
  })
  return JSON.parse(line).listeners[0].address
}

interface Attack {
  readonly address: string
  readonly count: number
  readonly wants?: (operation: Operation) => boolean
}

/** Sends requests for operations picked at random; returns what is wrong with the answers, and how often each status came. */
async function attack({ address, count, wants = () => true }: Attack) {
  const document: Json = JSON.parse(await (await fetch(`${address}/openapi.json`)).text())
  const operations = operationsIn(document).filter((one) => !one.streams && wants(one))
  const inputs = createInputs(randomFrom(SEED), document)
  const statuses = new Map<number, number>()
  const faults: string[] = []
  for (let sent = 0; sent < count; sent++) {
    const { path, init } = requestFor(inputs.pick(operations), inputs)
    const response = await fetch(`${address}${path}`, { ...init, redirect: 'manual' })
    const fault = faultOf(response.status, await response.text())
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    if (fault === undefined) continue
    const body = 'body' in init ? init.body.slice(0, 2000) : ''
    faults.push(`${init.method} ${path} ${body}: ${fault}`)
  }
  return { statuses, faults }
}

test('no request that the API document allows, or nearly allows, has an answer of 500 or one that is not documented', async (t) => {
  const address = await served(t)

  const { statuses, faults } = await attack({ address, count: REQUESTS })

  t.diagnostic(`seed ${SEED}: ${JSON.stringify([...statuses].sort())}`)
  assert.deepEqual(faults.slice(0, 5), [])
  assert.equal((await fetch(`${address}/health`)).status, 200)
  assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0, 'both kinds of requests were made')
})

test('a fault that is planted in one tool is found', async (t) => {
  const address = await served(
    t,
    `import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
     export default {
       name: 'planted', version: '1.0.0', apiVersion: 1, config: z.object({}),
       setup: async () => ({ tools: [{
         name: 'planted_tool', title: 'Planted', description: 'Fails for some texts.', profile: 'full',
         input: z.object({ text: z.string().describe('any') }), output: z.object({}),
         annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
         http: { method: 'POST', path: '/planted' }, example: { text: 'a' },
         handler: async (_, { text }) => { if (text.includes('/')) throw new TypeError('planted'); return {} },
         headline: () => '',
       }] }),
     }`,
  )

  const { faults } = await attack({ address, count: 60, wants: ({ path }) => path === '/planted' })

  assert.ok(faults.some((fault) => fault.startsWith('POST /planted') && fault.includes('Internal error')))
})
