import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { temporaryFolder } from '../harness/index.ts'
import { installPackage } from './installation.ts'

test('a package that npm does not find is refused with its name and the reason of npm', async (t) => {
  const registry = createServer((_, response) => response.writeHead(404).end('{}'))
  await once(registry.listen(0, '127.0.0.1'), 'listening')
  t.after(() => registry.close())
  const { port } = registry.address() as AddressInfo // it listens on TCP
  process.env['NPM_CONFIG_REGISTRY'] = `http://127.0.0.1:${port}`

  await assert.rejects(installPackage('no-such-harness', '1.0.0', await temporaryFolder(t)), {
    message: 'npm could not install no-such-harness@1.0.0 (E404)',
  })
})
