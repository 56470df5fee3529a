import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openProject } from '../../server/cli/testing/run-cli.ts'
import { listen } from '../../server/http/testing/listen.ts'
import { openRoomServer } from '../workspace-server-fixture.ts'
import { attack } from './rest-requests.ts'

/** As many in `npm run check:long`, where the seed is another one in each run. */
const REQUESTS = Number(process.env['ATTACK_REQUESTS'] ?? 300)
const SEED = Number(process.env['SEED'] ?? 20_261)

/** Serves the built-in plugins and, if given, the plugin with this source. */
async function served(t: TestContext, plugin?: string): Promise<string> {
  const { root, serve } = await openProject(t)
  if (plugin !== undefined) {
    await writeFile(join(root, 'planted.mjs'), plugin)
    await writeFile(join(root, 'satchel.yaml'), 'plugins: { ./planted.mjs: {} }\n')
  }
  return (await serve()).address
}

test('every answer to a request that the API document allows, or nearly allows, is documented there', async (t) => {
  const address = await served(t)

  const { statuses, faults } = await attack({ address, count: REQUESTS, seed: SEED })

  t.diagnostic(`seed ${SEED}: ${JSON.stringify([...statuses].sort())}`)
  assert.deepEqual(faults.slice(0, 5), [])
  assert.equal((await fetch(`${address}/health`)).status, 200)
  assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0, 'both kinds of requests were made')
})

/** Fewer than a session may make in a minute. */
const REQUESTS_PER_SESSION = 80

test('so is every answer to a session of a room that has all rights', async (t) => {
  const server = await openRoomServer(t)
  const door = await listen(t, server.opened.host)
  let used = REQUESTS_PER_SESSION
  let token = ''
  const bearer = async (): Promise<string> => {
    if (used++ >= REQUESTS_PER_SESSION) {
      ;({ token } = await server.join('ada', ['*']))
      used = 1
    }
    return token
  }
  const endsSession = /session\/end|leave/

  const { statuses, faults } = await attack({
    address: door.address,
    count: Math.ceil(REQUESTS / 2),
    seed: SEED,
    wants: ({ path }) => path.startsWith('/workspace') && !endsSession.test(path),
    bearer,
  })

  t.diagnostic(`seed ${SEED}: ${JSON.stringify([...statuses].sort())}`)
  assert.deepEqual(faults.slice(0, 5), [])
  assert.ok((statuses.get(200) ?? 0) > 0 && (statuses.get(400) ?? 0) > 0, 'both kinds of requests were made')
})

test('faults that are planted in one tool are found: an error, and a refusal that is not documented', async (t) => {
  const address = await served(
    t,
    `import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
     import { SatchelError } from ${JSON.stringify(import.meta.resolve('../../server/plugin.ts'))}
     export default {
       name: 'planted', version: '1.0.0', apiVersion: 1, config: z.object({}),
       setup: async () => ({ tools: [{
         name: 'planted_tool', title: 'Planted', description: 'Fails for some texts.', profile: 'full',
         input: z.object({ text: z.string().describe('any') }), output: z.object({}),
         annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
         http: { method: 'POST', path: '/planted' }, example: { text: 'a' },
         handler: async (_, { text }) => {
           if (text.includes('/')) throw new TypeError('planted')
           if (text.includes('a')) throw new SatchelError('conflict', 'planted_reason', 'Planted.')
           return {}
         },
         headline: () => '',
       }] }),
     }`,
  )

  const wants = ({ path }: { readonly path: string }) => path === '/planted'
  const { faults } = await attack({ address, count: 60, seed: SEED, wants })

  assert.ok(faults.some((fault) => fault.startsWith('500: ') && fault.includes('POST /planted')))
  assert.ok(
    faults.some((fault) => fault.startsWith('409 is not documented')),
    faults.join('\n').slice(0, 2000),
  )
})
