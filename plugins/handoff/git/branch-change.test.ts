import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestProject, type TestProject } from '../testing/fixture.ts'
import { branchChange } from './branch-change.ts'
import { type Git, gitIn } from './run-git.ts'

function commit({ write, git }: TestProject, path: string): string {
  write(path, 'x\n')
  git('add', '--', path)
  git('commit', '-q', '-m', path)
  return git('rev-parse', 'HEAD')
}

async function captured({ root, git }: TestProject) {
  const asked: string[] = []
  const run = gitIn(root, process.env)
  const counting: Git = (...args) => {
    asked.push(args[0] ?? '')
    return run(...args)
  }
  return { added: await branchChange(counting, git('rev-parse', 'HEAD'), '.handoffs/'), asked }
}

test('what a branch added is told by three processes of git, on the trunk by one', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const base = project.git('rev-parse', 'HEAD')
  const onTrunk = await captured(project)
  project.git('switch', '-q', '-c', 'work')
  const own = [commit(project, 'a'), commit(project, 'b')]
  const onBranch = await captured(project)

  assert.deepEqual(onTrunk, { added: undefined, asked: ['for-each-ref'] })
  assert.deepEqual(onBranch.asked, ['for-each-ref', 'rev-list', 'diff'])
  assert.equal(onBranch.added?.base, base)
  assert.deepEqual(
    onBranch.added?.commits,
    own.reverse().map((id) => id.slice(0, 12)),
  )
  assert.equal(onBranch.added?.files?.length, 2)
})

test('a branch that merged the trunk starts at what it merged last', async (t) => {
  const project = await openTestProject(t, { repository: true })
  project.git('switch', '-q', '-c', 'work')
  commit(project, 'a')
  project.git('switch', '-q', 'main')
  const base = commit(project, 'elsewhere')
  project.git('switch', '-q', 'work')
  project.git('merge', '-q', '--no-edit', 'main')
  commit(project, 'b')

  const { added } = await captured(project)
  assert.deepEqual([added?.base, added?.files?.length], [base, 2])
})

test('a commit that the trunk has, and one without a common history, added nothing', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const first = project.git('rev-parse', 'HEAD')
  commit(project, 'a')
  project.git('switch', '-q', '--detach', first)
  const behind = await captured(project)
  project.git('switch', '-q', '--orphan', 'other')
  commit(project, 'b')
  const unrelated = await captured(project)

  assert.deepEqual([behind.added, unrelated.added], [undefined, undefined])
})
