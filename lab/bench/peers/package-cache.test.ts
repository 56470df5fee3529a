import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { openPackageCache } from './package-cache.ts'

const { signal } = new AbortController()

describe('the cache of rivals', () => {
  it('installs without scripts, into its own folder, once', async (t) => {
    const { folder, npm, calls } = await stub(t, 0)
    const cache = openPackageCache(folder, { signal, npm })

    const place = await cache.install(['a@1.0.0'])
    await cache.install(['a@1.0.0'])

    const [first = '', ...others] = await calls()
    assert.deepEqual(others, [])
    assert.match(first, /^install --ignore-scripts .* a@1\.0\.0$/)
    assert.ok(place.startsWith(folder))
  })

  it('says what npm said where there is no registry, after two tries, and tries again the next time', async (t) => {
    const { folder, npm, calls } = await stub(t, 1)
    const cache = openPackageCache(folder, { signal, npm })

    await assert.rejects(cache.install(['a@1.0.0']), { message: 'not installed: code ENOTFOUND' })
    await assert.rejects(cache.script(['a@1.0.0'], 'x.mjs', ''), { message: 'not installed: code ENOTFOUND' })

    assert.equal((await calls()).length, 4)
  })
})

/** A program in the place of npm that notes its arguments and ends with `code`, and an empty cache. */
async function stub(t: TestContext, code: number) {
  const folder = await temporaryFolder(t)
  const script = join(folder, 'npm.mjs')
  await writeFile(script, STUB)
  const calls = async (): Promise<readonly string[]> =>
    (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
  return { folder, npm: [process.execPath, script, join(folder, 'calls'), String(code)], calls }
}

const STUB = `import { appendFileSync } from 'node:fs'
const [calls, code, ...words] = process.argv.slice(2)
appendFileSync(calls, words.join(' ') + '\\n')
if (code !== '0') console.error('npm error code ENOTFOUND\\nnpm error A complete log of this run')
process.exit(Number(code))
`
