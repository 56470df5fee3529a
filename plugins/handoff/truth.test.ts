import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { assessRecord } from './actions/check-freshness.ts'
import { examineStore } from './actions/doctor.ts'
import { patchIdOf } from './domain/patch-id.ts'
import { readableRecord } from './domain/readable-record.ts'
import { type Git, gitIn } from './git/run-git.ts'
import { createHandoffs } from './project.ts'
import { type Answer, openTestProject, SMALL, type TestProject, testHost } from './testing/fixture.ts'

const COMMIT = { type: 'commit', claim: 'the change is in', ref: 'HEAD' }
const DECISION = { decision: 'so', rationale: 'why', evidence_ids: ['E-001'] }

/** A project on a branch `work` with one commit, and a record whose decision rests on that commit. */
async function withWork(t: TestContext, more: Record<string, unknown> = {}) {
  const project = await openTestProject(t, { repository: true })
  project.git('switch', '-q', '-c', 'work')
  commit(project, 'src/work.ts', 'one\ntwo\nthree\n')
  const { id, path } = await project.call('handoff_create', {
    ...SMALL,
    scope: ['src/**'],
    evidence: [{ id: 'E-001', ...COMMIT }],
    decisions: [DECISION],
    ...more,
  })
  return { project, id, path }
}

function commit(project: TestProject, path: string, text: string, subject = path): string {
  project.write(path, text)
  project.git('add', '--', path)
  project.git('commit', '-q', '-m', subject)
  return project.git('rev-parse', 'HEAD')
}

const fresh = (project: TestProject, id: string): Promise<Answer> => project.call('handoff_freshness', { id })
const verdictsOf = ({ claims }: Answer) => claims.map(({ verdict }: Answer) => verdict)

const REWRITES: Readonly<Record<string, (project: TestProject) => void>> = {
  'an amended message': (project) => project.git('commit', '-q', '--amend', '-m', 'other words'),
  'a rebase': (project) => {
    project.git('switch', '-q', 'main')
    commit(project, 'docs/elsewhere.md', 'x\n')
    project.git('switch', '-q', 'work')
    project.git('rebase', '-q', 'main')
  },
  'a cherry-pick and a deleted branch': (project) => {
    project.git('switch', '-q', 'main')
    commit(project, 'docs/elsewhere.md', 'x\n')
    project.git('cherry-pick', 'work')
    project.git('branch', '-q', '-D', 'work')
  },
  'a squash with a later commit, and a deleted branch': (project) => {
    commit(project, 'docs/later.md', 'later\n')
    project.git('switch', '-q', 'main')
    commit(project, 'docs/elsewhere.md', 'x\n')
    project.git('merge', '-q', '--squash', 'work')
    project.git('commit', '-q', '-m', 'squashed')
    project.git('branch', '-q', '-D', 'work')
  },
  'a rebase, after which the old commits are collected': (project) => {
    project.git('switch', '-q', 'main')
    commit(project, 'docs/elsewhere.md', 'x\n')
    project.git('switch', '-q', 'work')
    project.git('rebase', '-q', 'main')
    project.git('reflog', 'expire', '--expire=now', '--all')
    project.git('gc', '-q', '--prune=now')
  },
}

for (const [name, rewrite] of Object.entries(REWRITES)) {
  test(`after ${name} the commit has moved, and the gate is as before`, async (t) => {
    const { project, id } = await withWork(t)
    const before = await fresh(project, id)

    rewrite(project)
    const { claims, gate } = await fresh(project, id)

    assert.deepEqual([before.gate, verdictsOf(before)], ['go', ['holds']])
    assert.deepEqual([gate, claims[0].verdict], ['go', 'moved'])
    assert.ok(
      claims[0].reason.includes(
        project.git('log', '--format=%H', '-n', '1', '--', 'src/work.ts').slice(0, 12),
      ),
    )
  })
}

/** A clone over the network: it has what its branches have, and no more. */
function cloneOf(t: TestContext, { root }: TestProject, ...more: string[]): string {
  const folder = join(temporaryFolderSync(t), 'clone')
  execFileSync('git', ['clone', '-q', '--no-local', ...more, `file://${root}`, folder], { stdio: 'ignore' })
  return folder
}

/** Commits the record with its branch, as a team does. */
function handOver(project: TestProject): void {
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
}

/** Another person squashes the branch on main, which went on meanwhile, and deletes it. */
function squash(project: TestProject, elsewhere = 'docs/elsewhere.md'): void {
  project.git('switch', '-q', 'main')
  commit(project, elsewhere, 'x\n')
  project.git('merge', '-q', '--squash', 'work')
  project.git('commit', '-q', '-m', 'squashed')
  project.git('branch', '-q', '-D', 'work')
}

for (const [name, elsewhere, expected] of [
  ['go', 'docs/elsewhere.md', ['go', 'moved', 'moved']],
  ['care if the trunk changed what it is about', 'src/other.ts', ['care', 'moved', 'moved']],
] as const) {
  test(`after a squash by another person the gate is ${name}, in a clone without the branch`, async (t) => {
    const { project } = await withWork(t)
    commit(project, 'src/more.ts', 'more\n')
    const evidence = [COMMIT, { ...COMMIT, ref: 'HEAD~1' }]
    const { id } = await project.call('handoff_create', { ...SMALL, scope: ['src/**'], evidence })
    handOver(project)
    squash(project, elsewhere)
    const clone = await openTestProject(t, { root: cloneOf(t, project) })

    for (const place of [project, clone]) {
      const { gate, claims, changed_in_scope } = await fresh(place, id)
      assert.deepEqual([gate, ...verdictsOf({ claims })], expected)
      assert.deepEqual(changed_in_scope, elsewhere.startsWith('src/') ? [elsewhere] : [])
      assert.ok(claims[0].reason.includes(project.git('rev-parse', 'main').slice(0, 12)))
    }
    const { reasons } = await fresh(clone, id)
    assert.match(reasons.join(), /^the captured branch was squashed into [0-9a-f]{12}$/)
  })
}

for (const [name, path, expected] of [
  ['in another file of the scope', 'src/sp\u00e4ter "x".ts', ['care', 'moved', 'moved']],
  ['beside it', 'docs/later.md', ['go', 'moved', 'moved']],
] as const) {
  test(`a squash with further commits of the branch ${name} has the captured ones, in a clone without it`, async (t) => {
    const { project } = await withWork(t)
    commit(project, 'src/more.bin', 'a\0b')
    const evidence = [COMMIT, { ...COMMIT, ref: 'HEAD~1' }]
    const { id } = await project.call('handoff_create', { ...SMALL, scope: ['src/**'], evidence })
    handOver(project)
    commit(project, path, 'later\n')
    squash(project)
    commit(project, 'docs/after.md', 'x\n')
    const clone = await openTestProject(t, { root: cloneOf(t, project) })

    const { gate, claims, changed_in_scope, commits_ahead } = await fresh(clone, id)
    assert.deepEqual([gate, ...verdictsOf({ claims })], expected)
    assert.deepEqual(changed_in_scope, path.startsWith('src/') ? [path] : [])
    assert.ok(claims[1].reason.includes(project.git('rev-parse', 'main~1').slice(0, 12)))
    assert.equal(commits_ahead, 3)
  })
}

test('after a squash with other changes to the same files nothing is said to be the same', async (t) => {
  const { project, id } = await withWork(t)
  handOver(project)
  commit(project, 'src/work.ts', 'after a review\n')
  squash(project)
  const clone = await openTestProject(t, { root: cloneOf(t, project) })

  const { gate, claims } = await fresh(clone, id)
  assert.deepEqual([gate, verdictsOf({ claims })], ['care', ['stale']])
})

test('a rewritten commit is found behind more changes than git prints in time', async (t) => {
  const { project, id } = await withWork(t)
  project.git('switch', '-q', 'main')
  const large = (n: number) => `${n} ${'x'.repeat(1_500_000)}\n`
  for (let n = 0; n < 4; n++) commit(project, 'docs/large.txt', large(n))
  project.git('switch', '-q', 'work')
  project.git('rebase', '-q', 'main')

  const { gate, claims } = await fresh(project, id)
  assert.deepEqual([gate, verdictsOf({ claims })], ['go', ['moved']])
})

test('what git cannot compare is not said to be missing', async (t) => {
  const origin = await openTestProject(t, { repository: true })
  commit(origin, 'src/work.ts', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n')
  origin.git('config', 'uploadpack.allowFilter', 'true')
  const root = cloneOf(t, origin, '--filter=blob:none')
  const project = await openTestProject(t, { root })
  project.git('switch', '-q', '-c', 'work')
  commit(project, 'src/work.ts', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n')
  const { id } = await project.call('handoff_create', { ...SMALL, scope: ['docs'], evidence: [COMMIT] })
  // Others changed the same file twice: what it held in between is not in this clone, and is not fetched for an answer.
  commit(origin, 'src/work.ts', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\n')
  commit(origin, 'src/work.ts', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\nEIGHT\n')
  project.git('fetch', '-q')
  project.git('switch', '-q', '--detach', 'origin/main')

  const [claim] = (await fresh(project, id)).claims
  assert.deepEqual([claim.verdict, claim.reason], ['unverifiable', 'git could not tell'])
})

test('the identity of a change does not depend on how a person configured git', async (t) => {
  const project = await openTestProject(t, { repository: true })
  for (const [name, value] of [
    ['diff.noprefix', 'true'],
    ['diff.context', '7'],
    ['core.quotePath', 'false'],
    ['diff.suppressBlankEmpty', 'true'],
  ] as const)
    project.git('config', name, value)
  project.git('switch', '-q', '-c', 'work')
  commit(project, 'src/wörk.ts', 'one\n\nthree\n')
  const { id } = await project.call('handoff_create', { ...SMALL, scope: ['src'], evidence: [COMMIT] })
  handOver(project)
  project.git('switch', '-q', 'main')
  commit(project, 'docs/elsewhere.md', 'x\n')
  project.git('switch', '-q', 'work')
  project.git('rebase', '-q', 'main')
  const clone = await openTestProject(t, { root: cloneOf(t, project) })

  assert.deepEqual(verdictsOf(await fresh(clone, id)), ['moved'])
})

test('evidence that a patch adds or changes is captured', async (t) => {
  const { project, id } = await withWork(t)
  const patch = async (...operations: unknown[]) => {
    const { etag } = await project.call('handoff_get', { id })
    return project.call('handoff_update', { id, if_match: etag, patch: operations })
  }
  const added = { id: 'E-002', captured_at: '2026-11-21T10:00:00Z', result: null, digest: null, odd: 1 }
  await patch(
    { op: 'add', path: '/evidence/-', value: { ...added, ...COMMIT } },
    {
      op: 'add',
      path: '/evidence/-',
      value: { ...added, id: 'E-003', type: 'file', claim: 'it is', ref: 'README.md' },
    },
  )
  const head = commit(project, 'src/work.ts', 'other\n')
  const { warnings } = await patch(
    { op: 'replace', path: '/evidence/0/claim', value: 'in other words' },
    { op: 'replace', path: '/evidence/1/ref', value: 'HEAD' },
    { op: 'replace', path: '/evidence/2/ref', value: 'no-such-file' },
  )

  const { record } = await project.call('handoff_get', { id })
  const [first, second, third] = record.evidence
  const before = project.git('rev-parse', 'HEAD~1')
  assert.deepEqual(
    [first.head, first.ref, second.head, second.ref, second.odd],
    [before, before, head, head, 1],
  )
  assert.notEqual(first.patch_id, second.patch_id)
  assert.deepEqual([third.head, third.digest], [head, null])
  assert.match(warnings.join(), /no file no-such-file/)
})

test('a commit that was amended to another content has not moved, and does not stop', async (t) => {
  const { project, id } = await withWork(t)

  project.write('src/work.ts', 'something else\n')
  project.git('commit', '-q', '-a', '--amend', '-m', 'another change')
  const answer = await fresh(project, id)

  assert.deepEqual([answer.gate, verdictsOf(answer)], ['care', ['stale']])
})

test('a deleted branch alone never stops, also after its commits are collected', async (t) => {
  const { project, id } = await withWork(t, { scope: ['docs/**'] })
  project.git('switch', '-q', 'main')
  project.git('branch', '-q', '-D', 'work')
  const deleted = await fresh(project, id)

  project.git('reflog', 'expire', '--expire=now', '--all')
  project.git('gc', '-q', '--prune=now')
  const collected = await fresh(project, id)

  assert.deepEqual([deleted.gate, verdictsOf(deleted)], ['care', ['stale']])
  assert.deepEqual([collected.gate, verdictsOf(collected)], ['care', ['stale']])
})

test('a commit that never was in the repository is contradicted', async (t) => {
  const { project, id } = await withWork(t, {
    evidence: [{ id: 'E-001', ...COMMIT, ref: 'deadbeef'.repeat(5) }],
  })
  const answer = await fresh(project, id)

  assert.deepEqual([answer.gate, verdictsOf(answer)], ['stop', ['contradicted']])
})

test('HEAD is resolved at capture, and evidence keeps the head it was captured on', async (t) => {
  const { project, path } = await withWork(t)
  const head = project.git('rev-parse', 'HEAD')
  const [item] = JSON.parse(project.read(path)).evidence

  assert.deepEqual([item.ref, item.head], [head, head])
  assert.match(item.patch_id, /^sha256:[0-9a-f]{64}$/)
})

test('a commit beyond a shallow clone is unverifiable', async (t) => {
  const { project, id } = await withWork(t)
  commit(project, 'docs/later.md', 'x\n')
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
  const root = temporaryFolderSync(t)
  execFileSync('git', ['clone', '-q', '--depth', '1', `file://${project.root}`, root], { stdio: 'ignore' })
  const clone = await openTestProject(t, { root })

  const answer = await fresh(clone, id)

  assert.deepEqual([answer.gate, verdictsOf(answer)], ['care', ['unverifiable']])
  assert.equal(answer.state, 'unknown')
})

test('a clone without the captured commit is care, since nothing tells what changed, and the brief says so', async (t) => {
  const { project, id } = await withWork(t, { evidence: [], decisions: [] })
  project.git('switch', '-q', 'main')
  commit(project, 'src/work.ts', 'squashed with another content\n')
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
  const root = temporaryFolderSync(t)
  const options = ['-q', '--single-branch', '--branch', 'main']
  execFileSync('git', ['clone', ...options, `file://${project.root}`, root], { stdio: 'ignore' })
  const clone = await openTestProject(t, { root })

  const { state, gate } = await fresh(clone, id)
  const { text } = await clone.call('handoff_get', { id, format: 'brief' })

  assert.deepEqual([state, gate], ['unrelated_history', 'care'])
  assert.match(text, /unrelated_history, the captured commit is not part of this history\. Gate: care\n/)
})

for (const [what, { scope, gate }] of Object.entries({
  'a scope': { scope: ['src/**'], gate: 'care' },
  'files alone, which have their digests': { scope: [], gate: 'go' },
})) {
  test(`where git does not trust the repository, a record about ${what} is ${gate}`, async (t) => {
    const artifacts = [{ path: 'src/work.ts', role: 'modified' }]
    const { project, path } = await withWork(t, { scope, artifacts, evidence: [], decisions: [] })
    const handoffs = createHandoffs(testHost(project.root, project.now), project.config)
    const distrusted: Git = async () => ({ kind: 'failed', reason: 'dubious_ownership' })
    const own = { ...handoffs.projectAt(project.root), git: distrusted }

    const record = readableRecord(JSON.parse(project.read(path)))
    const answer = await assessRecord(own, record)
    const problems = await examineStore(own, handoffs.now().getTime(), handoffs.clock())

    assert.deepEqual([answer.drift.state, answer.gate], ['unknown', gate])
    assert.deepEqual(
      problems.map(({ kind, next }) => [kind, next]),
      [
        [
          'untrusted_repository',
          `If the files are yours: git config --global --add safe.directory ${project.root}`,
        ],
      ],
    )
  })
}

test('a replaced file is stale, a deleted one contradicted', async (t) => {
  const { project, id } = await withWork(t, {
    evidence: [{ id: 'E-001', type: 'file', claim: 'the log is clean', ref: 'log.txt' }],
    scope: ['docs/**'],
  })
  const missing = await fresh(project, id)
  assert.deepEqual(verdictsOf(missing), ['contradicted'])
  project.write('log.txt', 'clean\n')
  const { etag } = await project.call('handoff_get', { id })
  const file = { type: 'file', claim: 'the log is clean now', ref: 'log.txt' }
  await project.call('handoff_update', { id, if_match: etag, append: { evidence: [file] } })
  assert.deepEqual(verdictsOf(await fresh(project, id)), ['holds', 'holds'])

  project.write('log.txt', 'full of errors\n')

  assert.equal(verdictsOf(await fresh(project, id))[1], 'stale')
})

test('a child inherits capture times and verdicts: continue refreshes no evidence', async (t) => {
  const run = { id: 'E-001', type: 'test', claim: 'the suite passes', result: 'pass' }
  const { project, id, path } = await withWork(t, { evidence: [run] })
  commit(project, 'src/work.ts', 'broken\n')
  assert.deepEqual(verdictsOf(await fresh(project, id)), ['stale'])

  const child = await project.call('handoff_branch', { id, relation: 'continue' })
  const [inherited] = JSON.parse(project.read(child.path)).evidence
  const grandchild = await project.call('handoff_branch', { id: child.id, relation: 'continue' })
  const again = await project.call('handoff_branch', {
    id,
    relation: 'fork',
    branch_label: 'run again',
    overrides: { evidence: [{ ...run, id: 'again' }] },
  })

  assert.equal(inherited.captured_at, JSON.parse(project.read(path)).evidence[0].captured_at)
  assert.deepEqual(verdictsOf(await fresh(project, child.id)), ['stale'])
  assert.deepEqual(verdictsOf(await fresh(project, grandchild.id)), ['stale'])
  assert.deepEqual(verdictsOf(await fresh(project, again.id)), ['unverifiable'])
  assert.equal(JSON.parse(project.read(again.path)).evidence.length, 1)
})

test('uncommitted changes that made a test stale stay known to a child', async (t) => {
  const run = { id: 'E-001', type: 'test', claim: 'the suite passes', result: 'pass' }
  const { project, id } = await withWork(t, { evidence: [run] })
  project.write('src/work.ts', 'not committed\n')

  const child = await project.call('handoff_branch', { id, relation: 'continue' })

  assert.deepEqual(verdictsOf(await fresh(project, child.id)), ['stale'])
})

test('with no scope and no artifacts, commits that change files make the gate care and are named', async (t) => {
  const { project, id } = await withWork(t, { scope: [], evidence: [], decisions: [] })
  project.git('commit', '-q', '--allow-empty', '-m', 'empty')
  assert.equal((await fresh(project, id)).gate, 'go')

  commit(project, 'anything.md', 'x\n', 'subject of it')
  const answer = await fresh(project, id)
  const { brief } = await project.call('handoff_resume', { id, mark: false })

  assert.deepEqual([answer.gate, answer.changed_in_scope], ['care', ['anything.md']])
  assert.match(brief, /subject of it/)
  assert.match(brief, /anything\.md/)
})

test('committing the record alone changes no verdict', async (t) => {
  const run = { id: 'E-002', type: 'test', claim: 'the suite passes', result: 'pass' }
  const { project, id } = await withWork(t, { scope: [], evidence: [{ id: 'E-001', ...COMMIT }, run] })
  const { root: _, ...before } = await fresh(project, id)

  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
  const { root: _2, ...after } = await fresh(project, id)

  assert.equal(after.freshness.git_head_now, project.git('rev-parse', 'HEAD'))
  assert.deepEqual(
    { ...after, freshness: { ...after.freshness, git_head_now: '' }, commits_ahead: 0 },
    { ...before, freshness: { ...before.freshness, git_head_now: '' }, commits_ahead: 0 },
  )
})

test('a git that cannot list what changed says so: nothing counts as unchanged', async (t) => {
  const run = { id: 'E-001', type: 'test', claim: 'the suite passes', result: 'pass' }
  const { project, path } = await withWork(t, { evidence: [run] })
  commit(project, 'src/work.ts', 'broken\n')
  const handoffs = createHandoffs(testHost(project.root, project.now), project.config)
  const real = gitIn(project.root, process.env)
  const failing: Git = async (...args) =>
    args[0] === 'diff' ? { kind: 'failed', reason: 'timeout' } : real(...args)

  const record = readableRecord(JSON.parse(project.read(path)))
  const { claims, gate, drift } = await assessRecord(
    { ...handoffs.projectAt(project.root), git: failing },
    record,
  )

  assert.deepEqual([drift.state, gate, claims[0]?.verdict], ['unknown', 'care', 'unverifiable'])
  assert.match(drift.reasons.join(), /could not list/)
})

test('a linked work tree has the store of the main one, a submodule and a forged link have their own', async (t) => {
  const { project, id } = await withWork(t)
  const linked = join(project.root, '../', `${project.root.split('/').at(-1)}-linked`)
  t.after(() => rmSync(linked, { recursive: true, force: true }))
  project.git('worktree', 'add', '-q', '-b', 'other', linked)
  const there = await openTestProject(t, { root: linked })

  const { id: found } = await there.call('handoff_resume', { mark: false })
  const written = await there.call('handoff_create', { ...SMALL, parent: 'none' })

  assert.equal(found, id)
  assert.equal((await project.call('handoff_get', { id: written.id })).id, written.id)
  assert.deepEqual(
    there.files().filter((path) => path.startsWith('.handoffs')),
    [],
  )

  const forged = await openTestProject(t)
  forged.write('.git', `gitdir: ${project.root}/.git/worktrees/${linked.split('/').at(-1)}\n`)
  await assert.rejects(forged.call('handoff_resume'), { reason: 'record_not_found' })
})

test('the identity of a change ignores lines, blobs and spaces, and nothing else', () => {
  const diff = (added: string, at = 1) =>
    `diff --git a/x b/x\nindex 111..222 100644\n--- a/x\n+++ b/x\n@@ -${at} +${at} @@\n-old\n+${added}\n`

  assert.equal(patchIdOf(diff('new')), patchIdOf(diff(' new', 40).replace('111..222', '333..444')))
  assert.notEqual(patchIdOf(diff('new')), patchIdOf(diff('newer')))
  assert.equal(patchIdOf(''), undefined)
})
