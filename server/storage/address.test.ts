import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSatchelError } from '../contract/errors.ts'
import { openWire } from './postgres.lazy.ts'

const UNCLEAR = [
  'postgres://app:12/hunter2@127.0.0.1:5432/satchel',
  'postgres://app:12#hunter2@127.0.0.1:5432/satchel',
  'postgres://app:12?hunter2@127.0.0.1:5432/satchel',
  'postgres://app:12?hunter2=a@127.0.0.1:5432/satchel',
  'postgres://app:x@y/hunter2@127.0.0.1:5432/satchel',
  'postgres://app:x@hunter2@127.0.0.1:5432/satchel',
  'postgres://app:S3cr@hunter2#PW@127.0.0.1:5432/satchel',
  'postgres://app:S3cr@hunter2?PW@127.0.0.1:5432/satchel',
  'postgres://app:x@127.0.0.1:5432/hunter2/satchel',
  'postgres://app:x@127.0.0.1:5432/hunter2:satchel',
  'postgres://app:hunter2 x@127.0.0.1:5432/satchel',
  'mysql://app:hunter2@127.0.0.1:5432/satchel',
]

for (const url of UNCLEAR) {
  test(`an address that may show a part of its password is refused: ${url}`, () => {
    assert.throws(
      () => openWire(url),
      (thrown) => {
        assert.ok(isSatchelError(thrown))
        assert.equal(thrown.reason, 'storage_url')
        assert.match(thrown.message, /percent-encode the password/i)
        assert.doesNotMatch(JSON.stringify({ ...thrown, text: `${thrown.stack}` }), /hunter2|S3cr|PW/)
        return true
      },
    )
  })
}

const CLEAR: Readonly<Record<string, string>> = {
  'postgres://app:12%2Fhunter2@127.0.0.1:5432/satchel': 'satchel at 127.0.0.1:5432',
  'postgres://app:a:b!$&*()+,;=~@db.example.org/satchel': 'satchel at db.example.org:5432',
  'postgresql://app@[::1]:6432/satchel?sslmode=disable': 'satchel at ::1:6432',
  'postgres:///satchel?host=/run/postgresql&port=5433': 'satchel at /run/postgresql:5433',
  'postgres://app@%2Frun%2Fpostgresql/satchel': 'satchel at /run/postgresql:5432',
}

for (const [url, place] of Object.entries(CLEAR)) {
  test(`an address is taken: ${url}`, async () => {
    const wire = openWire(url)

    assert.equal(wire.place, place)
    await wire.end()
  })
}
