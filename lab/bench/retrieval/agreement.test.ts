import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readJudgedQueries } from './judged-file.ts'
import { agreementOf } from './testing/agreement.ts'

const FOLDER = join(import.meta.dirname, 'judged')

interface SecondGrade {
  readonly query: string
  readonly module: string
  readonly grade: number
}

test('agreement is 1 for equal grades, about 0 for chance, and less where grades are further apart', () => {
  const pairs = (text: string) =>
    text.split(' ').map((pair) => ({ first: Number(pair[0]), second: Number(pair[1]) }))

  assert.deepEqual(agreementOf(pairs('00 11 22')), { pairs: 3, same: 1, kappa: 1, weighted: 1 })
  assert.ok(Math.abs(agreementOf(pairs('00 02 20 22')).kappa) < 1e-9)
  assert.ok(agreementOf(pairs('00 00 22 12')).weighted > agreementOf(pairs('00 00 22 02')).weighted)
  assert.equal(agreementOf(pairs('00 00')).kappa, 1)
})

test('a second judgement of a sample agrees with the grades that searches are measured by', async (t) => {
  const judged = await Promise.all(
    ['tuning.json', 'held-out.json'].map((file) => readJudgedQueries(join(FOLDER, file))),
  )
  const grades = new Map(judged.flat().map((one) => [one.query, one.grades]))
  const second: SecondGrade[] = JSON.parse(await readFile(join(FOLDER, 'second.json'), 'utf8'))

  const agreement = agreementOf(
    second.map(({ query, module, grade }) => ({ first: grades.get(query)?.[module] ?? 0, second: grade })),
  )

  t.diagnostic(JSON.stringify(agreement))
  assert.ok(second.every(({ query }) => grades.has(query)))
  assert.ok(agreement.pairs >= 150)
  assert.ok(agreement.kappa >= 0.6 && agreement.weighted >= 0.75, JSON.stringify(agreement))
})
