import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOfEachChannel, untoldTo } from './told-story.ts'

for (const client of clientOfEachChannel().slice(1))
  test(`sessions of ${client.harness}, whose channel is another, are told the same story`, async (t) => {
    assert.deepEqual(await untoldTo(t, client), [])
  })
