import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { FROM_SOURCES } from '../../test/from-sources.ts'

const MEASURE = `
import { compileAtFirstCall } from './early-code.ts'

const before = new Function('return 1')
before()
before()
const wasCompiled = eval('%ActiveTierIsSparkplug(before)')
compileAtFirstCall()
const after = new Function('return 2')
after()
after()
console.log(JSON.stringify([wasCompiled, eval('%ActiveTierIsSparkplug(after)')]))
`

test('a function is compiled at its first call, which it is not by itself', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--allow-natives-syntax', ...FROM_SOURCES, '--input-type=module', '-e', MEASURE],
    { cwd: import.meta.dirname },
  )

  assert.deepEqual(JSON.parse(stdout), [false, true])
})
