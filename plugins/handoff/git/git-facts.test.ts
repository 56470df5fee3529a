import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readableRecord } from '../domain/readable-record.ts'
import { openTestProject } from '../testing/fixture.ts'
import { gitFactsFor } from './git-facts.ts'
import { type Git, type GitFailure, gitIn } from './run-git.ts'

for (const [failure, relation] of [
  ['timeout', 'unknown'],
  ['no_git', 'unknown'],
  ['refused', 'unrelated_history'],
] as const) {
  test(`a merge-base that ends with ${failure} gives ${relation}`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    const captured = project.git('rev-parse', 'HEAD')
    project.git('commit', '-q', '--allow-empty', '-m', 'second')
    const record = readableRecord({ project: { repository: { head: captured } } })
    const real = gitIn(project.root, process.env, { limitMs: 60_000 })

    const whole = await gitFactsFor(real, record, '.handoffs/')
    const cut = await gitFactsFor(failing(real, 'merge-base', failure), record, '.handoffs/')

    assert.equal(whole.kind === 'repository' && whole.since?.relation, 'ahead')
    assert.equal(cut.kind === 'repository' && cut.since?.relation, relation)
  })
}

/** git whose one command fails. */
function failing(git: Git, command: string, reason: GitFailure): Git {
  return async (...args) => (args[0] === command ? { kind: 'failed', reason } : git(...args))
}
