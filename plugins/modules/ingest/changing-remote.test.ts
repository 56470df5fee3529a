import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gitAfter, onFetch } from '../../../test/fixtures/shadow-git.ts'
import { refsState } from '../git/kept-listing.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'

/** An environment in which `shell` runs once before git fetches: after the refs were listed. */
function beforeFetch(dir: string, shell: string): Record<string, string | undefined> {
  const done = join(dir, 'done')
  const once = `[ -e "${done}" ] || { touch "${done}"; (unset GIT_DIR; ${shell}) >/dev/null; }`
  return { ...process.env, PATH: gitAfter(join(dir, 'tools'), onFetch(once)) }
}

test('a ref that vanishes between listing and reading costs itself only, and what was read before stays', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [
    { files: { 'main.tf': MAIN }, tags: ['v1.0'] },
    { files: { 'b.tf': MAIN }, tags: ['v2.0'] },
  ])
  const entry = { url, branches: ['main'], max_tags: 0 }
  await world.run([entry])
  await buildRemote(path, [{ continues: true, files: { 'c.tf': MAIN }, tags: ['v3.0'] }])
  const env = beforeFetch(world.dir, `git --git-dir '${path}' update-ref -d refs/tags/v3.0`)

  const report = await world.run([entry], { env })

  assert.deepEqual(
    report.failures.map(({ ref, reason, message }) => [ref, reason, /no longer exists/.test(message)]),
    [['v3.0', 'ref_not_found', true]],
  )
  assert.deepEqual(report.refs, { processed: 1, unchanged: 2, empty: 0, failed: 1 })
  assert.deepEqual(await world.files(), ['a_main.json', 'a_v1.0.json', 'a_v2.0.json'])
})

test('a tag that is moved by force while it is read is recorded as what was fetched, and said', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const old = 'variable "old" {}\n'
  const url = await buildRemote(path, [
    { files: { 'main.tf': old }, tags: ['v1.0'] },
    { files: { 'main.tf': 'variable "now" {}\n' }, branch: 'next', tags: ['other'] },
  ])
  const entry = { url, branches: ['v1.0'], include_tags: false }
  const move = `git --git-dir '${path}' update-ref refs/tags/v1.0 refs/heads/next`
  const commitOf = (ref: string): string =>
    execFileSync('git', ['--git-dir', path, 'rev-parse', ref], { encoding: 'utf8' }).trim()

  const first = await world.run([entry], { env: beforeFetch(world.dir, move) })
  const summary = await world.summary('a_v1.0.json')
  const again = await world.run([entry])
  execFileSync('git', ['--git-dir', path, 'update-ref', 'refs/tags/v1.0', 'refs/heads/main'])
  const moved = await world.run([entry])

  assert.deepEqual([first.failures, first.warnings], [[], []])
  assert.equal(summary['commit'], commitOf('refs/heads/next'))
  assert.match(JSON.stringify(summary['variables']), /"now"/)
  assert.equal(again.written, 0)
  assert.deepEqual(
    moved.warnings.map(({ ref, code }) => [ref, code]),
    [['v1.0', 'tag_moved']],
  )
  const [warning] = moved.warnings
  for (const ref of ['next', 'main'])
    assert.ok(warning?.message.includes(commitOf(`refs/heads/${ref}`).slice(0, 12)))
  assert.match(JSON.stringify((await world.summary('a_v1.0.json'))['variables']), /"old"/)
})

test('a run asks no git for refs that were kept and not touched since, and refreshes every record', async (t) => {
  const world = await openWorld(t)
  const path = join(world.dir, 'a.git')
  const url = await buildRemote(path, [{ files: { 'main.tf': MAIN }, tags: ['v1.0'] }])
  await world.run([{ url }])
  const before = await world.index()
  const commit = execFileSync('git', ['--git-dir', path, 'rev-parse', 'v1.0'], { encoding: 'utf8' }).trim()
  const [clone = ''] = await world.clones()
  const kept = join(world.outputDir, '.satchel', 'refs', clone.replace(/git$/, 'txt'))
  await mkdir(dirname(kept), { recursive: true })
  await writeFile(kept, `${(await refsState(path))?.mark}\n${commit}\trefs/tags/v1.0`)
  const env = { ...process.env, PATH: '/nonexistent' }

  const unchanged = await world.run([{ url }], { env })
  await rm(kept)
  const asked = await world.run([{ url }], { env })

  assert.deepEqual([unchanged.failures, unchanged.refs.unchanged], [[], 1])
  assert.notEqual((await world.index()).records[0]?.last_updated, before.records[0]?.last_updated)
  assert.deepEqual(
    asked.failures.map(({ reason }) => reason),
    ['git_missing'],
  )
})
