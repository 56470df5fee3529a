import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../server/plugin.ts'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { rootCommit } from './git/repository.ts'
import { type Git, type GitFailure, gitIn } from './git/run-git.ts'
import { HOOK_LIMITS } from './hooks.ts'
import { createHandoffs } from './project.ts'
import { projectRows } from './store/database-store.ts'
import { openTestProject, SMALL, type TestProject, testHost } from './testing/fixture.ts'
import { PATIENT, runHook } from './testing/run-hook.ts'

/** An environment in which git takes longer for the first commit, as in a large repository. */
async function slowHistory(t: TestContext, seconds: number) {
  const tools = await openTestProject(t)
  const wait = `case " $* " in *" --max-parents=0 "*) sleep ${seconds} & wait $!;; esac`
  tools.write('bin/git', `#!/bin/sh\n${wait}\nPATH='${process.env['PATH']}' exec git "$@"\n`)
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  return { PATH: `${tools.root}/bin:${process.env['PATH']}` }
}

const idIn = (project: TestProject, path: string) => JSON.parse(project.read(path)).project.id
const firstOf = ({ git }: TestProject) => `git:${git('rev-list', '--max-parents=0', 'HEAD')}`
const hasConfig = ({ root }: TestProject) => existsSync(join(root, '.handoffs/config.json'))

/** git whose one command fails. */
function failing(git: Git, command: string, reason: GitFailure): Git {
  return async (...args) => (args[0] === command ? { kind: 'failed', reason } : git(...args))
}

test('a first commit that git does not tell in time is not taken for none', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const git = gitIn(project.root, process.env)
  const empty = temporaryFolderSync(t)
  execFileSync('git', ['init', '-q', empty])

  const told = await Promise.all([
    rootCommit(git),
    rootCommit(failing(git, 'rev-parse', 'timeout')),
    rootCommit(failing(git, 'rev-list', 'timeout')),
    rootCommit(failing(git, 'rev-parse', 'no_git')),
    rootCommit(gitIn(empty, process.env)),
  ])

  assert.deepEqual(told, [{ commit: project.git('rev-parse', 'HEAD') }, 'untold', 'untold', 'none', 'none'])
})

test('a hook that git tells no first commit in time keeps no id, and the next record has that of the history', async (t) => {
  const slow = await openTestProject(t, { repository: true, env: await slowHistory(t, 60) })
  mkdirSync(join(slow.root, '.handoffs'))
  slow.write('src/more.ts', 'export const more = 2\n')

  const input = { session_id: 'one', cwd: slow.root, trigger: 'auto' }
  const limits = { ...PATIENT, gitMs: HOOK_LIMITS.gitMs }
  const { code } = await runHook(slow, 'pre-compact', input, { limits })
  const [saved = ''] = slow.files().filter((path) => path.startsWith('.handoffs/records/'))

  assert.equal(code, 0)
  assert.deepEqual([idIn(slow, saved), hasConfig(slow)], ['p-unwritten', false])
  const project = await openTestProject(t, { root: slow.root })
  const parent = JSON.parse(project.read(saved)).id
  const { id, path } = await project.call('handoff_create', { ...SMALL, parent })
  assert.deepEqual([idIn(project, path), hasConfig(project)], [firstOf(project), true])
  const { validation } = await project.call('handoff_validate', { id })
  assert.doesNotMatch(JSON.stringify(validation), /of another project/)
})

test('a long history has the time that its id needs outside of a hook', async (t) => {
  const project = await openTestProject(t, { repository: true, env: await slowHistory(t, 2.2) })

  const { path } = await project.call('handoff_create', { ...SMALL, capture_git: false })

  assert.equal(idIn(project, path), firstOf(project))
  assert.equal(JSON.parse(project.read('.handoffs/config.json')).project_id, firstOf(project))
})

test('a record that was written without an id is as near as those of the project', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const old = await project.call('handoff_create', SMALL)
  project.advance(60)
  const late = await project.call('handoff_create', { ...SMALL, parent: 'none', title: 'Later' })
  project.write(late.path, project.read(late.path).replace(firstOf(project), 'p-unwritten'))
  const other = await openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: 'other' } })

  const { id } = await other.call('handoff_resume', { mark: false })

  assert.deepEqual([id, idIn(project, old.path)], [late.id, firstOf(project)])
})

test('in a database a project that git does not name in time is asked again, and not called unnamed', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { disk, layout } = createHandoffs(testHost(project.root, project.now), project.config).projectAt(
    project.root,
  ).store
  const told = ['untold', 'none', { commit: 'a'.repeat(40) }] as const
  let asked = 0
  const { key } = projectRows({
    database: {} as Database, // a name is not looked up there
    disk,
    layout,
    named: undefined,
    rootCommit: async () => told[asked++] ?? 'none',
  })

  await assert.rejects(key(), { code: 'unavailable', reason: 'history_untold' })
  await assert.rejects(key(), { code: 'invalid', reason: 'project_unnamed' })
  assert.equal(await key(), `git:${'a'.repeat(40)}`)
})
