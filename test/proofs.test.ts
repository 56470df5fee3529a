import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadProofs, missingProofs, outcomesOf, type Proofs, unshownProofs } from '../scripts/proofs.ts'

/** One expectation with these proofs, and nothing else. */
function claiming(...proof: string[]): Proofs {
  return {
    expectations: [{ who: 'a reader', expectation: 'It holds.', proof }],
    threats: [],
    promises: [],
    skips: [{ test: 'test/proofs.test.ts: needs a moon', why: 'none is at hand' }],
  }
}

const reportOf = (...cases: string[]): string =>
  `<testsuites>${cases.map((one) => `<testcase name=${one}</testcase>`).join('')}</testsuites>`

test('every row names proofs that exist', () => {
  const proofs = loadProofs()

  assert.ok(proofs.expectations.length >= 40 && proofs.threats.length >= 14 && proofs.promises.length >= 12)
})

test('a row without a proof, a renamed test, a missing file and an unknown command are found', () => {
  const wrong = [
    'test/package.test.ts: every version is approximate',
    'test/none.test.ts: every row names proofs that exist',
    '$ npm run nothing',
    '$ satchel nothing',
  ]

  assert.equal(missingProofs(claiming()).length, 1)
  for (const one of wrong) assert.equal(missingProofs(claiming(one)).length, 1, one)
})

test('a proof counts only when the report shows that it passed', () => {
  const claim = claiming(['a.test.ts: the "sum" of $', '{a} is <right>'].join(''))
  const name = '"the &amp;quot;sum&amp;quot; of 1 is &lt;right>"'

  assert.deepEqual(unshownProofs(claim, outcomesOf(reportOf(`${name}/>`))), [])
  for (const outcome of ['<failure type="x"/>', '<skipped type="skipped"/>']) {
    assert.match(unshownProofs(claim, outcomesOf(reportOf(`${name}>${outcome}`))).join(), /did not run/)
  }
  assert.match(unshownProofs(claim, outcomesOf(reportOf('"another"/>'))).join(), /did not run/)
})

test('a skipped test is a failure unless it is listed with its reason', () => {
  const skipped = (name: string) => outcomesOf(reportOf(`"${name}"><skipped type="skipped"/>`))

  assert.deepEqual(unshownProofs(claiming(), skipped('needs a moon')), [])
  assert.match(unshownProofs(claiming(), skipped('needs a sun')).join(), /skipped, and not listed/)
})
