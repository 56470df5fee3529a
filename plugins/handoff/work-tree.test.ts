import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Answer, openTestProject, SMALL, type TestProject } from './testing/fixture.ts'

const TESTED = { type: 'test', claim: 'the tests pass', ref: 'npm test', result: 'ok' }

/** A repository with `src/a.ts` in scope, and other files. */
async function repository(t: TestContext): Promise<TestProject> {
  const began = Date.now()
  // A busy machine may not read the files in their time.
  const project = await openTestProject(t, { repository: true, clock: () => began })
  for (const path of ['src/a.ts', 'src/b.ts', 'docs/c.md']) commit(project, path, `${path}\n`)
  return project
}

function commit(project: TestProject, path: string, text: string): string {
  project.write(path, text)
  project.git('add', '--', path)
  project.git('commit', '-q', '-m', `write ${path}`)
  return project.git('rev-parse', 'HEAD')
}

async function record(project: TestProject, more: Record<string, unknown> = {}): Promise<Answer> {
  return project.call('handoff_create', { ...SMALL, scope: ['src'], evidence: [TESTED], ...more })
}

const fresh = (project: TestProject, { id }: Answer): Promise<Answer> =>
  project.call('handoff_freshness', { id })
const verdicts = ({ claims }: Answer) => claims.map(({ verdict }: Answer) => verdict)

test('after a capture in a dirty tree, what is changed later is told from what was changed before', async (t) => {
  const project = await repository(t)
  project.write('notes.txt', 'mine')
  project.write('src/b.ts', 'changed before the capture\n')
  rmSync(join(project.root, 'docs/c.md'))
  const created = await record(project)
  assert.equal((await fresh(project, created)).gate, 'go')

  project.write('src/a.ts', 'broken')
  const edited = await fresh(project, created)
  assert.deepEqual([edited.gate, edited.state, edited.changed_in_scope], ['care', 'dirty', ['src/a.ts']])
  assert.deepEqual(verdicts(edited), ['stale'])

  project.git('checkout', '-q', '--', 'src/a.ts', 'src/b.ts')
  const reverted = await fresh(project, created)
  assert.deepEqual(reverted.changed_in_scope, ['src/b.ts'], 'it no longer holds what was captured')
})

test('the checks before a release compare a dirty tree with that of the capture, too', async (t) => {
  const project = await repository(t)
  project.write('src/b.ts', 'changed before the capture\n')
  const { id } = await record(project)
  const freshness = async () => {
    const { validation } = await project.call('handoff_validate', { id, level: 'all' })
    const { status, detail } = validation.checks.find(({ name }: Answer) => name === 'freshness')
    return [status, detail]
  }

  assert.equal((await freshness())[0], 'pass')
  project.write('src/b.ts', 'changed later\n')
  assert.deepEqual(await freshness(), ['warn', 'dirty: modified since the capture'])
})

test('committing what was captured changes nothing', async (t) => {
  const project = await repository(t)
  project.write('src/a.ts', 'tested\n')
  project.write('src/new.ts', 'new\n')
  const created = await record(project)

  project.git('add', 'src')
  project.git('commit', '-q', '-m', 'what was tested')
  const { gate, changed_in_scope, claims } = await fresh(project, created)

  assert.deepEqual([gate, changed_in_scope], ['go', []])
  assert.deepEqual(verdicts({ claims }), ['unverifiable'])
})

test('a record of an earlier version says that it cannot tell', async (t) => {
  const project = await repository(t)
  project.write('src/a.ts', 'changed before the capture\n')
  const { id, path } = await record(project)
  const text = JSON.parse(project.read(path))
  delete text.project.repository.uncommitted
  writeFileSync(join(project.root, path), JSON.stringify(text))

  const { gate, reasons } = await fresh(project, { id })

  assert.equal(gate, 'care')
  assert.match(reasons.join(), /cannot be told/)
})

test('where git cannot list what changed, a record is not fresh', async (t) => {
  const project = await repository(t)
  const created = await record(project)
  const about = await record(project, { scope: [], artifacts: [{ path: 'src/b.ts', role: 'modified' }] })
  project.write('src/a.ts', 'changed by another session\n')
  writeFileSync(join(project.root, '.git/index'), 'no index')

  const { gate, state, reasons } = await fresh(project, created)
  const ofFiles = await fresh(project, about)

  assert.deepEqual([gate, state], ['care', 'unknown'])
  assert.match(reasons[0], /^git could not list what changed: /)
  assert.equal(ofFiles.gate, 'go', 'it is compared by its digest')
})

test('of more changed files than a record names it is not said which one changed', async (t) => {
  const project = await repository(t)
  for (let n = 0; n < 120; n++) project.write(`src/many/${n}.ts`, 'one\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'many')
  for (let n = 0; n < 120; n++) project.write(`src/many/${n}.ts`, 'two\n')
  const within = await record(project)
  const beside = await record(project, { scope: ['docs'] })

  project.write('src/many/99.ts', 'three\n') // the last of them, which has no digest of its own
  assert.equal((await fresh(project, beside)).gate, 'go')
  const { gate, state, reasons } = await fresh(project, within)
  assert.deepEqual([gate, state], ['care', 'unknown'])
  assert.match(reasons[0], /cannot be told/)
})

test('of more changed files than a record names it is told together whether they are as they were', async (t) => {
  const project = await repository(t)
  const paths = Array.from({ length: 150 }, (_, n) => `src/many/${n}.ts`)
  for (const path of paths) project.write(path, 'before\n')
  project.git('add', '.')
  project.git('commit', '-q', '-m', 'many')
  for (const path of paths.slice(1)) project.write(path, 'changed before the capture\n')
  rmSync(join(project.root, paths[0] ?? ''))
  const created = await record(project)
  const same = await fresh(project, created)

  project.write(paths[149] ?? '', 'changed later\n')
  const edited = await fresh(project, created)
  project.write(paths[149] ?? '', 'changed before the capture\n')
  project.write('src/a.ts', 'one more\n')
  const more = await fresh(project, created)

  assert.deepEqual([same.gate, same.state], ['go', 'fresh'])
  assert.deepEqual([edited.gate, more.gate], ['care', 'care'])
})

test('a file that a sparse checkout leaves out is not missing', async (t) => {
  const project = await repository(t)
  const created = await record(project, {
    evidence: [{ type: 'file', claim: 'it is there', ref: 'src/a.ts' }],
    artifacts: [{ path: 'src/a.ts', role: 'modified' }],
  })
  project.git('sparse-checkout', 'set', '--cone', 'docs', '.handoffs')

  const { gate, claims } = await fresh(project, created)

  assert.deepEqual([gate, verdicts({ claims })], ['go', ['unverifiable']])
  assert.match(claims[0].reason, /sparse checkout/)
})

test('a renamed file has moved; a renamed and changed one is missing', async (t) => {
  const project = await repository(t)
  const created = await record(project, {
    scope: ['docs'],
    evidence: ['src/a.ts', 'src/b.ts'].map((ref) => ({ type: 'file', claim: 'it is there', ref })),
  })
  project.git('mv', 'src/a.ts', 'src/renamed.ts')
  project.git('mv', 'src/b.ts', 'src/other.ts')
  project.write('src/other.ts', 'another content altogether')

  const { claims } = await fresh(project, created)

  assert.deepEqual(verdicts({ claims }), ['moved', 'contradicted'])
  assert.match(claims[0].reason, /src\/renamed\.ts/)
})

interface Rename {
  readonly isDirty: boolean
  readonly isCommitted: boolean
  before?(project: TestProject): void
}

for (const [name, { isDirty, isCommitted, before = () => {} }] of Object.entries<Rename>({
  'that was committed': { isDirty: false, isCommitted: true },
  'that is not committed': { isDirty: false, isCommitted: false },
  'whose captured content was committed later': { isDirty: true, isCommitted: true },
  'whose captured content was never committed': { isDirty: true, isCommitted: false },
  'that was new at capture': {
    isDirty: true,
    isCommitted: true,
    before: ({ git }) => git('rm', '-q', '--cached', 'src/a.ts'),
  },
})) {
  test(`a file in scope ${name} has moved, and the gate stays`, async (t) => {
    const project = await repository(t)
    if (isDirty) project.write('src/a.ts', 'not committed yet\n')
    before(project)
    const file = { id: 'E-001', type: 'file', claim: 'it is there', ref: 'src/a.ts' }
    const made = await record(project, {
      scope: ['src'],
      evidence: [file],
      decisions: [{ decision: 'so', rationale: 'why', evidence_ids: ['E-001'] }],
      artifacts: [{ path: 'src/a.ts', role: 'modified' }],
    })
    const run = { type: 'test', claim: 'it passes', ref: 'npm test' }
    const tested = await record(project, { scope: ['src'], evidence: [file, run] })
    const gates = [(await fresh(project, made)).gate, (await fresh(project, tested)).gate]

    if (isDirty && isCommitted) {
      project.git('add', 'src')
      project.git('commit', '-q', '-m', 'later')
    }
    if (isCommitted) {
      project.git('mv', 'src/a.ts', 'src/renamed.ts')
      project.git('commit', '-q', '-m', 'renamed')
    } else renameSync(join(project.root, 'src/a.ts'), join(project.root, 'src/renamed.ts'))
    const { gate, claims, artifacts, changed_in_scope } = await fresh(project, made)
    const ran = await fresh(project, tested)
    project.write('src/renamed.ts', 'something else\n')
    const changed = await fresh(project, made)

    assert.deepEqual(gates, ['go', 'go'])
    assert.deepEqual([gate, verdicts({ claims }), changed_in_scope], ['go', ['moved'], []])
    assert.deepEqual(artifacts, [{ path: 'src/a.ts', status: 'moved' }])
    assert.match(claims[0].reason, /src\/renamed\.ts/)
    assert.deepEqual([ran.gate, verdicts(ran)], ['care', ['moved', 'stale']])
    assert.deepEqual([changed.gate, verdicts(changed)], ['stop', ['contradicted']])
  })
}

test('a change that was reverted does not hold, and holds again when the revert is reverted', async (t) => {
  const project = await repository(t)
  const head = commit(project, 'docs/d.md', 'new\n')
  const evidence = [{ type: 'commit', claim: 'd is in', ref: head }]
  const created = await record(project, { evidence })
  commit(project, 'docs/e.md', 'later\n')
  assert.deepEqual(verdicts(await fresh(project, created)), ['holds'])

  project.git('revert', '--no-edit', head)
  const { claims } = await fresh(project, created)
  assert.deepEqual(verdicts({ claims }), ['stale'])
  assert.match(claims[0].reason, /reverted by/)

  project.git('revert', '--no-edit', 'HEAD')
  assert.deepEqual(verdicts(await fresh(project, created)), ['holds'])
})

test('names of commits are resolved at capture, and what is not there is told', async (t) => {
  const project = await repository(t)
  project.git('tag', '-a', 'v1', '-m', 'one')
  const refs = ['HEAD~1', 'main', 'v1', `commit ${project.git('rev-parse', '--short', 'HEAD')}`]
  const missing = ['0123456789abcdef0123456789abcdef01234567', 'no-such-branch']
  const evidence = [...refs, ...missing].map((ref) => ({ type: 'commit', claim: ref, ref }))
  const { path, warnings } = await record(project, {
    evidence: [...evidence, { type: 'file', claim: 'f', ref: 'src/absent.ts:3' }],
  })

  const stored = JSON.parse(project.read(path)).evidence
  const head = project.git('rev-parse', 'HEAD')
  const before = project.git('rev-parse', 'HEAD~1')
  assert.deepEqual(
    stored.slice(0, refs.length).map(({ ref }: Answer) => ref),
    [before, head, head, head],
  )
  const told = warnings.filter((text: string) => /has no commit|there is no file/.test(text))
  assert.equal(told.length, 3, warnings.join('\n'))
})

test('two repositories that share a store have ids of their own, and tell whose a record is', async (t) => {
  const place = await openTestProject(t)
  const config = { store: join(place.root, 'shared') }
  const [first, second] = [
    await openTestProject(t, { repository: true, config }),
    await openTestProject(t, { repository: true, config }),
  ]
  second.git('commit', '-q', '--amend', '-m', 'another first commit')

  const created = await record(first)
  const other = await record(second)
  const [own, theirs] = [first.read(created.path), second.read(other.path)].map((text) => JSON.parse(text))

  assert.notEqual(own.project.id, theirs.project.id)
  const { id } = await first.call('handoff_resume', { mark: false })
  assert.equal(id, created.id, 'each resumes its own')
  const { gate, reasons } = await fresh(second, created)
  assert.equal(gate, 'care')
  assert.match(reasons.join(), /another project/)
})

test('the files of a folder that git does not track are captured and compared one by one', async (t) => {
  const project = await repository(t)
  project.write('mod/x.ts', 'x\n')
  project.write('mod/deep/y.ts', 'y\n')
  const created = await record(project, { scope: ['mod'], auto_artifacts: 'changed' })
  const about = await record(project, { scope: ['mod/x.ts'] })
  const { artifacts } = JSON.parse(project.read(created.path))
  assert.deepEqual(
    artifacts.map(({ path }: Answer) => path),
    ['mod/deep/y.ts', 'mod/x.ts'],
  )
  assert.deepEqual(
    [(await fresh(project, created)).state, (await fresh(project, created)).reasons],
    ['fresh', []],
  )

  project.write('mod/x.ts', 'changed\n')
  project.write('mod/new.ts', 'new\n')
  const edited = await fresh(project, created)
  assert.deepEqual([edited.gate, edited.changed_in_scope], ['care', ['mod/new.ts', 'mod/x.ts']])
  assert.deepEqual(verdicts(edited), ['stale'])
  assert.deepEqual((await fresh(project, about)).changed_in_scope, ['mod/x.ts'])

  rmSync(join(project.root, 'mod/new.ts'))
  project.write('mod/x.ts', 'x\n')
  project.git('add', 'mod')
  project.git('commit', '-q', '-m', 'as captured')
  const committed = await fresh(project, created)
  assert.deepEqual([committed.gate, committed.changed_in_scope], ['go', []])

  rmSync(join(project.root, 'mod'), { recursive: true })
  assert.deepEqual((await fresh(project, about)).changed_in_scope, ['mod/x.ts'])
})

test('what is in a project folder that git does not track is captured and compared', async (t) => {
  const outer = await repository(t)
  outer.write('packages/new/src/a.ts', 'one')
  const project = await openTestProject(t, { root: join(outer.root, 'packages/new') })
  const created = await record(project)
  const { record: stored } = await project.call('handoff_get', { id: created.id })
  const again = await fresh(project, created)

  assert.deepEqual(
    stored.project.repository.uncommitted.map(({ path }: Answer) => path),
    ['src/a.ts'],
  )
  assert.deepEqual([again.gate, again.state, again.changed_in_scope], ['go', 'fresh', []])

  project.write('src/a.ts', 'two')
  project.write('notes.md', 'new')
  const edited = await fresh(project, created)
  assert.deepEqual([edited.gate, edited.changed_in_scope], ['care', ['src/a.ts']])
})

test('of a large folder that git does not track it is said that it cannot be compared, and that it is missing', async (t) => {
  const project = await repository(t)
  for (let n = 0; n < 101; n++) project.write(`mod/${n}.ts`, `${n}\n`)
  const created = await record(project, { scope: ['mod'] })
  const { gate, reasons } = await fresh(project, created)
  assert.equal(gate, 'care')
  assert.match(reasons.join(), /cannot be told/)
  assert.equal((await fresh(project, await record(project, { scope: [] }))).gate, 'go', 'about no folder')

  for (let n = 50; n < 101; n++) rmSync(join(project.root, `mod/${n}.ts`))
  assert.deepEqual((await fresh(project, created)).changed_in_scope, [], 'named now, and not at capture')

  rmSync(join(project.root, 'mod'), { recursive: true })
  const missing = await fresh(project, created)
  assert.deepEqual([missing.gate, missing.changed_in_scope], ['care', ['mod/']])
})

test('what changed since a capture before the first commit is told', async (t) => {
  const project = await openTestProject(t)
  project.git('init', '-q')
  project.write('src/a.ts', 'a\n')
  project.write('src/b.ts', 'b\n')
  const created = await record(project)
  project.git('add', 'src')
  project.git('commit', '-q', '-m', 'first')
  assert.deepEqual(
    [(await fresh(project, created)).gate, (await fresh(project, created)).changed_in_scope],
    ['go', []],
  )

  commit(project, 'src/a.ts', 'changed\n')
  commit(project, 'src/new.ts', 'new\n')
  const changed = await fresh(project, created)

  assert.deepEqual([changed.gate, changed.changed_in_scope], ['care', ['src/a.ts', 'src/new.ts']])
  assert.deepEqual(verdicts(changed), ['stale'])
})

test('a change in a submodule is one of the places in it', async (t) => {
  const inner = await repository(t)
  const project = await repository(t)
  project.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'lib')
  project.git('commit', '-q', '-m', 'a submodule')
  const created = await record(project, { scope: ['lib/src'] })
  const other = await record(project, { scope: ['libs/src', '*/docs/**'], parent: 'none' })
  assert.equal((await fresh(project, created)).gate, 'go')

  project.write('lib/src/a.ts', 'changed\n')
  const { gate, changed_in_scope } = await fresh(project, created)

  assert.deepEqual([gate, changed_in_scope], ['care', ['lib']])
  assert.deepEqual((await fresh(project, other)).changed_in_scope, [])
})

test('paths as Windows writes them name the same files', async (t) => {
  const project = await repository(t)
  const created = await record(project, {
    scope: ['src\\'],
    artifacts: [{ path: 'src\\a.ts', role: 'modified' }],
    evidence: [{ id: 'E-001', type: 'file', claim: 'it is there', ref: 'src\\a.ts:1' }],
    decisions: [{ decision: 'keep it', evidence_ids: ['E-001'] }],
  })
  const before = await fresh(project, created)
  assert.deepEqual([before.gate, before.artifacts[0].status, verdicts(before)], ['go', 'same', ['holds']])
  assert.deepEqual(created.warnings, [])

  project.write('src/b.ts', 'changed\n')
  assert.deepEqual((await fresh(project, created)).changed_in_scope, ['src/b.ts'])
  const outside = await record(project, { artifacts: [{ path: '..\\..\\x', role: 'read' }] })
  assert.equal((await fresh(project, outside)).artifacts[0].status, 'outside')
})

test('commits of records alone are not counted among the commits since', async (t) => {
  const project = await repository(t)
  const created = await record(project)
  const count = async () => {
    const { commits_ahead, reasons } = await fresh(project, created)
    const { brief } = await project.call('handoff_resume', { id: created.id, mark: false })
    return [commits_ahead, reasons[0], /, (\d+ commits?) since/.exec(brief)?.[1]]
  }

  project.git('add', '-f', created.path)
  project.git('commit', '-q', '-m', 'the record')
  assert.deepEqual(await count(), [0, undefined, undefined])
  commit(project, 'docs/elsewhere.md', 'x\n')
  await project.call('handoff_note', { kind: 'done', text: 'wrote it' })
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the next record')
  assert.deepEqual(await count(), [1, '1 commit since the capture', '1 commit'])
})

test('a server finds the store of the main work tree as soon as the two are joined again', async (t) => {
  const project = await repository(t)
  const { id } = await record(project)
  const linked = `${project.root}-linked`
  const moved = `${project.root}-moved`
  t.after(() => [linked, moved].map((path) => rmSync(path, { recursive: true, force: true })))
  project.git('worktree', 'add', '-q', '-b', 'other', linked)
  renameSync(linked, moved)
  const there = await openTestProject(t, { root: moved })
  await assert.rejects(there.call('handoff_resume', { mark: false }), { reason: 'record_not_found' })

  project.git('worktree', 'repair', moved)

  assert.equal((await there.call('handoff_resume', { mark: false })).id, id)
})
