import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ERROR_CODES } from '../contract/errors.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { openProject, refusalOf } from './testing/run-cli.ts'

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

test('a fixed field of a verb has no flag and cannot be overridden by --input', async (t) => {
  const { satchel } = await openProject(t)

  const typed = await satchel(['probe', 'loud', 'one', '--level', 'low', '--json'])
  const given = await satchel(['probe', 'loud', '--input', '-', '--json'], {
    stdin: '{"id":"two","level":"low"}',
  })

  assert.deepEqual([typed.code, refusalOf(typed).error.reason], [2, 'unknown_option'])
  assert.equal(JSON.parse(given.out).got.level, 'high')
})

test('without --json a verb prints the headline and the data', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel(['probe', 'echo', 'one'])

  assert.match(ran.out, /^echo \{"id":"one".*\ngot:\n {2}id: one\n/)
  assert.ok(ran.out.endsWith('\n'))
  assert.equal(ran.err, '')
})

test('global flags may come before the verb', async (t) => {
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
    assert.deepEqual(refusalOf(ran).error.code, code)
    assert.deepEqual(refusalOf(ran).error.reason, `planned_${code}`)
    assert.deepEqual(refusalOf(ran).error.next, { tool: 'probe_echo', args: { id: 'again' } })
  }
})

test('an error is one line on stderr with the next command', async (t) => {
  const { satchel } = await openProject(t)

  const ran = await satchel(['probe', 'fail', 'conflict'])

  assert.deepEqual(
    [ran.code, ran.out, ran.err],
    [5, '', 'satchel: It was asked to be conflict. Next: satchel probe echo again\n'],
  )
})

test('the next command says the project and the configuration again', async (t) => {
  const { root, satchel } = await openProject(t)
  await mkdir(join(root, 'other project'))

  const ran = await satchel([
    'probe',
    'fail',
    'conflict',
    ...['--project', 'other project', '-c', 'satchel.yaml'],
  ])

  assert.match(ran.err, / Next: satchel probe echo again --config satchel\.yaml --project 'other project'\n$/)
})

test('every faulty field is below the line of an error, indented; one that the line names is not repeated', async (t) => {
  const { satchel } = await openProject(t)
  const echo = (input: object) => satchel(['probe', 'echo', '--input', '-'], { stdin: JSON.stringify(input) })

  const three = await echo({ max_tokens: 9001, level: 'loud', items: [{}] })
  const one = await echo({ max_tokens: 9001 })

  const [line = '', ...below] = three.err.trimEnd().split('\n')
  assert.match(line, /^satchel: /)
  for (const pointer of ['/max_tokens', '/level', '/items/0/text'])
    assert.ok(
      below.some((each) => each.startsWith('  ') && each.includes(pointer)),
      three.err,
    )
  assert.match(one.err, /^satchel: .*max_tokens.*\n$/)
})

test('a bug of a plugin shows a log id and never its own text', async (t) => {
  const { satchel } = await openProject(t)

  const plain = await satchel(['probe', 'fail', 'bug'])
  const asJson = await satchel(['probe', 'fail', 'bug', '--json'])

  assert.equal(plain.code, 1)
  const lines = plain.err.trimEnd().split('\n')
  assert.match(lines.at(-1) ?? '', /^satchel: Internal error \(log id [0-9a-f]{12}\)$/)
  assert.match(lines[0] ?? '', /secret text/, 'the log has the cause')
  assert.deepEqual([refusalOf(asJson).error.code, asJson.out.includes('secret')], ['internal', false])
})

test('wrong typing is exit 2 with a reason, and names the nearest word', async (t) => {
  const { satchel } = await openProject(t)
  const cases: [string[], string, RegExp?][] = [
    [['frobnicate'], 'unknown_verb'],
    [['doctr'], 'unknown_verb', /Did you mean "doctor"/],
    [['probe', 'ecko'], 'unknown_verb', /Did you mean "probe echo"/],
    [['probe', 'doctr'], 'unknown_verb', /Did you mean "doctor"/],
    [['probe', 'echo', '--max-token', '1'], 'unknown_option', /--max-tokens/],
    [['probe', 'echo', '--max-tokens', 'many'], 'invalid_argument'],
    [
      ['probe', 'echo', '--max-tokens', '9001'],
      'invalid_arguments',
      /at most \d+\. See: satchel probe echo --help/,
    ],
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
      [asJson.code, refusalOf(asJson).error.code, refusalOf(asJson).error.reason],
      [2, 'invalid', reason],
      argv.join(' '),
    )
    assert.deepEqual([plain.code, plain.out, plain.err.split('\n').length], [2, '', 2], argv.join(' '))
    if (says) assert.match(plain.err, says)
  }
})

test('--input takes a file or standard input, and refuses what is not a JSON object with exit 3', async (t) => {
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
    assert.deepEqual([ran.code, refusalOf(ran).error.reason], [code, reason], `${file} ${stdin}`)
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
  assert.deepEqual([refused.code, refusalOf(refused).error.reason], [3, 'output_not_written'])
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

test('a reader that closes the pipe early is not an error', async (t) => {
  const { satchel } = await openProject(t)

  assert.equal((await satchel(['probe', 'count', '9'], { isPipeBroken: true })).code, 0)
  assert.equal((await satchel(['probe', 'echo', 'x'], { isPipeBroken: true })).code, 0)
  assert.equal((await satchel(['--help'], { isPipeBroken: true })).code, 0)
})

test('a result that a full disk did not take is not success', async (t) => {
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

  assert.doesNotMatch(onTty.out, /[\u0007\u009b]|\u001b\[2J/)
  assert.ok(onTty.out.includes('\\u{1b}[2J'))
  assert.ok(piped.out.includes('\u001b[2J'))
})

test('a plugin that throws in setup is exit 1 with its file; its error is in the log, not in the answer', async (t) => {
  const { satchel } = await openProject(t, 'fail_setup: true')

  const ran = await satchel(['probe', 'echo', 'x', '--json'])

  const { error } = refusalOf(ran)
  const [logged = ''] = ran.err.split('\n')
  assert.deepEqual([ran.code, error.reason], [1, 'plugin_setup'])
  assert.match(ran.out, /probe-plugin/)
  assert.doesNotMatch(ran.out, /secret of setup/)
  assert.match(logged, /secret of setup/)
  assert.equal(JSON.parse(logged).log_id, error.details?.['log_id'])
})

test('the warnings of an answer that is printed as a text, or in part, are notes', async (t) => {
  const { satchel } = await openProject(t)
  await satchel(['handoff', 'note', 'next', 'Run the suite'])

  const told = await satchel(['handoff', 'resume'])
  const quiet = await satchel(['handoff', 'resume', '--quiet'])
  const listed = await satchel(['handoff', 'search', '???'])

  assert.match(told.out, /Next action .*Run the suite/)
  assert.match(told.err, /^warning: The record is draft: it was not marked as resumed/)
  assert.deepEqual([quiet.out, quiet.err], [told.out, ''])
  assert.match(listed.out, /^1 record\n/)
  assert.match(listed.err, /^warning: The query has no letter and no digit/)
})
