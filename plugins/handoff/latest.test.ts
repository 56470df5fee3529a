import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'

const OPEN = { open_items: [{ priority: 'high', description: 'x', suggested_action: 'y' }] }

test('every tool takes latest for the record from which its own session continues', async (t) => {
  const monday = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'monday' } })
  const old = await monday.call('handoff_create', { ...SMALL, ...OPEN })
  await monday.call('handoff_transition', { id: old.id, to: 'ready', accept_warnings: 'a test' })
  const before = monday.read(old.path)
  const { call } = await openTestProject(t, { root: monday.root, env: { SATCHEL_SESSION: 'tuesday' } })
  const own = await call('handoff_note', { kind: 'failed', text: 'Store the state in a cookie' })
  const id = 'latest'

  const { etag, id: read } = await call('handoff_get', { id })
  const updated = await call('handoff_update', { id, if_match: etag, append: { completed: ['a'] } })
  const [validated, ofOwn, ofOld] = await Promise.all(
    [id, own.id, old.id].map((one) => call('handoff_validate', { id: one })),
  )
  const redacted = await call('handoff_redact', { id })
  const lineage = await call('handoff_lineage', { id })
  const fresh = await call('handoff_freshness', { id })
  const moved = await call('handoff_transition', { id, to: 'validated' })
  const checked = await call('handoff_check_plan', { plan: 'Store the state in a cookie' })
  const exported = await call('handoff_export', { ids: [id], format: 'json' })
  const differing = await call('handoff_diff', { a: id, b: own.id })
  const continued = await call('handoff_branch', { id, mode: 'continue' }).catch((thrown) => thrown)

  const ids = [read, updated.id, fresh.id, moved.id, checked.id]
  assert.deepEqual(ids, Array(ids.length).fill(own.id))
  assert.deepEqual([checked.verdict, checked.compared], ['repeat', 1])
  assert.deepEqual(validated, ofOwn)
  assert.notDeepEqual(validated, ofOld)
  assert.equal(redacted.etag, updated.etag)
  assert.ok(JSON.stringify(lineage).includes(own.id) && !JSON.stringify(lineage).includes(old.id))
  assert.ok(JSON.stringify(exported).includes(own.id))
  assert.ok(!JSON.stringify(differing).includes(old.id))
  assert.notEqual(continued.parents?.[0] ?? continued.lineage?.parents?.[0], old.id)
  assert.equal(monday.read(old.path), before)
  assert.equal((await monday.call('handoff_get', { id })).id, old.id)
})

const REWRITES: Readonly<Record<string, (project: TestProject) => void>> = {
  'a rebase and a merge': ({ git }) => {
    git('rebase', '-q', 'main')
    git('switch', '-q', 'main')
    git('merge', '-q', '--no-ff', '--no-edit', 'feature')
  },
  'a squash': ({ git }) => {
    git('switch', '-q', 'main')
    git('merge', '-q', '--squash', 'feature')
    git('commit', '-q', '-m', 'squashed')
  },
  'a rebase, on a branch of another name': ({ git }) => {
    git('rebase', '-q', 'main')
    git('branch', '-m', 'renamed')
  },
  'a rebase, between branches': ({ git }) => {
    git('rebase', '-q', 'main')
    git('switch', '-q', '--detach')
  },
}

/** Records OLD of main and, later, FEATURE of a branch with two commits; main has a commit since. */
async function withFeature(t: TestContext) {
  const project = await openTestProject(t, { repository: true })
  const commit = (path: string) => {
    project.write(path, `${path}\n`)
    project.git('add', path)
    project.git('commit', '-q', '-m', path)
  }
  const release = async (title: string) => {
    const { id } = await project.call('handoff_create', { ...SMALL, ...OPEN, title })
    await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
    project.advance(60)
    return id
  }
  const old = await release('OLD')
  project.git('switch', '-q', '-c', 'feature')
  for (const path of ['a', 'b']) commit(path)
  const feature = await release('FEATURE')
  project.git('switch', '-q', 'main')
  commit('c')
  const latest = async () => (await project.call('handoff_get', { id: 'latest' })).id
  return { project, commit, latest, old, feature }
}

for (const [name, rewrite] of Object.entries(REWRITES)) {
  test(`after ${name} latest is the newer record whose work is in HEAD`, async (t) => {
    const { project, latest, old, feature } = await withFeature(t)
    assert.equal(await latest(), old)
    project.git('switch', '-q', 'feature')

    rewrite(project)

    assert.equal(await latest(), feature)
  })
}

test('latest stays that of the branch while another one is not merged, and where its own commit was rewritten', async (t) => {
  const { project, commit, latest, old } = await withFeature(t)

  for (const path of ['d', 'e']) commit(path)
  assert.equal(await latest(), old)
  project.git('commit', '-q', '--amend', '-m', 'other words')
  assert.equal(await latest(), old)
})
