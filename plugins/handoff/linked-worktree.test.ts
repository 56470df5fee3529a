import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestProject, SMALL } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

/** A repository with a record, and a linked work tree of it. */
async function withLinked(t: TestContext) {
  const main = await openTestProject(t, { repository: true })
  const { id } = await main.call('handoff_create', SMALL)
  const root = join(dirname(main.root), `${basename(main.root)}-linked`)
  t.after(() => rmSync(root, { recursive: true, force: true }))
  main.git('worktree', 'add', '-q', '-b', 'other', root)
  return { main, id, linked: await openTestProject(t, { root }) }
}

const own = (files: readonly string[]) => files.filter((path) => path.startsWith('.handoffs'))

test('a hook in a linked work tree gives the record that is in the main one', async (t) => {
  const { linked } = await withLinked(t)

  const { code, stdout } = await runHook(linked, 'session-start', {
    session_id: 'one',
    cwd: linked.root,
    source: 'compact',
  })

  assert.equal(code, 0)
  assert.ok(JSON.parse(stdout).hookSpecificOutput.additionalContext.includes(SMALL.title))
  assert.deepEqual(own(linked.files()), [])
})

test('what a hook in a linked work tree writes is in the main one, and tells of the linked branch', async (t) => {
  const { main, id, linked } = await withLinked(t)
  await main.call('handoff_transition', { id, to: 'archived' }) // nothing described is left to continue
  const before = own(main.files()).filter((path) => path.includes('/records/'))
  const input = { session_id: 'two', cwd: linked.root }
  await runHook(linked, 'session-start', { ...input, source: 'startup' })
  linked.write('src/other.ts', 'export const other = 1\n')
  linked.git('add', '-A')
  linked.git('commit', '-q', '-m', 'Add the other module')

  await runHook(linked, 'pre-compact', input)

  const written = own(main.files()).filter((path) => path.includes('/records/') && !before.includes(path))
  assert.deepEqual(own(linked.files()), [])
  assert.equal(written.length, 1)
  const text = main.read(written[0] ?? '')
  assert.ok(text.includes('Add the other module'), text)
  assert.equal(JSON.parse(text).project.repository.branch, 'other')
})

for (const moved of ['main', 'linked'] as const) {
  test(`after the ${moved} work tree was moved, a linked one says how to reach its records`, async (t) => {
    const { main, id, linked } = await withLinked(t)
    const to = `${moved === 'main' ? main.root : linked.root}-moved`
    t.after(() => rmSync(to, { recursive: true, force: true }))
    renameSync(moved === 'main' ? main.root : linked.root, to)
    const now = moved === 'main' ? linked : await openTestProject(t, { root: to })

    await assert.rejects(now.call('handoff_resume'), {
      reason: 'record_not_found',
      message: /linked work tree.*main work tree.*git worktree repair/,
    })
    const { problems } = await now.call('handoff_doctor')
    const { warnings } = await now.call('handoff_create', { ...SMALL, dry_run: true })
    assert.deepEqual(
      problems.map(({ kind, path }: { kind: string; path: string }) => [kind, path]),
      [['unusable_store', '.git']],
    )
    assert.match(warnings.join('\n'), /kept here.*git worktree repair/)

    const repairing = await openTestProject(t, { root: moved === 'main' ? to : main.root })
    repairing.git('worktree', 'repair', now.root)

    const after = await openTestProject(t, { root: now.root })
    assert.equal((await after.call('handoff_get', { id: 'latest', format: 'json' })).record.id, id)
  })
}
