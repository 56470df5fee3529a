import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { temporaryFolder } from '../harness/index.ts'
import { listening } from '../harness/listening.ts'
import { installPackage } from './installation.ts'

test('a package that npm does not find is refused with its name and the reason of npm', async (t) => {
  const registry = createServer((_, response) => response.writeHead(404).end('{}'))
  const { port } = await listening(t, registry)
  process.env['NPM_CONFIG_REGISTRY'] = `http://127.0.0.1:${port}`

  await assert.rejects(installPackage('no-such-harness', '1.0.0', await temporaryFolder(t)), {
    message: 'npm could not install no-such-harness@1.0.0 (E404)',
  })
})
