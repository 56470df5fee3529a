import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'
import { listening } from './harness/listening.ts'

const ENDED = { status: 401, body: { code: 'unauthorized', reason: 'session_expired', detail: 'ended' } }

test('observe goes on with a renewed session where it was, and says that a session has ended for good', async (t) => {
  const home = await temporaryFolder(t)
  const asked: string[] = []
  const renewals = [{ status: 200, body: { token: 'ses_new', workspace_id: 'ws_1' } }, ENDED]
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim())
    if (request.url?.startsWith('/workspace/observe')) {
      const since = Number(/=(\d+)$/.exec(request.url)?.[1])
      const event = { event_id: since + 1, event_type: 'lease.acquired', created_at: '', payload: {} }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      return void response.end(`retry: 5000\n\nid: ${since + 1}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    const { status, body } = request.url === '/session/renew' ? (renewals.shift() ?? ENDED) : ENDED
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const { url } = await listening(t, server)
  const folder = join(home, '.config', 'satchel', 'sessions')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'ws_1.json'), JSON.stringify({ url, token: 'ses_old', workspace_id: 'ws_1' }))

  const argv = ['workspace', 'observe', '--since', '4', '--json']
  const { code, out } = await startCli(argv, { cwd: home, env: { HOME: home } }).done

  const [first, second, refused] = out.trimEnd().split('\n', 2).concat(out.split('\n').slice(2).join('\n'))
  assert.deepEqual([JSON.parse(first ?? '').event_id, JSON.parse(second ?? '').event_id], [5, 6])
  assert.deepEqual([code, JSON.parse(refused ?? '').error.reason], [6, 'session_expired'])
  assert.deepEqual(
    asked.filter((each) => each.includes('observe')),
    [
      'GET /workspace/observe?since_event_id=4 Bearer ses_old',
      'GET /workspace/observe?since_event_id=5 Bearer ses_new',
    ],
  )
})
