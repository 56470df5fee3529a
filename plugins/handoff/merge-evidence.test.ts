import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { type Answer, openTestProject, SMALL, type TestProject } from './testing/fixture.ts'

const DECISION = { decision: 'so', rationale: 'why', evidence_ids: ['E-001'] }

function commit(project: TestProject, path: string): void {
  project.write(path, `${path} has a line of its own\n`)
  project.git('add', '--', path)
  project.git('commit', '-q', '-m', path)
}

/** What is the newest commit when the record is written. */
const COMMITS: Readonly<Record<string, (project: TestProject) => void>> = {
  'a merge': ({ git }) => git('merge', '-q', '--no-ff', '--no-edit', 'main'),
  'an empty commit': ({ git }) => git('commit', '-q', '--allow-empty', '-m', 'empty'),
  'a commit of records alone': ({ git, write }) => {
    write('.handoffs/records/README.md', 'x\n')
    git('add', '-f', '.handoffs/records')
    git('commit', '-q', '-m', 'records')
  },
}

/** A branch with two commits and a third one, on which the decision of a record rests. */
async function withRecord(t: TestContext, third: (project: TestProject) => void) {
  const project = await openTestProject(t, { repository: true })
  project.git('switch', '-q', '-c', 'work')
  commit(project, 'src/first.ts')
  commit(project, 'src/second.ts')
  project.git('switch', '-q', 'main')
  commit(project, 'docs/elsewhere.md')
  project.git('switch', '-q', 'work')
  third(project)
  const evidence = [{ id: 'E-001', type: 'commit', claim: 'it is in', ref: 'HEAD' }]
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    scope: ['src/**'],
    evidence,
    decisions: [DECISION],
  })
  return { project, id }
}

/** The main branch gets the branch with the record, and the branch is deleted; then a clone of that. */
async function handedOver(t: TestContext, project: TestProject): Promise<TestProject> {
  const { git, root } = project
  git('add', '-f', '.handoffs/records')
  git('commit', '-q', '-m', 'the record')
  git('switch', '-q', 'main')
  git('reset', '-q', '--hard', 'work')
  git('branch', '-q', '-D', 'work')
  const folder = join(temporaryFolderSync(t), 'clone')
  execFileSync('git', ['clone', '-q', '--no-local', `file://${root}`, folder], { stdio: 'ignore' })
  return openTestProject(t, { root: folder })
}

async function verdictIn(project: TestProject, id: string): Promise<Answer> {
  const { gate, claims } = await project.call('handoff_freshness', { id })
  return { gate, verdict: claims[0].verdict, reason: claims[0].reason }
}

for (const [name, third] of Object.entries(COMMITS)) {
  test(`${name} that was rewritten with the same files has moved, in a clone without it, too`, async (t) => {
    const { project, id } = await withRecord(t, third)
    project.git('commit', '-q', '--amend', '--allow-empty', '-m', 'other words')
    const to = project.git('rev-parse', 'HEAD')

    const clone = await handedOver(t, project)

    for (const place of [project, clone]) {
      const { verdict, reason } = await verdictIn(place, id)
      assert.equal(verdict, 'moved')
      assert.ok(reason.includes(to.slice(0, 12)), reason)
    }
  })
}

for (const name of ['a merge', 'an empty commit'] as const) {
  test(`where a rebase left nothing that tells ${name}, it is unverifiable and does not stop`, async (t) => {
    const { project, id } = await withRecord(t, COMMITS[name] ?? (() => {}))
    project.git('switch', '-q', 'main')
    commit(project, 'docs/more.md')
    project.git('switch', '-q', 'work')
    project.git('rebase', '-q', 'main')

    const clone = await handedOver(t, project)

    for (const [place, expected] of [
      [project, 'go'], // what changed since is known here, and nothing of it is in scope
      [clone, 'care'],
    ] as const) {
      const { gate, verdict, reason } = await verdictIn(place, id)
      assert.deepEqual([gate, verdict], [expected, 'unverifiable'])
      assert.match(reason, /nothing tells whether it has the change/)
    }
  })
}
