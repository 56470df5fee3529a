import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeManyRecords } from '../../../plugins/modules/testing/many-records.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { SATCHEL } from '../../../test/satchel-process.ts'
import { measureServer } from './search-server.ts'

test('the bench asks a real server and measures every search and how long it was deaf', async (t) => {
  const dir = join(await temporaryFolder(t), 'many')
  await writeManyRecords(dir, 50, 3)
  const env = { ...process.env, SERVICE_CONFIG: join(dir, 'satchel.yaml') }

  const times = await measureServer(SATCHEL, env, new AbortController().signal)

  for (const [name, value = 1] of Object.entries(times) as [string, number | undefined][])
    assert.ok(value > 0 && value < 10_000, `${name}: ${value}`)
  assert.ok(times.search >= times.ping)
})
