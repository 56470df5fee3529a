import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { openProject, type Running } from '../server/cli/testing/run-cli.ts'
import { temporaryFolder } from './harness/index.ts'

const statusAt = async (socketPath: string): Promise<number | undefined> => {
  const asked = request({ socketPath, path: '/handoffs', agent: false })
  const answered = once(asked, 'response')
  asked.end()
  const [response] = await answered
  response.resume()
  await once(response, 'end')
  return response.statusCode
}

const serveAt = (socket: string): string[] => [
  'serve',
  ...['--host', '127.0.0.1', '--port', '0', '--socket', socket, '--json'],
]
const listens = (running: Running) => running.heard('out', /^\{.*\}\n/)

test('serve --socket serves this user at a private socket that is removed at the end', async (t) => {
  const { start } = await openProject(t)
  const socket = join(await temporaryFolder(t), 'api.sock')
  const argv = serveAt(socket)

  const first = start(argv)
  await listens(first)
  const { mode } = await stat(socket)
  const served = await statusAt(socket)
  const second = await start(argv).done
  first.send('SIGTERM')
  await first.done

  assert.deepEqual([mode & 0o777, served], [0o600, 200])
  assert.equal(second.code, 7)
  assert.match(`${second.out}${second.err}`, /taken/)
  await assert.rejects(stat(socket), { code: 'ENOENT' })
})

test('serve --socket replaces a socket that a killed server left', async (t) => {
  const { start } = await openProject(t)
  const socket = join(await temporaryFolder(t), 'api.sock')
  const listen = 'require("net").createServer().listen(process.argv[1], () => console.log("up"))'
  const killed = spawn(process.execPath, ['-e', listen, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'exit')

  const running = start(serveAt(socket))
  await listens(running)
  const served = await statusAt(socket)
  running.send('SIGTERM')
  await running.done

  assert.equal(served, 200)
})
