import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { vectorFolder } from '../plugins/modules/testing/one-module.ts'
import { runSatchel, withoutSockets } from './satchel-process.ts'

test('ingesting, searching and rebuilding open no socket', async (t) => {
  const root = await vectorFolder(t)
  await writeFile(join(root, 'sockets'), '')
  for (const args of [['ingest'], ['search', 'private network', '--json'], ['modules', 'rebuild']]) {
    const { code, out, err } = await runSatchel(root, args, withoutSockets(join(root, 'sockets')))
    assert.equal(code, 0, `${args.join(' ')}\n${out}${err}`)
  }
  assert.equal(await readFile(join(root, 'sockets'), 'utf8'), '')

  const bite = "require('node:net').connect(1, '127.0.0.1')"
  const biting = spawn(process.execPath, ['-e', bite], {
    env: { ...process.env, ...withoutSockets(join(root, 'sockets')) },
    stdio: 'ignore',
  })
  assert.notDeepEqual(await once(biting, 'close'), [0, null])
  assert.equal(await readFile(join(root, 'sockets'), 'utf8'), 'tcp\n')
})
