import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { discover } from './container/discover.ts'
import { findEngine } from './container/engine.ts'
import { freePort } from './free-port.ts'

const ROOT = join(import.meta.dirname, '..')
/** The builds take longer than the runner gives a file: TEST_TIMEOUT_MS goes with SATCHEL_DOCKER, as in `check:long`. */
const engine = process.env['SATCHEL_DOCKER'] === '1' ? findEngine() : undefined

test('every target builds and answers, where a container engine is at hand and SATCHEL_DOCKER=1', async (t) => {
  if (engine === undefined) {
    t.skip('NOT BUILT: no container engine answers, or SATCHEL_DOCKER is not 1; linted and run without one')
    return
  }
  const [cli, api, mcp, dev] = ['cli', 'api', 'mcp', 'dev'].map((target) => engine.build(target, ROOT)) as [
    string,
    string,
    string,
    string,
  ]

  for (const image of [cli, api, mcp, dev]) assert.equal(engine.config(image)['User'], 'node', image)
  assert.deepEqual(Object.keys(engine.config(api)['ExposedPorts'] ?? {}), ['8000/tcp'])
  assert.match(await outputOf(engine.run(t, cli)), /Usage: satchel/)
  assert.match(await outputOf(engine.run(t, dev, { command: ['npm', 'run', 'types'] })), /tsc/)
  assert.match(await discover(engine.run(t, mcp)), /"satchel"/)

  const at = { port: await freePort() }
  const server = engine.run(t, api, { at })
  server.stdout?.resume()
  let status = 0
  for (let tries = 0; status !== 200 && server.exitCode === null && tries < 600; tries++) {
    await sleep(50)
    status = await fetch(`http://127.0.0.1:${at.port}/health`).then(
      (got) => got.status,
      () => 0,
    )
  }
  assert.equal(status, 200)
})

/** What it printed; it must end well. */
async function outputOf(child: ChildProcess): Promise<string> {
  assert.ok(child.stdin && child.stdout)
  child.stdin.end()
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  assert.equal(code, 0)
  return printed
}
