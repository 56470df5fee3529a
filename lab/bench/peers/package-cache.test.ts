import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openPackageCache } from './package-cache.ts'

const { signal } = new AbortController()

describe('the cache of rivals', { skip: process.platform === 'win32' && 'the stub of npm is a shell script' }, () => {
  it('installs without scripts, into its own folder, once', async (t) => {
    const { folder, npm } = await stub(t, 'echo "$@" >> ../calls; mkdir -p node_modules')
    const cache = openPackageCache(folder, { signal, npm })

    const place = await cache.install(['a@1.0.0'])
    await cache.install(['a@1.0.0'])

    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
    assert.equal(calls.length, 1)
    assert.match(calls[0] ?? '', /^install --ignore-scripts .* a@1\.0\.0$/)
    assert.ok(place.startsWith(folder))
  })

  it('says what npm said where there is no registry, after two tries, and tries again the next time', async (t) => {
    const { folder, npm } = await stub(
      t,
      'echo x >> ../calls; echo "npm error code ENOTFOUND" >&2; echo "npm error A complete log of this" >&2; exit 1',
    )
    const cache = openPackageCache(folder, { signal, npm })

    await assert.rejects(cache.install(['a@1.0.0']), { message: 'not installed: code ENOTFOUND' })
    await assert.rejects(cache.script(['a@1.0.0'], 'x.mjs', ''), { message: 'not installed: code ENOTFOUND' })

    assert.equal((await readFile(join(folder, 'calls'), 'utf8')).length, 8)
  })
})

/** A program in the place of npm, and an empty cache. */
async function stub(t: TestContext, script: string): Promise<{ folder: string; npm: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-cache-'))
  t.after(() => rm(folder, { recursive: true }))
  const npm = join(folder, 'npm')
  await writeFile(npm, `#!/bin/sh\n${script}\n`)
  await chmod(npm, 0o755)
  return { folder, npm }
}
