import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook as hook } from './testing/run-hook.ts'

const records = (project: TestProject) => project.files().filter((path) => path.includes('/records/'))
const read = (project: TestProject, path: string) => JSON.parse(project.read(path))

test('after each compaction nothing that the session itself did counts as changed since', async (t) => {
  const project = await openTestProject(t, { repository: true })
  mkdirSync(join(project.root, '.handoffs'))
  const input = { session_id: 'one', cwd: project.root }
  const compact = async () => {
    await hook(project, 'pre-compact', input)
    const [path = ''] = records(project)
    const { stdout } = await hook(project, 'session-start', { ...input, source: 'compact' })
    return { record: read(project, path), brief: JSON.parse(stdout).hookSpecificOutput.additionalContext }
  }
  await hook(project, 'session-start', { ...input, source: 'startup' })

  project.git('mv', 'README.md', 'GUIDE.md')
  project.git('commit', '-q', '-m', 'renamed')
  project.write('src/callback.ts', 'one\n')
  project.write('scratch.txt', 'x\n')
  const first = await compact()
  project.write('src/callback.ts', 'two\n')
  rmSync(join(project.root, 'scratch.txt'))
  const second = await compact()

  const states = ({ record }: typeof first) =>
    record.artifacts.map(({ path, role, deleted }: Record<string, unknown>) => [path, role, deleted ?? false])
  assert.deepEqual(states(first), [
    ['GUIDE.md', 'created', false],
    ['README.md', 'modified', true],
    ['scratch.txt', 'created', false],
    ['src/callback.ts', 'modified', false],
  ])
  assert.deepEqual(
    states(second),
    states(first).filter(([path]: [string]) => path !== 'scratch.txt'),
  )
  for (const { brief } of [first, second]) assert.match(brief, /\nFreshness: fresh\. Gate: go\n/)
})

test('a session that is resumed again is told again what changed meanwhile, and nothing else', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, scope: ['src/**'] })
  const resume = () =>
    hook(project, 'session-start', { session_id: 'one', cwd: project.root, source: 'resume' })

  assert.match((await resume()).stdout, /Gate: go/)
  project.advance(3600)
  assert.equal((await resume()).stdout, '', 'it is older, and the same')
  project.write('src/callback.ts', 'of another person\n')
  assert.match((await resume()).stdout, /1 path in scope changed. Gate: care/)
  assert.equal((await resume()).stdout, '')
  const { etag } = await project.call('handoff_get', { id })
  const failed_attempts = [{ approach: 'Retry the callback', reason: 'it is not idempotent' }]
  await project.call('handoff_update', { id, if_match: etag, append: { failed_attempts } })
  assert.match((await resume()).stdout, /Do not retry \(F-001\): Retry the callback/)
})
