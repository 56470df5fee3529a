import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ERROR_TABLE } from '../error-table.ts'
import { openProject, refusalOf } from './testing/run-cli.ts'

test('requested help fits 80 columns, shows an example and the exit codes, and is written to stdout', async (t) => {
  const { satchel } = await openProject(t)
  for (const argv of [
    ['--help'],
    ['help'],
    ['probe', '--help'],
    ['probe', 'echo', '--help'],
    ['help', 'probe', 'loud'],
    ['mcp', '-h'],
    ['tools', '--help'],
  ]) {
    const ran = await satchel(argv)

    assert.deepEqual([ran.code, ran.err], [0, ''], argv.join(' '))
    const widest = Math.max(...ran.out.split('\n').map((line) => line.length))
    assert.ok(widest <= 80, `${argv.join(' ')}: ${widest} columns`)
  }
  const overview = await satchel(['--help'])
  for (const exit of new Set(Object.values(ERROR_TABLE).map((row) => row.exit))) {
    assert.match(overview.out, new RegExp(`^ {2}${exit} `, 'm'))
  }
  const verb = await satchel(['probe', 'echo', '--help'])
  assert.match(verb.out, /Example:\n {2}satchel probe echo 'it'\\''s one' /)
  assert.match(verb.out, /--no-capture-git/)
  assert.doesNotMatch(verb.out, /--capture-git {2}/)
  for (const argv of [['--json'], ['probe', '--json']]) {
    const ran = await satchel(argv)
    assert.deepEqual([ran.code, refusalOf(ran).error.reason], [2, 'missing_verb'])
  }
  const group = await satchel(['probe'])
  assert.deepEqual([group.code, group.out, /Echo what was typed/.test(group.err)], [2, '', true])
})

test('help lists the options of a verb before those of every verb, and says that a switch turns off what is on', async (t) => {
  const { satchel } = await openProject(t)
  const headings = async (...verb: readonly string[]) =>
    (await satchel([...verb, '--help'])).out.match(/^.*options:$/gim)

  assert.deepEqual(await headings('probe', 'echo'), ['Options:', 'Global options:'])
  assert.deepEqual(await headings('storage', 'import'), ['Global options:'])
  assert.match((await satchel(['probe', 'echo', '--help'])).out, /--no-capture-git +turn off: look at git$/m)
})

test('the example in the help is the example of the tool', async (t) => {
  const { satchel } = await openProject(t)
  const { out } = await satchel(['probe', 'echo', '--help'])
  const line = out
    .slice(out.indexOf('Example:') + 8)
    .trim()
    .replaceAll('\\\n', ' ')

  const words = await promisify(execFile)('sh', [
    '-c',
    `set -- ${line}; for word; do printf '%s\\0' "$word"; done`,
  ])
  const ran = await satchel([...words.stdout.split('\0').slice(1, -1), '--json'])

  const { id, tags, dry_run, capture_git, claim } = JSON.parse(ran.out).got
  assert.deepEqual(
    { id, tags, dry_run, capture_git, claim },
    { id: "it's one", tags: ['a b', 'c'], dry_run: true, capture_git: false, claim: { by: 'ada' } },
  )
})

test('completion scripts name every verb and flag, and the shells accept them', async (t) => {
  const { satchel } = await openProject(t)

  const bash = await satchel(['completion', 'bash'])
  const zsh = await satchel(['completion', 'zsh'])
  const fish = await satchel(['completion', 'fish'])

  const ask = (typed: string): string =>
    `${bash.out}\nCOMP_WORDS=(${typed}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _satchel; echo "\${COMPREPLY[@]}"`
  const completed = async (typed: string): Promise<string> =>
    (await promisify(execFile)('bash', ['-c', ask(typed)])).stdout.trim()
  assert.equal(await completed('satchel pro'), 'probe')
  assert.equal(await completed('satchel probe ec'), 'echo')
  assert.equal(await completed('satchel probe echo --max'), '--max-tokens')
  assert.equal(await completed('satchel probe echo --level ""'), 'low high')
  assert.equal(await completed('satchel mcp --transport s'), 'streamable-http sse')
  assert.equal(await completed('satchel completion z'), 'zsh')
  assert.equal(await completed('satchel setup wind'), 'windsurf')
  assert.match(zsh.out, /^#compdef satchel\n/)
  assert.match(fish.out, /-l max-tokens$/m)
  assert.match(fish.out, /__fish_seen_subcommand_from probe; and __fish_seen_subcommand_from echo/)
})

test('TAB offers what exists where a verb asks for it, and no word that a shell would run or split', async (t) => {
  const { root, satchel } = await openProject(t)
  const { out: script } = await satchel(['completion', 'bash'])
  const values = async (...words: string[]) => (await satchel(['completion', 'values', '--', ...words])).out
  // The script as the shell runs it; its satchel prints with which words it was asked.
  const inShell = async (typed: string) => {
    const lines = [
      script,
      'satchel() { echo "alpha beta" "asked:$#"; }',
      `COMP_WORDS=(${typed}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _satchel; echo "\${COMPREPLY[@]}"`,
    ]
    return (await promisify(execFile)('bash', ['-c', lines.join('\n')], { cwd: root })).stdout.trim()
  }

  assert.equal(await values('probe', 'echo', ''), 'alpha\n')
  assert.equal(await values('probe', 'echo', '--level', 'low', 'a'), 'alpha\n')
  assert.equal(await values('probe', 'echo', 'one', '-t', ''), 'alpha\n')
  assert.equal(await values('probe', 'echo', '--level', ''), '')
  assert.equal(await values('probe', 'echo', 'one', ''), '')
  assert.equal(await values('probe', 'count', ''), '')
  assert.equal(await values('unknown', ''), '')
  assert.equal(await values(), '')
  assert.equal(await inShell('satchel probe echo ""'), 'alpha beta asked:6')
  assert.equal(await inShell('satchel probe echo al'), 'alpha')
  assert.equal(await inShell('satchel probe echo --max'), '--max-tokens')
})

test('--version is the version of the package', async (t) => {
  const { satchel } = await openProject(t)
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

  assert.deepEqual(await satchel(['--version']), { code: 0, out: `${version}\n`, err: '' })
  assert.deepEqual(JSON.parse((await satchel(['--version', '--json'])).out), { version })
})
