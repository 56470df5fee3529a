import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { EndedProcess } from './harness/ended-process.ts'
import { temporaryFolder } from './harness/index.ts'
import { printedJson, runSatchel } from './satchel-process.ts'

const AUTHOR = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
const TEXTS = ['--title', 'T', '--objective', 'O', '--current-state', 'C', '--json']

/** A repository in which `git merge` of two edits of a record failed. */
async function openFailedMerge(t: TestContext, edits: Readonly<Record<'main' | 'other', readonly string[]>>) {
  const root = await temporaryFolder(t, "satchel it's ")
  const git = (...words: readonly string[]) =>
    execFileSync('git', [...AUTHOR, ...words], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  const satchel = (...words: readonly string[]) => runSatchel(root, words)
  git('init', '--quiet', '--initial-branch=main')
  const { id, path } = printedJson(await satchel('handoff', 'create', ...TEXTS))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'begin')
  git('branch', 'other')
  for (const branch of ['other', 'main'] as const) {
    git('switch', '--quiet', branch)
    const { etag } = printedJson(await satchel('handoff', 'show', id, '--json'))
    printedJson(await satchel('handoff', 'edit', id, ...edits[branch], '--if-match', etag, '--json'))
    git('commit', '--quiet', '--all', '--message', branch)
  }
  assert.throws(() => git('merge', '--quiet', '--no-edit', 'other'), { status: 1 })
  const file = join(root, path)
  return { root, id, path, git, satchel, text: () => readFileSync(file, 'utf8'), file }
}

const firstLine = ({ out }: EndedProcess) => out.split('\n')[0]
const appending = (text: string) => ['--append', JSON.stringify({ completed: [text] })]

test('after a failed git merge, doctor names the record and doctor --fix merges it so that git can go on', async (t) => {
  const project = await openFailedMerge(t, { main: appending('ours'), other: appending('theirs') })
  const { root, id, path, git, satchel, text } = project
  const damaged = text()

  const refused = await satchel('handoff', 'show', id)
  const before = await satchel('handoff', 'doctor')
  const named = await satchel('doctor')
  const untouched = text()
  const fixed = await satchel('handoff', 'doctor', '--fix')
  const after = await satchel('handoff', 'doctor')
  const again = await satchel('handoff', 'doctor', '--fix')
  git('add', path)
  git('commit', '--quiet', '--no-edit')
  const shown = printedJson(await satchel('handoff', 'show', id, '--json'))

  assert.match(damaged, /^<{7} HEAD$/m)
  assert.notEqual(refused.code, 0)
  assert.match(refused.err, /satchel handoff doctor --fix/)
  assert.equal(before.code, 3, before.err)
  assert.match(before.out, new RegExp(`${id}.*satchel handoff doctor --fix`, 's'))
  assert.match(named.out, /^problem {2}handoff store: .* Next: satchel handoff doctor$/m)
  assert.equal(untouched, damaged)
  assert.equal(fixed.code, 0, fixed.out + fixed.err)
  assert.match(fixed.out + fixed.err, /1 record repaired.*merged from its parents in git/s)
  assert.match(fixed.out + fixed.err, new RegExp(`git add ${path}`))
  assert.deepEqual([after.code, firstLine(after)], [0, 'No problems found.'])
  assert.deepEqual([again.code, firstLine(again)], [0, 'Nothing to repair.'])
  assert.deepEqual(shown.record.summary.completed.toSorted(), ['ours', 'theirs'])
  assert.equal(git('status', '--porcelain', '--', '.handoffs'), '')
  const [kept = ''] = readdirSync(join(root, '.handoffs/.local/damaged'))
  assert.equal(readFileSync(join(root, '.handoffs/.local/damaged', kept), 'utf8'), damaged)
})

test('doctor --fix names what both sides changed, and keeps ours', async (t) => {
  const edit = (title: string) => [
    '--patch',
    JSON.stringify({ op: 'replace', path: '/work/title', value: title }),
  ]
  const { id, satchel } = await openFailedMerge(t, { main: edit('Ours'), other: edit('Theirs') })

  const fixed = printedJson(await satchel('handoff', 'doctor', '--fix', '--json'))

  const { record } = printedJson(await satchel('handoff', 'show', id, '--json'))
  assert.equal(fixed.results[0].outcome, 'conflicted')
  assert.match(fixed.results[0].detail, /title/)
  assert.equal(record.work.title, 'Ours')
  assert.ok(record.flags.includes('conflicted'))
})

test('doctor --fix leaves other damage byte by byte, says so, and does not end with 0', async (t) => {
  const { path, satchel, text, file } = await openFailedMerge(t, {
    main: appending('ours'),
    other: appending('theirs'),
  })
  const cut = text().slice(0, 200)
  writeFileSync(file, cut)

  const fixed = await satchel('handoff', 'doctor', '--fix')

  assert.equal(fixed.code, 3, fixed.out + fixed.err)
  assert.ok(fixed.out.includes(path), fixed.out)
  assert.match(fixed.out, /correct it in an editor/)
  assert.equal(text(), cut)
})
