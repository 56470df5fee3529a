import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { HOST_VERBS } from '../server/cli/host-verbs.ts'
import { leavesOf, shapeOf } from '../server/cli/plugin-verbs.ts'
import { parseVerb } from '../server/cli/verb-parser.ts'
import { loadConfig } from '../server/config.ts'
import { ERROR_CODES } from '../server/contract/errors.ts'
import { ERROR_TABLE } from '../server/error-table.ts'
import { loadEntries } from '../server/plugin-entries.ts'
import { openProject, type Ran } from './fixtures/run-cli.ts'
import { openHost } from './harness/index.ts'

const json = (
  ran: Ran,
): { error: { code: string; reason: string; next?: unknown; details?: Record<string, unknown> } } =>
  JSON.parse(ran.out)

test('flags become the types of the input', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel([
    'probe',
    'echo',
    'one',
    '-t',
    'a',
    '--tags',
    'b',
    '--max-tokens',
    '900',
    '--level',
    'low',
    '--dry-run',
    '--no-capture-git',
    '--claim',
    '{"by":"ada"}',
    '--items',
    '{"text":"x"}',
    '--items',
    '[{"text":"y"}]',
    '--anything',
    '[1]',
    '--json',
  ])

  assert.deepEqual(JSON.parse(ran.out).got, {
    id: 'one',
    tags: ['a', 'b'],
    max_tokens: 900,
    level: 'low',
    dry_run: true,
    capture_git: false,
    claim: { by: 'ada' },
    items: [{ text: 'x' }, { text: 'y' }],
    anything: [1],
  })
  assert.deepEqual([ran.code, ran.err], [0, ''])
})

test('what a verb fixes has no flag and cannot be overridden by --input', async (t) => {
  const { satchel } = await openProject(t)

  const typed = await satchel(['probe', 'loud', 'one', '--level', 'low', '--json'])
  const given = await satchel(['probe', 'loud', '--input', '-', '--json'], {
    stdin: '{"id":"two","level":"low"}',
  })

  assert.deepEqual([typed.code, json(typed).error.reason], [2, 'unknown_option'])
  assert.equal(JSON.parse(given.out).got.level, 'high')
})

test('without --json a verb prints the digest and nothing else', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel(['probe', 'echo', 'one'])

  assert.match(ran.out, /^echo \{"id":"one"/)
  assert.equal(ran.out.split('\n').length, 2)
  assert.equal(ran.err, '')
})

test('global flags may stand in front of the verb', async (t) => {
  const { root, satchel } = await openProject(t)

  const ran = await satchel(['--json', '-c', join(root, 'satchel.yaml'), 'probe', 'echo', 'one'], {
    cwd: tmpdir(),
  })

  assert.equal(JSON.parse(ran.out).got.id, 'one')
})

test('every error code gives its exit code and its object under --json', async (t) => {
  const { satchel } = await openProject(t)
  for (const code of ERROR_CODES.filter((one) => one !== 'internal')) {
    const ran = await satchel(['probe', 'fail', code, '--json'])

    assert.equal(ran.code, ERROR_TABLE[code].exit, code)
    assert.deepEqual(json(ran).error.code, code)
    assert.deepEqual(json(ran).error.reason, `planned_${code}`)
    assert.deepEqual(json(ran).error.next, { tool: 'probe_echo', args: { id: 'again' } })
  }
})

test('an error is one line on stderr with what to type next', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel(['probe', 'fail', 'conflict'])

  assert.deepEqual(
    [ran.code, ran.out, ran.err],
    [5, '', 'satchel: It was asked to be conflict. Next: satchel probe echo again\n'],
  )
})

test('a bug of a plugin shows a log id and never its own text', async (t) => {
  const { satchel } = await openProject(t)

  const plain = await satchel(['probe', 'fail', 'bug'])
  const asJson = await satchel(['probe', 'fail', 'bug', '--json'])

  assert.equal(plain.code, 1)
  const lines = plain.err.trimEnd().split('\n')
  assert.match(lines.at(-1) ?? '', /^satchel: Internal error \(log id [0-9a-f]{12}\)$/)
  assert.match(lines[0] ?? '', /secret text/, 'the log has the cause')
  assert.deepEqual([json(asJson).error.code, asJson.out.includes('secret')], ['internal', false])
})

test('wrong typing is exit 2 with a reason, and names the nearest word', async (t) => {
  const { satchel } = await openProject(t)
  const cases: [string[], string, RegExp?][] = [
    [['frobnicate'], 'unknown_verb'],
    [['doctr'], 'unknown_verb', /Did you mean "doctor"/],
    [['probe', 'ecko'], 'unknown_verb', /Did you mean "probe echo"/],
    [['probe', 'echo', '--max-token', '1'], 'unknown_option', /--max-tokens/],
    [['probe', 'echo', '--max-tokens', 'many'], 'invalid_argument'],
    [['probe', 'echo', '--max-tokens', '9001'], 'invalid_arguments'],
    [['probe', 'echo', '--level', 'medium'], 'invalid_argument', /low, high/],
    [['probe', 'echo', '--claim', 'ada'], 'invalid_argument'],
    [['probe', 'echo', '--claim', '{}'], 'invalid_arguments'],
    [['probe', 'echo', '--max-tokens'], 'option_missing_argument'],
    [['probe', 'echo', 'one', 'two'], 'excess_arguments'],
    [['probe', 'loud'], 'missing_argument'],
    [['probe', 'count', 'x'], 'invalid_argument'],
    [['probe', 'count', '10'], 'invalid_arguments'],
    [['--frob'], 'unknown_option'],
    [['--jsn'], 'unknown_option', /--jsn.*--json/],
    [['probe', 'echo', '--input'], 'option_missing_argument'],
    [['completion', 'tcsh'], 'invalid_argument'],
  ]
  for (const [argv, reason, says] of cases) {
    const asJson = await satchel(['--json', ...argv])
    const plain = await satchel(argv)

    assert.deepEqual(
      [asJson.code, json(asJson).error.code, json(asJson).error.reason],
      [2, 'invalid', reason],
      argv.join(' '),
    )
    assert.deepEqual([plain.code, plain.out, plain.err.split('\n').length], [2, '', 2], argv.join(' '))
    if (says) assert.match(plain.err, says)
  }
})

test('--input takes a file or standard input, and refuses what is no JSON object with exit 3', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'in.json'), '{"id":"file"}')
  await writeFile(join(root, 'latin.json'), Buffer.from([0x7b, 0xff, 0x7d]))
  const refused: [string, string, number, string][] = [
    ['-', '', 3, 'input_not_json'],
    ['-', '{', 3, 'input_not_json'],
    ['-', '[]', 3, 'input_not_json'],
    ['-', '{"idd":1}', 3, 'unknown_argument'],
    ['-', '{"id":1}', 3, 'invalid_arguments'],
    ['-', `{"anything":${'['.repeat(100)}${']'.repeat(100)}}`, 3, 'too_deep'],
    ['-', '{"__proto__":{"id":"x"}}', 3, 'unknown_argument'],
    ['latin.json', '', 3, 'not_utf8'],
    ['none.json', '', 4, 'file_not_found'],
    ['.', '', 3, 'not_a_file'],
  ]

  const fromFile = await satchel(['probe', 'echo', '--input', 'in.json', '--json'])
  const fromStdin = await satchel(['probe', 'echo', '--input', '-', '--json', '--id-x'], {
    stdin: '{"id":"pipe"}',
  })

  assert.equal(JSON.parse(fromFile.out).got.id, 'file')
  assert.equal(fromStdin.code, 2)
  for (const [file, stdin, code, reason] of refused) {
    const ran = await satchel(['probe', 'echo', '--input', file, '--json'], { stdin })
    assert.deepEqual([ran.code, json(ran).error.reason], [code, reason], `${file} ${stdin}`)
  }
})

test('a verb that finds something exits 3 and still prints its result', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'note.txt'), 'bad news')

  const found = await satchel(['probe', 'check', 'note.txt', '--json'])
  const clean = await satchel(['probe', 'check', '-', '--json'], { stdin: 'good news' })

  assert.deepEqual([found.code, JSON.parse(found.out).findings], [3, 1])
  assert.deepEqual([clean.code, JSON.parse(clean.out).findings], [0, 0])
})

test('-o writes the result to a file, - to stdout, and says where it could not', async (t) => {
  const { root, satchel } = await openProject(t)

  const saved = await satchel(['probe', 'check', '-', '-o', 'out.txt'], { stdin: 'all of it' })
  const shown = await satchel(['probe', 'check', '-', '-o', '-'], { stdin: 'all of it' })
  const refused = await satchel(['probe', 'check', '-', '-o', 'no/such/out.txt', '--json'], { stdin: 'x' })

  assert.equal(await readFile(join(root, 'out.txt'), 'utf8'), 'all of it')
  assert.deepEqual([saved.code, saved.err], [0, 'written: out.txt\n'])
  assert.equal(shown.out, 'all of it\n')
  assert.deepEqual([refused.code, json(refused).error.reason], [3, 'output_not_written'])
})

test('a typed path starts at the working directory, and at the project root when nothing is there', async (t) => {
  const { root, satchel } = await openProject(t)
  await mkdir(join(root, '.git'))
  await mkdir(join(root, 'sub'))
  await writeFile(join(root, 'sub', 'here.txt'), '')
  const config = join(root, 'satchel.yaml')

  const here = await satchel(['probe', 'where', 'here.txt', '-c', config, '--json'], {
    cwd: join(root, 'sub'),
  })
  const fromRoot = await satchel(['probe', 'where', 'later.txt', '-c', config, '--json'], {
    cwd: join(root, 'sub'),
  })

  assert.equal(JSON.parse(here.out).path, join(root, 'sub', 'here.txt'))
  assert.equal(JSON.parse(fromRoot.out).path, join(root, 'later.txt'))
})

test('an interrupt aborts the call and exits 130; progress and notes go to stderr', async (t) => {
  const { start } = await openProject(t)
  const running = start(['probe', 'slow'])

  await running.heard('err', /waiting/)
  running.send('SIGINT')
  const ran = await running.done

  assert.equal(ran.code, 130)
  assert.equal(ran.out, '')
  assert.match(ran.err, /^waiting \(1\/3\)\n/)
})

test('quiet leaves the notes out and keeps the error', async (t) => {
  const { satchel } = await openProject(t)

  const saved = await satchel(['probe', 'check', '-', '-o', 'out.txt', '-q'], { stdin: 'x' })
  const failed = await satchel(['probe', 'fail', 'not_found', '-q'])

  assert.equal(saved.err, '')
  assert.deepEqual([failed.code, failed.err.length > 0], [4, true])
})

test('a reader that closes the pipe early is no error', async (t) => {
  const { satchel } = await openProject(t)

  assert.equal((await satchel(['probe', 'count', '9'], { isPipeBroken: true })).code, 0)
  assert.equal((await satchel(['probe', 'echo', 'x'], { isPipeBroken: true })).code, 0)
  assert.equal((await satchel(['--help'], { isPipeBroken: true })).code, 0)
})

test('a result that a full disk did not take is no success', async (t) => {
  const { satchel } = await openProject(t)

  for (const argv of [['probe', 'echo', 'x'], ['probe', 'echo', 'x', '--json'], ['--help']]) {
    const ran = await satchel(argv, { isDiskFull: true })
    assert.equal(ran.code, 7, argv.join(' '))
    assert.match(ran.err, /could not be written to standard output \(ENOSPC\)/)
  }
})

test('a command gets its input and its exit code is the answer', async (t) => {
  const { satchel } = await openProject(t)

  assert.deepEqual(await satchel(['probe', 'count', '2']), { code: 2, out: '1\n2\n', err: '' })
})

test('text of others cannot drive a terminal, and reaches a pipe as it is', async (t) => {
  const { satchel } = await openProject(t)

  const onTty = await satchel(['probe', 'check', '-'], { stdin: '\u001b[2J\u009bm bell\u0007', isTty: true })
  const piped = await satchel(['probe', 'check', '-'], { stdin: '\u001b[2J' })

  assert.doesNotMatch(onTty.out, /[\u0007\u001b\u009b]/)
  assert.ok(piped.out.includes('\u001b[2J'))
})

test('help fits 80 columns, shows an example and the exit codes, and goes to stdout when asked for', async (t) => {
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
    assert.deepEqual([ran.code, json(ran).error.reason], [2, 'missing_verb'])
  }
  const group = await satchel(['probe'])
  assert.deepEqual([group.code, group.out, /Echo what was typed/.test(group.err)], [2, '', true])
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
  assert.match(zsh.out, /^#compdef satchel\n/)
  assert.match(fish.out, /-l max-tokens$/m)
  assert.match(fish.out, /__fish_seen_subcommand_from probe; and __fish_seen_subcommand_from echo/)
})

test('doctor reports each plugin and changes nothing; a broken configuration is a finding', async (t) => {
  const { root, satchel } = await openProject(t)

  const fine = await satchel(['doctor', '--json'])
  await writeFile(join(root, 'satchel.yaml'), 'tols: {}\n')
  const broken = await satchel(['doctor', '--json'])

  const subjects = JSON.parse(fine.out).findings.map(({ subject }: { subject: string }) => subject)
  assert.equal(fine.code, 0)
  assert.ok(subjects.includes('probe'))
  assert.equal(broken.code, 3)
  assert.match(JSON.stringify(JSON.parse(broken.out).findings), /Did you mean \\"tools\\"/)
})

test('config show says what holds and where it came from', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http:\n  port: 8001\n  token: a-long-token\n')

  const ran = await satchel(['config', 'show', '--origin', '--json'], { env: { SERVER_HOST: '127.0.0.1' } })

  const values: { key: string; value: unknown; origin: string }[] = JSON.parse(ran.out).values
  const of = (key: string) => values.find((one) => one.key === key)
  assert.deepEqual(of('http.host'), { key: 'http.host', value: '127.0.0.1', origin: 'SERVER_HOST' })
  assert.equal(of('http.port')?.origin, `${join(root, 'satchel.yaml')}:2`)
  assert.equal(of('http.token')?.value, '[redacted]')
  assert.equal(of('tools.profile')?.origin, 'default')
})

test('config show says what plugins of others are set to, those that cannot be loaded as it is written', async (t) => {
  const { root, satchel } = await openProject(t)
  const probe = join(import.meta.dirname, 'fixtures/probe-plugin.ts')
  const lines = [
    'plugins:',
    `  ${probe}: { hang: true }`,
    '  "@acme/gone": { team: core, api_key: abc }',
    '  ./bare.js:',
  ]
  await writeFile(join(root, 'satchel.yaml'), `${lines.join('\n')}\n`)

  const ran = await satchel(['config', 'show', '--origin', '--json'])

  const values: { key: string }[] = JSON.parse(ran.out).values
  const file = join(root, 'satchel.yaml')
  assert.equal(ran.code, 0)
  assert.deepEqual(
    values.filter(({ key }) => key.startsWith('plugins.')),
    [
      { key: `plugins.${probe}.fail_setup`, value: false, origin: 'default' },
      { key: `plugins.${probe}.hang`, value: true, origin: `${file}:2` },
      { key: 'plugins.@acme/gone.team', value: 'core', origin: `${file}:3` },
      { key: 'plugins.@acme/gone.api_key', value: '[redacted]', origin: `${file}:3` },
      { key: 'plugins../bare.js', value: {}, origin: `${file}:4` },
    ],
  )
  assert.match(ran.err, /"@acme\/gone" cannot be loaded.*Its settings are shown as written/)
})

test('--store puts records elsewhere than the configuration says, at every verb of handoffs and no other', async (t) => {
  const { satchel, root } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'handoff: { store: configured }\n')
  const texts = ['--title', 'x', '--objective', 'y', '--current-state', 'z', '--json']

  const { id, path } = JSON.parse((await satchel(['handoff', 'create', '--store', 'named', ...texts])).out)
  const there = JSON.parse((await satchel(['handoff', 'list', '--store=named', '--json'])).out)
  const elsewhere = JSON.parse((await satchel(['handoff', 'list', '--json'])).out)
  const refused = await satchel(['modules', 'list', '--store', 'named', '--json'])

  assert.equal(path, `named/records/${id}.json`)
  assert.deepEqual([there.total, elsewhere.total], [1, 0])
  assert.deepEqual([refused.code, json(refused).error.reason], [2, 'unknown_option'])
  assert.match((await satchel(['handoff', 'list', '--help'])).out, /--store <dir>/)
  assert.match((await satchel(['handoff', '--help'])).out, /--store <dir>/)
})

test('a configuration error names key, line and nearest key, with exit 3', async (t) => {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'http:\n  prot: 8001\n')

  const ran = await satchel(['config', 'show', '--json'])

  assert.equal(ran.code, 3)
  assert.deepEqual(json(ran).error.details, { key: 'http.prot', line: 2, nearest: 'port' })
})

test('a plugin that throws in setup is exit 1 with its file; what it threw stands in the log, not in the answer', async (t) => {
  const { satchel } = await openProject(t, 'fail_setup: true')

  const ran = await satchel(['probe', 'echo', 'x', '--json'])

  const { error } = json(ran)
  const [logged = ''] = ran.err.split('\n')
  assert.deepEqual([ran.code, error.reason], [1, 'plugin_setup'])
  assert.match(ran.out, /probe-plugin/)
  assert.doesNotMatch(ran.out, /secret of setup/)
  assert.match(logged, /secret of setup/)
  assert.equal(JSON.parse(logged).log_id, error.details?.['log_id'])
})

test('--version is the version of the package', async (t) => {
  const { satchel } = await openProject(t)
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))

  assert.deepEqual(await satchel(['--version']), { code: 0, out: `${version}\n`, err: '' })
})

test('an unknown option is wrong usage at every verb, whatever became of the configuration', async (t) => {
  const { root, satchel, leaves } = await builtInVerbs(t)
  await writeFile(join(root, 'broken.yaml'), 'tols: {}\n')
  const hostVerbs = (await Promise.all(HOST_VERBS.map((row) => row.load()))).flat()
  const paths = [...leaves, ...hostVerbs].map(({ path }) => path)
  assert.ok(paths.length > 60)
  for (const path of paths) {
    for (const rest of [
      ['--nosuch', 'x'],
      ['--projec', 'x', '--config', 'none.yaml'],
      ['--projec', 'x', '--config=broken.yaml'],
    ]) {
      const typed = [...path, ...rest].join(' ')

      const ran = await satchel([...path, ...rest, '--json'])

      assert.equal(ran.code, 2, typed)
      const { reason, message } = JSON.parse(ran.out).error
      assert.equal(reason, 'unknown_option', typed)
      assert.ok(message.includes(`'${rest[0]}'`), `${typed}: ${message}`)
      if (rest[0] === '--projec') assert.match(message, /Did you mean --project\?/, typed)
      assert.ok(message.endsWith(`See: satchel ${path.join(' ')} --help`), `${typed}: ${message}`)
    }
  }
})

test('what ingest is asked for is judged before its configuration, which may be the value of a wrong option', async (t) => {
  const { satchel } = await openProject(t)

  const wrong = await satchel(['ingest', '--output-dri', 'out'])
  const beside = await satchel(['ingest', 'none.yaml', '--nosuch'])
  const help = await satchel(['ingest', 'none.yaml', '--help'])
  const right = await satchel(['ingest', 'none.yaml', '--json'])

  assert.deepEqual([wrong.code, /'--output-dri'.*Did you mean --output-dir\?/.test(wrong.err)], [2, true])
  assert.deepEqual([beside.code, /'--nosuch'/.test(beside.err)], [2, true])
  assert.deepEqual([help.code, /^Usage: satchel ingest /.test(help.out)], [0, true])
  assert.deepEqual([right.code, json(right).error.reason], [4, 'config_not_found'])
})

test('every verb of every built-in plugin explains itself in 80 columns', async (t) => {
  const { satchel, leaves } = await builtInVerbs(t)
  assert.ok(leaves.length > 20)
  for (const { path } of leaves) {
    const ran = await satchel(['help', ...path])

    assert.deepEqual([ran.code, ran.err], [0, ''], path.join(' '))
    const prose = ran.out.slice(0, ran.out.indexOf('Example:'))
    const widest = Math.max(...prose.split('\n').map((line) => line.length))
    assert.ok(widest <= 80, `${path.join(' ')}: ${widest} columns`)
    assert.match(ran.out, /\nExample:\n {2}\S/, path.join(' '))
  }
})

test('the example of every built-in verb, typed as shown, gives the input of the example', async (t) => {
  const { leaves } = await builtInVerbs(t)
  for (const leaf of leaves) {
    if (leaf.kind !== 'tool') continue
    const { example } = leaf.owned.tool
    const [line = ''] = shapeOf(leaf).examples
    const [typed = '', piped] = line.split(' | satchel ')
    if (piped !== undefined) {
      const { stdout } = await promisify(execFile)('sh', ['-c', typed])
      assert.deepEqual(
        { ...JSON.parse(stdout), ...leaf.verb.preset },
        { ...example, ...leaf.verb.preset },
        line,
      )
      continue
    }
    const words = await promisify(execFile)('sh', [
      '-c',
      `set -- ${line}; for word; do printf '%s\\0' "$word"; done`,
    ])
    const args = words.stdout.split('\0').slice(1 + leaf.path.length, -1)
    const parsed = parseVerb(shapeOf(leaf), args, 80)
    assert.equal(parsed.kind, 'typed', line)
    if (parsed.kind === 'typed') {
      assert.deepEqual(
        { ...parsed.typed.values, ...leaf.verb.preset },
        { ...example, ...leaf.verb.preset },
        line,
      )
    }
  }
})

/** Every verb of the built-in plugins, with a room configured so that its verbs are there. */
async function builtInVerbs(t: TestContext) {
  const { root, satchel } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), 'workspace: { file: idea.md }\n')
  const config = await loadConfig({ cwd: root, env: {} })
  const { host } = await openHost(t, {
    plugins: (await loadEntries(config, { kind: 'all' })).map(({ plugin }) =>
      plugin.name === 'workspace' ? { plugin, settings: { file: 'idea.md' } } : plugin,
    ),
  })
  return { root, satchel, leaves: leavesOf(host.registry) }
}
