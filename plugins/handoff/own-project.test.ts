import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolderSync } from '../../test/harness/temporary-folder.ts'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

/** The project that a command finds in a folder of the repository with this root. */
const commandIn = (t: TestContext, root: string, start: string) => openTestProject(t, { root, start })

/** The record that a hook and a command in this folder give, by its title. */
async function givenIn(t: TestContext, root: string, start: string) {
  const command = await commandIn(t, root, start)
  const input = { session_id: 'one', cwd: start, source: 'compact' }
  const { stdout } = await runHook(command, 'session-start', input)
  const told = stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
  const { brief } = await command.call('handoff_resume').catch(() => ({ brief: '' }))
  const titleIn = (text: string) => /^Title: (.*)$/m.exec(text)?.[1]
  return { hook: titleIn(told), command: titleIn(brief) }
}

const made = (project: TestProject, title: string) => project.call('handoff_create', { ...SMALL, title })

/** A repository that has another one as its submodule `lib`. */
async function withSubmodule(t: TestContext) {
  const lib = await openTestProject(t, { repository: true })
  const outer = await openTestProject(t, { repository: true })
  outer.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', lib.root, 'lib')
  outer.git('commit', '-q', '-m', 'lib')
  return { outer, inner: join(outer.root, 'lib') }
}

test('in a submodule a hook and a command use the store of the repository around it, until it has its own', async (t) => {
  const { outer, inner } = await withSubmodule(t)
  await made(outer, 'Outer')
  const before = await givenIn(t, inner, inner)

  await made(await openTestProject(t, { root: inner }), 'Inner')
  const after = await givenIn(t, inner, inner)

  assert.deepEqual(before, { hook: 'Outer', command: 'Outer' })
  assert.deepEqual(after, { hook: 'Inner', command: 'Inner' })
})

test('in a folder of a repository a hook and a command use the nearest store', async (t) => {
  const { root, ...project } = await openTestProject(t, { repository: true })
  const [folder, other] = [join(root, 'packages/a'), join(root, 'packages/b')]
  for (const one of [folder, other]) mkdirSync(one, { recursive: true })
  await made({ root, ...project }, 'Root')
  const before = await givenIn(t, folder, folder) // as where a client names this folder

  await made(await openTestProject(t, { root: folder }), 'Folder')

  assert.deepEqual(before, { hook: 'Root', command: 'Root' })
  assert.deepEqual(await givenIn(t, root, folder), { hook: 'Folder', command: 'Folder' })
  assert.deepEqual(await givenIn(t, root, other), { hook: 'Root', command: 'Root' })
})

test('a store above a repository is not that of the repository', async (t) => {
  const above = temporaryFolderSync(t)
  await made(await openTestProject(t, { root: above }), 'Above')
  const root = join(above, 'repository')
  mkdirSync(root)
  await openTestProject(t, { root, repository: true })

  assert.deepEqual(await givenIn(t, root, root), { hook: undefined, command: undefined })
})

test('a root that the user named is the project, also inside of another repository', async (t) => {
  const { outer, inner } = await withSubmodule(t)
  await made(outer, 'Outer')

  const named = await openTestProject(t, { root: inner })
  await assert.rejects(named.call('handoff_resume'), { reason: 'record_not_found' })
})
