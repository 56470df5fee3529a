import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { type Answer, openTestProject, SMALL, type TestProject } from './testing/fixture.ts'

const LINES = Array.from({ length: 12 }, (_, at) => `line ${at} of the file\n`)
const COMMIT = { type: 'commit', claim: 'the change is in', ref: 'HEAD' }

function commit(project: TestProject, files: Record<string, string>, subject = 'work'): string {
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  project.git('add', ...Object.keys(files))
  project.git('commit', '-q', '-m', subject)
  return project.git('rev-parse', 'HEAD')
}

/** A project on the branch `work`, with a file `hot.md` that many commits change. */
async function withWork(t: TestContext) {
  const project = await openTestProject(t, { repository: true })
  commit(project, { 'hot.md': LINES.join('') })
  project.git('switch', '-q', '-c', 'work')
  return project
}

/** The trunk gets so many commits, each of which changes the first line of `hot.md`. */
function busyTrunk({ root, git }: TestProject, count: number): void {
  git('switch', '-q', 'main')
  const rest = git('show', 'HEAD:hot.md').split('\n').slice(1).join('\n')
  const stream = Array.from({ length: count }, (_, at) => {
    const text = `change ${at}\n${rest}\n`
    return [
      `commit refs/heads/main\ncommitter t <t@example.org> ${1_900_000_000 + at} +0000\ndata 3\nhot\n`,
      at === 0 ? 'from refs/heads/main^0\n' : '',
      `M 100644 inline hot.md\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    ].join('')
  })
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: root, input: stream.join('') })
  git('reset', '-q', '--hard', 'main')
}

const written = (project: TestProject, evidence: readonly unknown[]) =>
  project.call('handoff_create', { ...SMALL, scope: ['src/**'], evidence })

/** Commits the record with its branch, as a team does. */
function handOver(project: TestProject): void {
  project.git('add', '-f', '.handoffs/records')
  project.git('commit', '-q', '-m', 'the record')
}

function squash(project: TestProject): string {
  project.git('switch', '-q', 'main')
  project.git('merge', '-q', '--squash', 'work')
  project.git('commit', '-q', '-m', 'squashed')
  project.git('branch', '-q', '-D', 'work')
  return project.git('rev-parse', 'HEAD')
}

async function cloneOf(t: TestContext, { root }: TestProject): Promise<TestProject> {
  const folder = join(temporaryFolderSync(t), 'clone')
  execFileSync('git', ['clone', '-q', '--no-local', `file://${root}`, folder], { stdio: 'ignore' })
  return openTestProject(t, { root: folder })
}

const fresh = (project: TestProject, id: string): Promise<Answer> => project.call('handoff_freshness', { id })
const verdictsOf = ({ claims }: Answer) => claims.map(({ verdict }: Answer) => verdict)

test('commits that were rewritten are found below many later changes of the same file', async (t) => {
  const project = await withWork(t)
  const lines = (from: number) => LINES.map((line, at) => (at > from ? `a change, ${line}` : line)).join('')
  commit(project, { 'hot.md': lines(10) })
  commit(project, { 'hot.md': lines(9) })
  const { id } = await written(project, [COMMIT, { ...COMMIT, ref: 'HEAD~1' }])
  project.git('switch', '-q', 'main')
  commit(project, { 'docs/elsewhere.md': 'x\n' })
  project.git('cherry-pick', 'work~1', 'work')
  const places = ['HEAD', 'HEAD~1'].map((name) => project.git('rev-parse', name))
  busyTrunk(project, 260)

  const { claims, changed_in_scope, commits_ahead } = await fresh(project, id)
  assert.deepEqual(verdictsOf({ claims }), ['moved', 'moved'])
  for (const [at, place] of places.entries()) assert.ok(claims[at].reason.includes(place.slice(0, 12)))
  assert.deepEqual([changed_in_scope, commits_ahead], [[], 263])
})

test('a squash is found below many later commits in a clone that never had the branch', async (t) => {
  const project = await withWork(t)
  commit(project, { 'hot.md': `${LINES.join('')}the last line\n`, 'src/work.ts': 'export const work = 1\n' })
  const { id } = await written(project, [COMMIT])
  handOver(project)
  const to = squash(project)
  busyTrunk(project, 260)

  const { gate, claims, changed_in_scope } = await fresh(await cloneOf(t, project), id)
  assert.deepEqual([gate, ...verdictsOf({ claims })], ['go', 'moved'])
  assert.ok(claims[0].reason.includes(to.slice(0, 12)))
  assert.deepEqual(changed_in_scope, [])
})

test('a single commit is found below many later ones in a clone that never had it', async (t) => {
  const project = await withWork(t)
  project.git('switch', '-q', '--detach', 'main')
  commit(project, { 'hot.md': `${LINES.join('')}the last line\n` })
  const { id } = await written(project, [COMMIT])
  const picked = project.git('rev-parse', 'HEAD')
  project.git('switch', '-q', 'main')
  commit(project, { 'docs/elsewhere.md': 'x\n' })
  project.git('cherry-pick', picked)
  const to = project.git('rev-parse', 'HEAD')
  handOver(project)
  busyTrunk(project, 260)

  const { claims } = await fresh(await cloneOf(t, project), id)
  assert.deepEqual(verdictsOf({ claims }), ['moved'])
  assert.ok(claims[0].reason.includes(to.slice(0, 12)))
})

test('where a clone has a commit under another id and nothing tells what else changed, the gate is care', async (t) => {
  const project = await withWork(t)
  commit(project, { 'src/first.ts': 'export const first = 1\n' })
  commit(project, { 'src/second.ts': 'export const second = 2\n' })
  const { id } = await written(project, [COMMIT])
  handOver(project)
  project.git('switch', '-q', 'main')
  commit(project, { 'src/theirs.ts': 'export const theirs = 3\n' })
  project.git('switch', '-q', 'work')
  project.git('rebase', '-q', 'main')
  project.git('switch', '-q', 'main')
  project.git('merge', '-q', '--ff-only', 'work')
  project.git('branch', '-q', '-D', 'work')

  const { gate, claims } = await fresh(await cloneOf(t, project), id)

  assert.deepEqual([gate, ...verdictsOf({ claims })], ['care', 'moved'])
})

for (const [name, later, expected] of [
  ['adds to', (text: string) => `${text}export const more = 2\n`, ['care', 'moved', 'moved']],
  ['changes a line of', (text: string) => text.replace('work = 1', 'work = 3'), ['care', 'stale', 'moved']],
] as const) {
  test(`a squash whose later commit ${name} the same file is told by the lines that it kept`, async (t) => {
    const project = await withWork(t)
    const text = 'export const first = 0\nexport const work = 1\n'
    commit(project, { 'src/work.ts': text })
    const one = await written(project, [COMMIT])
    commit(project, { 'src/other.ts': 'export const other = 1\n' })
    const other = await written(project, [COMMIT])
    handOver(project)
    commit(project, { 'src/work.ts': later(text) })
    const to = squash(project)
    const clone = await cloneOf(t, project)

    for (const place of [project, clone]) {
      const { gate, claims, changed_in_scope } = await fresh(place, one.id)
      assert.deepEqual([gate, ...verdictsOf({ claims })], expected.slice(0, 2))
      if (place === project) assert.ok(changed_in_scope.includes('src/work.ts'))
      if (expected[1] === 'moved') assert.ok(claims[0].reason.includes(to.slice(0, 12)))
      if (expected[1] === 'moved') assert.ok(changed_in_scope.includes('src/work.ts'))
    }
    assert.deepEqual(verdictsOf(await fresh(project, other.id)), expected.slice(2))
  })
}

test('a commit of records alone has not the change of the one before it', async (t) => {
  const project = await withWork(t)
  commit(project, { 'src/work.ts': 'export const work = 1\n' })
  await written(project, [])
  handOver(project)
  const { id } = await written(project, [COMMIT])

  const { record } = await project.call('handoff_get', { id })
  assert.equal(record.evidence[0].patch_id, undefined)
})
