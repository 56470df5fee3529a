import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPass, type PassKey, passIn } from './replica-pass.ts'

const NOW_MS = 1_800_000_000_000
const owner: PassKey = { key: Buffer.alloc(32, 1), fence: 'a', nowMs: () => NOW_MS }
const later = (ms: number): PassKey => ({ ...owner, nowMs: () => NOW_MS + ms })

test('a pass counts at the owner for which it was made, for its session or the server itself', () => {
  assert.deepEqual(passIn(owner, newPass(owner, 'ssn_1')), { session: 'ssn_1' })
  assert.deepEqual(passIn(owner, newPass(owner)), {})
  assert.deepEqual(passIn(later(29_000), newPass(owner)), {})
})

test('a pass of another key, owner or time is none, nor is one that was changed', () => {
  const pass = newPass(owner, 'ssn_1')
  const [body = '', signed = ''] = pass.slice('rep_'.length).split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...claims, session: 'ssn_2' })).toString('base64url')
  const refused = {
    'another key': newPass({ ...owner, key: Buffer.alloc(32, 2) }, 'ssn_1'),
    'another owner': newPass({ ...owner, fence: 'b' }, 'ssn_1'),
    'from a clock far ahead': newPass(later(60_000), 'ssn_1'),
    'another session': `rep_${changed}.${signed}`,
    'no signature': `rep_${body}.`,
    'a short signature': `rep_${body}.${signed.slice(1)}`,
    'another word': pass.replace('rep_', 'ses_'),
    nothing: '',
  }

  for (const [what, bearer] of Object.entries(refused)) assert.equal(passIn(owner, bearer), undefined, what)
  assert.equal(passIn(later(31_000), pass), undefined, 'an old one')
})
