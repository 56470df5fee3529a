import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './harness/index.ts'
import { runSatchel } from './satchel-process.ts'

const AUTHOR = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
const TEXTS = ['--title', 'T', '--objective', 'O', '--current-state', 'C', '--json']
/** What people have in these files; the last line of the second has no end. */
const ATTRIBUTES = '# ours\n*.lock -diff\n'
const SETTING = '[alias]\n\t# mine\n\tst = status -sb'

/** A home with a client, and in it a repository whose files have lines of their own. */
async function openRepository(t: TestContext) {
  const home = await temporaryFolder(t, "satchel it's ")
  const root = join(home, 'project')
  mkdirSync(join(home, '.gemini'))
  mkdirSync(root)
  const git = async (...words: readonly string[]) =>
    (await promisify(execFile)('git', [...AUTHOR, ...words], { cwd: root })).stdout
  await git('init', '--quiet', '--initial-branch=main')
  const paths = [join(root, '.gitattributes'), join(root, '.git/config')] as const
  writeFileSync(paths[0], ATTRIBUTES)
  writeFileSync(paths[1], `${readFileSync(paths[1], 'utf8')}${SETTING}`)
  const satchel = (words: readonly string[], cwd = root) => runSatchel(cwd, words, { HOME: home })
  return { home, root, git, satchel, texts: () => paths.map((path) => readFileSync(path, 'utf8')) }
}

test('setup --git-merge: git merges two branches of a record item by item, and a removal restores both files', async (t) => {
  const { root, git, satchel, texts } = await openRepository(t)
  const before = texts()
  const { id } = JSON.parse((await satchel(['handoff', 'create', ...TEXTS])).out)
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'begin')

  const put = await satchel(['setup', 'gemini-cli', '--git-merge', '--json'])
  const written = texts()
  const again = await satchel(['setup', 'gemini-cli', '--git-merge', '--json'])
  for (const [branch, text] of [
    ['left', 'tried one'],
    ['right', 'tried two'],
  ] as const) {
    await git('checkout', '--quiet', '-B', branch, 'main')
    const { etag } = JSON.parse((await satchel(['handoff', 'show', id, '--json'])).out)
    const edit = ['handoff', 'edit', id, '--append', JSON.stringify({ completed: [text] })]
    const edited = await satchel([...edit, '--if-match', etag, '--json'])
    assert.equal(edited.code, 0, edited.out + edited.err)
    await git('commit', '--quiet', '--message', branch, '--', '.handoffs/records')
  }
  await git('merge', '--quiet', '--no-edit', 'left')
  const shown = JSON.parse((await satchel(['handoff', 'show', id, '--json'])).out)
  const removed = await satchel(['setup', '--remove', '--json'])

  const outcomes = (out: string) =>
    JSON.parse(out)
      .clients.filter(({ client }: { client: string }) => client === 'git')
      .flatMap(({ scope, files }: { scope: string; files: { outcome: string }[] }) =>
        files.map(({ outcome }) => `${scope}: ${outcome}`),
      )
  assert.equal(put.code, 0, put.out + put.err)
  assert.deepEqual(outcomes(put.out), ['project: written', 'project: written'])
  assert.deepEqual(outcomes(again.out), ['project: unchanged', 'project: unchanged'])
  assert.equal(written[0], `${ATTRIBUTES}.handoffs/records/*.json merge=handoff\n`)
  assert.ok(written[1]?.startsWith(`${before[1]}\n[merge "handoff"] driver = `), written[1])
  assert.deepEqual(new Set(shown.record.summary.completed), new Set(['tried one', 'tried two']))
  assert.equal(removed.code, 0, removed.out + removed.err)
  assert.deepEqual(texts(), before)
  assert.ok(existsSync(join(root, '.handoffs/records', `${id}.json`)))
})

test('setup --git-merge in a linked work tree configures the repository, and outside of one says so', async (t) => {
  const { home, git, satchel, texts } = await openRepository(t)
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'begin')
  await git('worktree', 'add', '--quiet', '../linked')

  const linked = await satchel(['setup', 'gemini-cli', '--git-merge', '--json'], join(home, 'linked'))
  const config = texts()[1]
  const driver = await git('config', 'merge.handoff.driver')
  mkdirSync(join(home, 'bare'))
  const outside = await satchel(['setup', 'gemini-cli', '--git-merge', '--json'], join(home, 'bare'))

  assert.equal(linked.code, 0, linked.out + linked.err)
  assert.match(config ?? '', /^\[merge "handoff"\] driver = /m)
  assert.match(driver, / handoff git-merge %O %A %B$/m)
  assert.match(readFileSync(join(home, 'linked/.gitattributes'), 'utf8'), /merge=handoff$/m)
  const { clients } = JSON.parse(outside.out)
  assert.deepEqual(
    clients.map(({ client, error }: { client: string; error?: { reason: string } }) => [
      client,
      error?.reason,
    ]),
    [
      ['gemini-cli', undefined],
      ['git', 'no_repository'],
    ],
  )
  assert.equal(outside.code, 4)
})

test('setup --git-merge needs no client', async (t) => {
  const { root, git } = await openRepository(t)
  // No client is found without programs and settings of any.
  const env = { HOME: root, PATH: dirname(process.execPath) }

  const put = await runSatchel(root, ['setup', '--git-merge', '--yes', '--json'], env)

  assert.equal(put.code, 0, put.out + put.err)
  assert.deepEqual(
    JSON.parse(put.out).clients.map(({ client }: { client: string }) => client),
    ['git'],
  )
  assert.match(await git('config', 'merge.handoff.driver'), / handoff git-merge %O %A %B$/m)
})
