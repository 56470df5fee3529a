import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { measureStores } from './growth.ts'

/** Measures a program that prints a word for each call, unless its words match `silent`. */
async function measured(t: TestContext, silent: RegExp) {
  const folder = await temporaryFolder(t)
  const program = join(folder, 'program.mjs')
  await writeFile(program, `if (!${silent}.test(process.argv.slice(2).join(' '))) console.log('told')\n`)
  return measureStores(folder, [1], {
    program: [process.execPath, program],
    env: process.env,
    signal: t.signal,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    note() {},
  })
}

test('a hook that prints nothing fails the bench, and one that has nothing to print does not', async (t) => {
  await assert.rejects(measured(t, /hook session-start/), /hook session-start printed nothing/)

  const [store] = await measured(t, /hook pre-compact/)
  assert.deepEqual(
    [...(store?.least ?? [])].map(([call, { printed }]) => [call, printed > 0]),
    [
      ['hook', true],
      ['capture', false],
      ['list', true],
      ['resume', true],
      ['create', true],
      ['search', true],
    ],
  )
})
