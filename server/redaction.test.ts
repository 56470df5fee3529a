import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactText } from './redaction.ts'

const PASSWORDS = ['hunter2', '12/hunter2', '12#hunter2', '12?hunter2', 'x@y/hunter2', 'hunter2"/\'x']

for (const password of PASSWORDS) {
  test(`an address of a database is shown without its password ${password}`, () => {
    const shown = redactText(`it is postgres://app:${password}@127.0.0.1:5432/satchel now`)

    assert.equal(shown, 'it is postgres://[redacted]@127.0.0.1:5432/satchel now')
  })
}
