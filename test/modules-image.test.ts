import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { discover } from './container/discover.ts'
import { findEngine } from './container/engine.ts'
import { freePort } from './free-port.ts'

const ROOT = join(import.meta.dirname, '..')
const [, BASE = ''] = /^FROM (\S+)/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? []
/** `1`: nothing that is missing is an excuse, the build itself says what it is. `0`: not even tried. */
const wish = process.env['SATCHEL_DOCKER']

test('every target builds and answers, where a container engine can build, and with SATCHEL_DOCKER=1 it must', async (t) => {
  const engine = wish === '0' ? undefined : findEngine()
  assert.ok(engine !== undefined || wish !== '1', 'no container engine answers: docker, podman or buildah')
  const lack = wish === '1' ? undefined : engine?.lackFor(BASE)
  if (engine === undefined || lack !== undefined) {
    const why = wish === '0' ? 'SATCHEL_DOCKER is 0' : 'docker, podman and buildah do not answer'
    t.skip(`NOT BUILT: ${lack ?? why}; linted and run without one`)
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
