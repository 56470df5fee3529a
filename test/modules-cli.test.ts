import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SAMPLE_CONFIG } from '../plugins/modules/init.ts'
import { parseConfigText } from '../plugins/modules/service/config-text.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { gitAfter } from './fixtures/shadow-git.ts'
import { temporaryFolder } from './harness/index.ts'
import { listening } from './harness/listening.ts'
import { processesLeft, TEST_MARK } from './marked-processes.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'

async function openProject(t: TestContext): Promise<{ root: string; url: string }> {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-x-net.git'), [
    { files: { 'main.tf': 'variable "a" {}\n', 'sub/main.tf': 'variable "b" {}\n' }, tags: ['v1.0.0'] },
  ])
  return { root, url }
}

test('init writes a sample that is a valid configuration, and refuses an existing file', async (t) => {
  const root = await temporaryFolder(t)
  const env = { SERVICE_CONFIG: join(root, 'none.yaml') }

  const first = await runSatchel(root, ['init', 'conf/satchel.yaml'], env)
  const written = await readFile(join(root, 'conf/satchel.yaml'), 'utf8')
  const second = await runSatchel(root, ['init', 'conf/satchel.yaml', '--json'])

  assert.equal(first.code, 0, first.err)
  assert.equal(written, SAMPLE_CONFIG)
  assert.match(written, /^# yaml-language-server: \$schema=/)
  assert.equal((await parseConfigText(written, {})).repositories.length, 1)
  assert.equal(second.code, 5)
  assert.equal(JSON.parse(second.out).error.reason, 'file_exists')
  assert.equal(await readFile(join(root, 'conf/satchel.yaml'), 'utf8'), SAMPLE_CONFIG)
})

test('init without a path writes the file that every verb reads: ingest and a search by meaning follow', async (t) => {
  const { root, url } = await openProject(t)

  const init = await runSatchel(root, ['init'])
  const early = await runSatchel(root, ['search', 'network', '--json'])
  const sample = await readFile(join(root, 'satchel.yaml'), 'utf8')
  await writeFile(join(root, 'satchel.yaml'), sample.replace(/url: \S+/, `url: ${url}`))
  const ingest = await runSatchel(root, ['ingest'])
  const found = await runSatchel(root, ['search', 'network', '--json'])

  assert.match(init.out, /then run: satchel ingest$/m)
  assert.equal(early.code, 4)
  assert.match(JSON.parse(early.out).error.next ?? JSON.stringify(JSON.parse(early.out)), /satchel ingest/)
  assert.equal(ingest.code, 0, ingest.err)
  assert.equal(found.code, 0, found.err)
})

test('a search by meaning without embeddings names both ways on, and by keyword works', async (t) => {
  const { root, url } = await openProject(t)
  const config = { repositories: [{ url, branches: ['main'] }] }
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify(config))
  await runSatchel(root, ['ingest'])

  const refused = await runSatchel(root, ['search', 'network'])
  const byWords = await runSatchel(root, ['search', 'network', '--mode', 'keyword'])

  assert.equal(refused.code, 3)
  assert.match(refused.err, /--mode keyword.*embedding\.enabled/s)
  assert.equal(byWords.code, 0, byWords.err)
})

test('an ingest whose folder of clones is a file says what -c means', async (t) => {
  const { root, url } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ repositories: [{ url }] }))

  const refused = await runSatchel(root, ['ingest', '-c', 'satchel.yaml'])

  assert.equal(refused.code, 3)
  assert.match(refused.err, /satchel ingest FILE/)
})

test('ingest takes the configuration by position and -c as the clone directory, and exits 3 for a failed repository', async (t) => {
  const { root, url } = await openProject(t)
  const good = { repositories: [{ url, branches: ['main'] }] }
  await writeFile(join(root, 'good.yaml'), JSON.stringify(good))
  await writeFile(
    join(root, 'mixed.yaml'),
    JSON.stringify({ repositories: [...good.repositories, { url: './none.git' }] }),
  )

  const fine = await runSatchel(root, ['ingest', 'good.yaml', '-o', 'summaries', '-c', 'clones', '--json'])
  const mixed = await runSatchel(root, ['ingest', 'mixed.yaml', '--cleanup'], {
    SERVICE_OUTPUT_DIR: 'from-env',
    EDITOR: 'vim',
    PAGER: 'less',
    GIT_DIR: '/x',
  })
  const nothing = await runSatchel(root, ['ingest', '--json'])
  const missing = await runSatchel(root, ['ingest', 'missing.yaml', '--json'])

  assert.equal(fine.code, 0, fine.err)
  assert.deepEqual(JSON.parse(fine.out).refs, { processed: 2, unchanged: 0, empty: 0, failed: 0 })
  assert.deepEqual((await readdir(join(root, 'summaries'))).sort(), [
    '.satchel',
    'terraform-x-net_main.json',
    'terraform-x-net_v1.0.0.json',
  ])
  const clones = await readdir(join(root, 'clones'))
  assert.match(clones.join(), /^\.locks,terraform-x-net-[0-9a-f]{12}\.git$/)
  assert.equal(mixed.code, 3, mixed.err)
  assert.match(mixed.out, /repository_not_found/)
  assert.ok((await readdir(join(root, 'from-env'))).includes('terraform-x-net_main.json'))
  assert.deepEqual(await readdir(join(root, 'repos')), ['.locks'])
  assert.equal(JSON.parse(nothing.out).error.reason, 'no_repositories')
  assert.equal(nothing.code, 3)
  assert.equal(missing.code, 4)
})

test('ingest tells its progress in plain lines on stderr, the report alone on stdout, and nothing when quiet', async (t) => {
  const { root, url } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ repositories: [{ url }] }))

  const loud = await runSatchel(root, ['ingest', '--json'])
  const quiet = await runSatchel(root, ['ingest', '--json', '-q'])

  const lines = loud.err.trim().split('\n')
  assert.equal(lines[0], '1 repository (0/1)')
  assert.equal(lines.at(-1), 'terraform-x-net: done (1/1)')
  assert.doesNotMatch(loud.err, /[\r\u001b]/)
  assert.equal(JSON.parse(loud.out).written, 1)
  assert.equal(quiet.err, '')
})

test('ingest reads the file it is given and no other: a broken or missing one beside it is not read', async (t) => {
  const { root, url } = await openProject(t)
  await writeFile(join(root, 'other.yaml'), JSON.stringify({ repositories: [{ url, branches: ['main'] }] }))
  await writeFile(join(root, 'satchel.yaml'), 'repositories: [\n')
  const missing = { SERVICE_CONFIG: join(root, 'missing.yaml') }

  const runs = [
    await runSatchel(root, ['ingest', 'other.yaml', '-o', 'one', '-c', 'clones', '--json']),
    await runSatchel(root, ['ingest', '-o', 'two', '--clone-dir', 'clones', 'other.yaml', '--json']),
    await runSatchel(root, ['--json', 'ingest', '--prune', 'other.yaml'], missing),
  ]
  const own = await runSatchel(root, ['ingest', '--json'])
  await writeFile(join(root, 'bad.yaml'), 'repositories:\n  - url: ./x\n    brunches: [main]\n')
  await writeFile(join(root, 'bomb.yaml'), `a: &a [x]\nb: [${'*a, '.repeat(150)}]\n`)
  await writeFile(join(root, 'tag.yaml'), 'repositories: []\noutput_dir: !!js/function x\n')

  for (const { code, out, err } of runs) assert.equal(JSON.parse(out).written, code === 0 ? 2 : -1, err)
  assert.equal(own.code, 3)
  for (const [file, said] of [
    ['bad.yaml', /bad\.yaml:3: unknown key .*brunches.*branches/],
    ['bomb.yaml', /bomb\.yaml/],
    ['tag.yaml', /tag\.yaml:2/],
  ] as const) {
    const refused = await runSatchel(root, ['ingest', file, '--json'])
    const { code, message } = JSON.parse(refused.out).error
    assert.deepEqual([refused.code, code], [3, 'invalid'], file)
    assert.match(message, said)
  }
})

test('analyze prints summaries, writes them with -o, and leaves nothing else behind', async (t) => {
  const { root } = await openProject(t)

  const plain = await runSatchel(root, ['analyze', './terraform-x-net.git', '--json'])
  const saved = await runSatchel(root, [
    'analyze',
    './terraform-x-net.git',
    '--include-tags',
    '--max-tags',
    '1',
    '-b',
    'main',
    '--recursive',
    '-o',
    'all.json',
  ])
  const missing = await runSatchel(root, ['analyze', './none.git', '--json'])

  assert.equal(plain.code, 0, plain.err)
  assert.deepEqual(
    JSON.parse(plain.out).summaries.map(({ ref }: { ref: string }) => ref),
    ['main'],
  )
  assert.equal(saved.code, 0, saved.err)
  const all = JSON.parse(await readFile(join(root, 'all.json'), 'utf8')) as { ref: string; path: string }[]
  assert.deepEqual(
    all.map(({ ref, path }) => `${ref} ${path}`),
    ['main .', 'main sub', 'v1.0.0 .', 'v1.0.0 sub'],
  )
  assert.equal(missing.code, 4)
  assert.equal(JSON.parse(missing.out).error.reason, 'repository_not_found')
  const left = (await readdir(root)).filter((name) => name !== '.cache') // compiled code, from Node 22.1
  assert.deepEqual(left.sort(), ['all.json', 'terraform-x-net.git'])
})

test('who asks too early or for a branch that is not there is told the next step', async (t) => {
  const { root, url } = await openProject(t)

  const listed = await runSatchel(root, ['modules', 'list', 'net'])
  const analyzed = await runSatchel(root, ['analyze', url, '-b', 'zzz'])

  assert.deepEqual([listed.code, analyzed.code], [0, 4])
  assert.match(listed.out, /^next: Nothing has been ingested yet\. Run `satchel ingest`/m)
  assert.match(analyzed.err, /The remote has no branch or tag "zzz"\. Its branches: "/)
})

test('the verbs under modules answer from what was ingested', async (t) => {
  const { root, url } = await openProject(t)
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ repositories: [{ url, recursive: true }] }))
  await writeFile(join(root, 'call.tf'), `module "n" {\n  source = "git::${url}?ref=v1.0.0"\n  aa = 1\n}\n`)
  assert.equal((await runSatchel(root, ['ingest'])).code, 0)

  const runs = await Promise.all([
    runSatchel(root, ['modules', 'list', 'net', '--json']),
    runSatchel(root, ['modules', 'show', 'terraform-x-net', '--json']),
    runSatchel(root, ['modules', 'usage', 'terraform-x-net']),
    runSatchel(root, ['modules', 'check', 'call.tf', '--json']),
    runSatchel(root, ['modules', 'stats', '--json']),
    runSatchel(root, ['modules', 'show', 'nothing', '--json']),
  ])

  const [list, show, usage, check, stats, none] = runs.map(({ out }) => out)
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0, 3, 0, 4],
    runs.map(({ err }) => err).join('\n'),
  )
  assert.equal(JSON.parse(list ?? '').results[0].name, 'terraform-x-net')
  assert.equal(JSON.parse(show ?? '').module.variables[0].name, 'a')
  assert.match(usage ?? '', /^module "/)
  assert.equal(JSON.parse(check ?? '').findings, 2)
  assert.equal(JSON.parse(stats ?? '').summaries, 2)
  assert.equal(JSON.parse(none ?? '').error.code, 'not_found')
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`an ingest that is stopped by ${signal} ends immediately, with no git and no temporary file left`, async (t) => {
    const root = await temporaryFolder(t)
    const silent = createServer(() => undefined)
    const { port } = await listening(t, silent)
    await writeFile(
      join(root, 'slow.yaml'),
      JSON.stringify({ repositories: [{ url: `https://127.0.0.1:${port}/a/b` }] }),
    )
    const [program, ...words] = SATCHEL
    const child = spawn(program, [...words, 'ingest', 'slow.yaml', '--json'], {
      cwd: root,
      env: { PATH: String(process.env['PATH']), HOME: root, ...KEPT_CODE, [TEST_MARK]: root },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [socket] = await once(silent, 'connection')
    t.after(() => socket.destroy())

    child.kill(signal)
    const [code] = await once(child, 'exit')

    assert.equal(code, 130)
    // The server still says nothing: no helper of git waits for it.
    assert.deepEqual(await processesLeft(root), [])
    assert.deepEqual(
      (await readdir(root, { recursive: true })).filter((name) => name.includes('.tmp-')),
      [],
    )
    assert.ok(!(await readdir(join(root, 'output', '.satchel'))).includes('ingest.lock'))
  })
}

test('a tag name that would move the cursor or colour a terminal is shown escaped, in lines and in logs', async (t) => {
  const { root, url } = await openProject(t)
  const answer = `${'a'.repeat(40)}\\trefs/tags/v9.0.0\\033[31m\\033[2Jred\\n`
  const cases = `*" upload-pack "*) exit 1;; *" ls-remote --symref "*) printf '${answer}'; exit;;`
  const PATH = gitAfter(join(root, 'tools'), `case " $* " in ${cases} esac`)
  await writeFile(join(root, 'satchel.yaml'), `http:\n  log_level: debug\nrepositories:\n  - url: ${url}\n`)

  for (const args of [['ingest'], ['ingest', '--json']]) {
    const { code, out, err } = await runSatchel(root, args, { PATH })

    assert.equal(code, 3)
    assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    if (args.includes('--json')) {
      const { warnings } = JSON.parse(out) as { warnings: { code: string; message: string }[] }
      assert.deepEqual(
        warnings.map(({ code, message }) => [code, message.includes('v9.0.0\\u001b[31m')]),
        [['ref_refused', true]],
      )
    }
  }
})

test('lists name a repository the same way, a failed one is not "done", and "more follow" has the command that goes on', async (t) => {
  const { root, url } = await openProject(t)
  const repositories = [{ url, name: 'network', recursive: true }, { url: './none.git' }]
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ repositories, embedding: { enabled: true } }))

  const ingest = await runSatchel(root, ['ingest'])
  const listed = await runSatchel(root, ['modules', 'repositories'])
  const first = await runSatchel(root, ['modules', 'list', '--limit', '1'])
  const found = await runSatchel(root, ['search', 'net', '--limit', '1'])
  const [, more = ''] = /^more: satchel (.*)$/m.exec(first.out) ?? []
  const second = await runSatchel(root, more.split(' '))

  assert.match(ingest.err, /^network: done \(\d\/2\)$/m)
  assert.match(ingest.err, /^none: failed: repository_not_found \(\d\/2\)$/m)
  assert.match(ingest.out, /; 1 failure$/m)
  const [, repository = ''] = /repository: (\S+\/terraform-x-net)$/m.exec(listed.out) ?? []
  assert.notEqual(repository, '', listed.out)
  for (const { out } of [first, found, second])
    assert.match(out, new RegExp(`module: ${repository}(//sub)?$`, 'm'))
  assert.match(first.out, /more follow/)
  assert.equal(second.code, 0, second.err)
  assert.notEqual(first.out.split('module:')[1], second.out.split('module:')[1])
})

test('what modules usage prints is one module: the real call beside it is a comment', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-x-net.git'), [
    {
      files: {
        'main.tf': 'variable "a" {}\n',
        'examples/one/main.tf': 'module "it" {\n  source = "../.."\n\n  a = local.a\n}\n',
      },
      tags: ['v1.0.0'],
    },
  ])
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ repositories: [{ url }] }))
  await runSatchel(root, ['ingest'])

  const { out } = await runSatchel(root, ['modules', 'usage', 'terraform-x-net'])
  const json = await runSatchel(root, ['modules', 'usage', 'terraform-x-net', '--json'])

  const source = `source = "git::${url}?ref=v1.0.0"`
  const generated = `module "net" {\n  ${source}\n\n  a = "TODO"\n}\n`
  const call = `# module "it" {\n#   ${source}\n#\n#   a = local.a\n# }\n`
  assert.equal(out, `${generated}\n# examples/one/main.tf, line 1, calls it so:\n${call}`)
  assert.equal(JSON.parse(json.out).example.refers_to[0], 'local.a')
})
