import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDoor } from './testing/open-door.ts'

test('a challenge says that a bearer token is not valid, and asks for one where there is none', async (t) => {
  const { ask } = await openDoor(t)
  const challenge = async (authorization?: string) => {
    const credential = authorization === undefined ? {} : { authorization }
    const { status, headers } = await ask('/health', { headers: { host: 'x.example', ...credential } })
    return [status, headers['www-authenticate']]
  }

  const invalid = [401, 'Bearer realm="satchel", error="invalid_token"']
  const none = [401, 'Bearer realm="satchel"']
  assert.deepEqual(await challenge('Bearer unknown'), invalid)
  assert.deepEqual(await challenge('Bearer two words'), invalid)
  assert.deepEqual(await challenge('bearer'), invalid)
  assert.deepEqual(await challenge('Basic dXNlcjpwYXNz'), none)
  assert.deepEqual(await challenge(), none)
})
