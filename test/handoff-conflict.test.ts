import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'
import { KEPT_CODE, printedJson, runSatchel, SATCHEL } from './satchel-process.ts'

const AUTHOR = ['-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'core.editor=true']
const ITEM = { description: 'Write the fixture', suggested_action: 'Add it', acceptance_check: 'it runs' }
const CREATE = [
  ...['--title', 'T', '--objective', 'O', '--current-state', 'C', '--definition-of-done', 'green'],
  ...['--open-items', JSON.stringify({ ...ITEM, priority: 'high' }), '--json'],
]

/** A repository with the merge driver, in which two branches edit one record. */
async function openBranches(t: TestContext) {
  const root = await temporaryFolder(t, "satchel it's ")
  const git = (...words: readonly string[]) =>
    execFileSync('git', [...AUTHOR, ...words], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  const satchel = (...words: readonly string[]) => runSatchel(root, words)
  git('init', '--quiet', '--initial-branch=main')
  printedJson(await satchel('setup', 'gemini-cli', '--git-merge', '--json'))
  const { id, path } = printedJson(await satchel('handoff', 'create', ...CREATE))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'begin')
  git('branch', 'other')
  const edit = async (branch: string, ...patch: readonly object[]) => {
    git('switch', '--quiet', branch)
    const words = patch.flatMap((one) => ['--patch', JSON.stringify(one)])
    const { etag } = printedJson(await satchel('handoff', 'show', id, '--json'))
    printedJson(await satchel('handoff', 'edit', id, ...words, '--if-match', etag, '--json'))
    git('commit', '--quiet', '--all', '--message', branch)
  }
  const replaced = (text: string) => ({ op: 'replace', path: '/summary/current_state', value: text })
  const priority = (value: string) => ({ op: 'replace', path: '/open_items/0/priority', value })
  await edit('main', replaced('The reader is done'), priority('medium'))
  await edit('other', replaced('The writer is done'), priority('low'))
  git('switch', '--quiet', 'main')
  const record = () => JSON.parse(readFileSync(join(root, path), 'utf8'))
  return { root, id, path, git, satchel, record }
}

/** What the hook of a harness prints when a session starts. */
function startHook(root: string, source: string): { readonly out: string } {
  const [program, ...words] = SATCHEL
  const input = JSON.stringify({ session_id: 's', cwd: root, source })
  const env = { PATH: String(process.env['PATH']), HOME: root, ...KEPT_CODE }
  const options = { cwd: root, env, input, encoding: 'utf8' } as const
  return { out: execFileSync(program, [...words, 'handoff', 'hook', 'session-start'], options) }
}

for (const way of ['merge', 'rebase'] as const) {
  test(`after a ${way} in conflict both sides are shown, the way out is named, and deciding ends it`, async (t) => {
    const { root, id, path, git, satchel, record } = await openBranches(t)
    assert.throws(() => git(way, 'other'))
    const conflicted = record()

    const resumed = await satchel('handoff', 'resume', id)
    const hook = startHook(root, 'compact')
    const doctor = await satchel('handoff', 'doctor')
    const refused = await satchel('handoff', 'set-status', id, 'ready', '--accept-warnings', 'none matter')
    const cleared = await satchel('handoff', 'set-status', id, '--clear-flags', 'conflicted', '--reason', 'x')
    const decide = (conflict_id: string, choose: string) =>
      satchel(
        ...['handoff', 'merge', '--child', id, '--json', '--resolutions'],
        JSON.stringify({ conflict_id, choose, rationale: 'it is newer' }),
      )
    const first = printedJson(await decide('C-001', 'theirs'))
    const second = printedJson(await decide('C-002', 'ours'))
    git('add', path)
    git(...(way === 'merge' ? ['commit', '--quiet', '--no-edit'] : ['rebase', '--continue']))
    const ready = await satchel('handoff', 'set-status', id, 'ready', '--accept-warnings', 'none matter')
    const after = await satchel('handoff', 'doctor')

    // A rebase takes the branch below for ours.
    const [ours, theirs] =
      way === 'merge'
        ? ['The reader is done', 'The writer is done']
        : ['The writer is done', 'The reader is done']
    assert.deepEqual(conflicted.flags, ['conflicted'])
    for (const brief of [resumed.out, hook.out]) {
      assert.match(
        brief,
        /Gate: stop \(2 open conflicts, decide with handoff_merge \(child\) or satchel handoff merge --child\)/,
      )
      assert.match(brief, new RegExp(`In conflict \\(C-001, current_state\\): ours: ${ours}`))
      assert.ok(brief.includes(`theirs: ${theirs}`), brief)
      assert.match(brief, /In conflict \(C-002, open_items O-001\)/)
    }
    assert.equal(doctor.code, 3)
    assert.match(doctor.out, /current_state/)
    assert.match(doctor.out, /satchel handoff merge --child/)
    for (const { code, err } of [refused, cleared]) {
      assert.equal(code, 5, err)
      assert.match(err, /current_state, open_items O-001/)
      assert.match(err, /handoff merge/)
    }
    assert.deepEqual([first.unresolved, second.unresolved], [1, 0])
    assert.equal(ready.code, 0, ready.err)
    const { status, flags, summary, open_items, x_satchel } = record()
    assert.deepEqual([status, flags, x_satchel.conflicts], ['ready', [], []])
    assert.equal(summary.current_state, theirs)
    assert.equal(open_items[0].priority, way === 'merge' ? 'medium' : 'low')
    assert.equal(after.code, 0, after.out)
    assert.equal(git('status', '--porcelain', '--untracked-files=no').trim(), `M ${path}`)
  })
}

test('a released record that was edited by hand is not shown as what was released', async (t) => {
  const { root, id, path, git, satchel } = await openBranches(t)
  git('switch', '--quiet', 'other')
  printedJson(
    await satchel('handoff', 'set-status', id, 'ready', '--accept-warnings', 'none matter', '--json'),
  )
  const brief = () => satchel('handoff', 'show', id, '--format', 'brief')
  const file = join(root, path)
  const released = readFileSync(file, 'utf8')

  const before = [startHook(root, 'startup'), await brief(), await satchel('handoff', 'doctor')]
  writeFileSync(file, released.replaceAll('\n', '\r\n'))
  const converted = await brief()
  writeFileSync(file, released.replace('The writer is done', 'All is done'))
  const after = [
    startHook(root, 'startup'),
    startHook(root, 'compact'),
    await brief(),
    await satchel('handoff', 'doctor'),
  ]
  const resumed = await satchel('handoff', 'resume', id)

  for (const { out } of [...before, converted]) assert.doesNotMatch(out, /changed (?:after|since)/)
  for (const { out } of [...after, resumed]) assert.match(out, /changed (?:after|since)/)
})
