import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Blobs, createReplyParser } from './blobs.ts'
import { credentialConfig, gitEnvironment } from './environment.ts'
import { gitFailure } from './failure.ts'
import { excludes, parseGlob } from './glob.ts'
import { isRefName, parseAskedRef } from './ref-name.ts'
import { parseListing } from './remote.ts'
import { createTreeReader } from './tree.ts'
import { parseRemoteUrl } from './url.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

test('replies of cat-file are read whole, however the stream is cut', () => {
  const body = Buffer.from('x\n\0é missing\n')
  const stream = Buffer.concat([
    Buffer.from(`${A} blob ${body.length}\n`),
    body,
    Buffer.from(`\n${B} missing\n${B} blob 0\n\n${A} blob 21\n${'y'.repeat(21)}\n${B} blob 1\nz\n`),
  ])

  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 8 }), (cuts) => {
      const seen: (string | undefined)[] = []
      const feed = createReplyParser(
        (object) => seen.push(object && `${object.oid[0]}:${object.bytes?.toString() ?? object.size}`),
        () => 20,
      )
      const at = [0, ...[...cuts].sort((a, b) => a - b), stream.length]
      for (let i = 1; i < at.length; i++) feed(stream.subarray(at[i - 1], at[i]))

      assert.deepEqual(seen, [`a:${body.toString()}`, undefined, 'b:', 'a:21', 'b:z'])
    }),
  )
})

test('a listing gives branches, tags by the commit they name, and the default branch', () => {
  const listing = parseListing(
    [
      'ref: refs/heads/trunk\tHEAD',
      `${A}\tHEAD`,
      `${A}\trefs/heads/trunk`,
      `${B}\trefs/tags/v1`,
      `${A}\trefs/tags/v1^{}`,
      `${B}\trefs/tags/-dash`,
      `${B}\trefs/tags/a..b`,
      `${B}\trefs/tags/\u001b[31mred`,
    ].join('\n'),
  )

  assert.equal(listing.defaultBranch, 'trunk')
  assert.equal(listing.tags.get('v1')?.commit, A)
  assert.deepEqual([...listing.tags.keys()], ['v1', '-dash'])
  assert.deepEqual(listing.refused, ['"refs/tags/a..b"', '"refs/tags/\\u001b[31mred"'])
})

test('without a symbolic HEAD the default branch is main, master, or the head HEAD points at', () => {
  const lines = (...refs: string[]) => parseListing([`${A}\tHEAD`, ...refs].join('\n')).defaultBranch

  assert.equal(lines(`${B}\trefs/heads/main`, `${A}\trefs/heads/x`), 'main')
  assert.equal(lines(`${B}\trefs/heads/master`), 'master')
  assert.equal(lines(`${B}\trefs/heads/y`, `${A}\trefs/heads/x`), 'x')
  assert.equal(lines(`${B}\trefs/heads/y`), undefined)
})

test('ref names follow the rules of git, and a caller cannot name an option', () => {
  const good = ['main', 'feature/x', 'v1.0', "a'b", 'release;touch$IFS', '-dash', 'é', 'a@b']
  const bad = [
    '',
    '@',
    'a..b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    'a.lock',
  ]
  assert.deepEqual(
    good.filter((name) => !isRefName(name)),
    [],
  )
  assert.deepEqual([...bad, '.a', 'a/.b', 'a.', '@{-1}', 'a\nb', 'x'.repeat(256)].filter(isRefName), [])

  for (const typed of [
    '-x',
    '--orphan=pwn',
    'refs/tags/-dash',
    'refs/remotes/o/x',
    'HEAD',
    'a/../../b',
    '@{-1}',
  ]) {
    assert.throws(() => parseAskedRef(typed), { code: 'invalid', reason: 'ref_refused' }, typed)
  }
  assert.deepEqual(parseAskedRef('refs/tags/v1'), { name: 'refs/tags/v1', full: 'refs/tags/v1' })
})

/** A store of made-up objects, and of the commit `c` whose root is the tree `1`. */
function objectStore(objects: Readonly<Record<string, { type: string; bytes: Buffer }>>): Blobs {
  return {
    async read(name, maxBytes) {
      const oid = name === `${oidOf('c')}^{tree}` ? oidOf('1') : name
      const found = objects[oid]
      if (!found) return undefined
      const { type, bytes } = found
      return { oid, type, size: bytes.length, bytes: bytes.length <= maxBytes ? bytes : undefined }
    },
    close: async () => undefined,
  }
}

const oidOf = (digit: string): string => digit.repeat(40)

function treeObject(entries: readonly (readonly [mode: string, name: string | Buffer, oid: string])[]) {
  const parts = entries.map(([mode, name, oid]) =>
    Buffer.concat([Buffer.from(`${mode} `), Buffer.from(name), Buffer.from([0]), Buffer.from(oid, 'hex')]),
  )
  return { type: 'tree', bytes: Buffer.concat(parts) }
}

test('only regular files of a tree are kept; links, submodules and unreadable names are said', async () => {
  const blobs = objectStore({
    [oidOf('1')]: treeObject([
      ['100644', 'main.tf', A],
      ['100755', 'x y.tf', A],
      ['120000', 'README.md', A],
      ['160000', 'sub', B],
      ['40000', 'modules', oidOf('2')],
      ['100644', Buffer.from([98, 255]), A],
      ['100644', '..', A],
      ['100644', 'a/b', A],
    ]),
    [oidOf('2')]: treeObject([['100644', 'inner.tf', B]]),
  })

  const tree = await createTreeReader(blobs).treeOf(oidOf('c'), () => true)

  assert.deepEqual(tree.files, [
    { path: 'main.tf', oid: A },
    { path: 'x y.tf', oid: A },
    { path: 'modules/inner.tf', oid: B },
  ])
  assert.deepEqual(
    tree.skipped.map(({ code }) => code),
    ['symlink_skipped', 'submodule_skipped', 'path_not_utf8', 'path_not_utf8', 'path_not_utf8'],
  )
})

test('a link is the file or directory of the commit that it leads to, and nothing else', async () => {
  const targets = {
    'file.tf': 'modules/inner.tf',
    'chain.tf': 'file.tf',
    folder: './modules',
    'through.tf': 'folder/inner.tf',
    'away.tf': '../outside.tf',
    'absolute.tf': '/etc/passwd',
    'nowhere.tf': 'missing.tf',
    'self.tf': 'self.tf',
    root: '.',
  }
  const links = Object.entries(targets).map(([name, target], at) => ({
    name,
    oid: `${at}`.padStart(40, 'e'),
    blob: { type: 'blob', bytes: Buffer.from(target) },
  }))
  const blobs = objectStore({
    ...Object.fromEntries(links.map(({ oid, blob }) => [oid, blob])),
    [oidOf('1')]: treeObject([
      ...links.map(({ name, oid }) => ['120000', name, oid] as const),
      ['40000', 'modules', oidOf('2')],
    ]),
    [oidOf('2')]: treeObject([['100644', 'inner.tf', B]]),
  })

  const tree = await createTreeReader(blobs).treeOf(oidOf('c'), () => true)

  assert.deepEqual(
    tree.files.map(({ path, oid }) => `${path} ${oid === B}`),
    ['file.tf', 'chain.tf', 'folder/inner.tf', 'through.tf', 'modules/inner.tf'].map(
      (path) => `${path} true`,
    ),
  )
  assert.deepEqual(
    tree.skipped.map(({ path, code }) => `${path} ${code}`),
    ['away.tf', 'absolute.tf', 'nowhere.tf', 'self.tf', 'root'].map((path) => `${path} symlink_skipped`),
  )
})

test('links that double a tree at every level are followed to a bound', async () => {
  const link = { type: 'blob', bytes: Buffer.from('b') }
  const levels = Array.from({ length: 40 }, (_, at) => `${at}`.padStart(40, 'd'))
  const objects = Object.fromEntries(
    levels.map((oid, at) => [
      oid,
      treeObject([
        ['120000', 'a', oidOf('9')],
        ['40000', 'b', levels[at + 1] ?? oidOf('2')],
      ]),
    ]),
  )
  const blobs = objectStore({
    ...objects,
    [oidOf('1')]: treeObject([['40000', 'b', levels[0] ?? '']]),
    [oidOf('2')]: treeObject([['100644', 'inner.tf', B]]),
    [oidOf('9')]: link,
  })

  const tree = await createTreeReader(blobs).treeOf(oidOf('c'), () => true)

  assert.ok(tree.files.length > 1 && tree.files.length < 10_000, `${tree.files.length} files`)
  assert.ok(tree.skipped.length > 0)
})

test('only directories that are wanted are entered', async () => {
  const blobs = objectStore({
    [oidOf('1')]: treeObject([
      ['100644', 'main.tf', A],
      ['40000', 'docs', oidOf('9')], // no such object: entering it would fail
      ['40000', 'modules', oidOf('2')],
    ]),
    [oidOf('2')]: treeObject([['100644', 'inner.tf', B]]),
  })
  const trees = createTreeReader(blobs)

  const tree = await trees.treeOf(oidOf('c'), (directory) => directory === 'modules')

  assert.deepEqual(
    tree.files.map(({ path }) => path),
    ['main.tf', 'modules/inner.tf'],
  )
  await assert.rejects(
    trees.treeOf(oidOf('c'), () => true),
    { reason: 'repository_damaged' },
  )
})

test('a tree that would never end, or lacks a part, is refused in bounded time', async () => {
  const wide = Array.from({ length: 100 }, (_, at) => ['40000', `d${at}`, oidOf('2')] as const)
  const deep = [['40000', 'again', oidOf('1')]] as const
  const long = { type: 'tree', bytes: Buffer.alloc(17 * 1024 * 1024) }
  const cases: [string, Parameters<typeof objectStore>[0]][] = [
    ['repository_too_large', { [oidOf('1')]: treeObject(wide), [oidOf('2')]: treeObject(wide) }],
    ['repository_too_large', { [oidOf('1')]: treeObject(deep) }],
    ['repository_too_large', { [oidOf('1')]: long }],
    ['repository_damaged', {}],
    ['repository_damaged', { [oidOf('1')]: { type: 'tree', bytes: Buffer.from('100644 x') } }],
    ['repository_damaged', { [oidOf('1')]: { type: 'tree', bytes: Buffer.from('100644 x\0short') } }],
    [
      'repository_damaged',
      { [oidOf('1')]: { type: 'tree', bytes: Buffer.from(`100644 x\0${'i'.repeat(19)}`) } },
    ],
  ]
  for (const [reason, objects] of cases) {
    const trees = createTreeReader(objectStore(objects))
    await assert.rejects(
      trees.treeOf(oidOf('c'), () => true),
      { reason },
    )
  }
})

test('globs exclude a directory and everything below it', () => {
  const cases: [string, string, boolean][] = [
    ['examples/**', 'examples', true],
    ['examples/**', 'examples/a/b', true],
    ['examples', 'examples/a', true],
    ['**/test', 'modules/x/test', true],
    ['**/test', 'test', true],
    ['modules/*', 'modules/vpc/sub', true],
    ['modules/v?c', 'modules/vpc', true],
    ['modules/*', 'modules', false],
    ['example', 'examples', false],
    ['*', '.', false],
    ['**', '.', true],
    [`${'*a'.repeat(200)}b`, 'a'.repeat(3000), false],
    [`${'**/'.repeat(160)}b`, 'a/'.repeat(500), false],
  ]
  for (const [pattern, directory, expected] of cases) {
    assert.equal(excludes(pattern, directory), expected, `${pattern.slice(0, 20)} ${directory.slice(0, 20)}`)
  }
})

test('a pattern with braces or brackets, which would match nothing, is refused with what is understood', () => {
  for (const pattern of ['{examples,test}/**', 'modules/[ab]', '', '/x', '../x', 'a\\b', 'x'.repeat(501)]) {
    assert.throws(() => parseGlob(pattern), { code: 'invalid', reason: 'path_refused' }, pattern)
  }
  assert.throws(() => parseGlob('{a,b}'), /one pattern for each/)
  assert.equal(parseGlob('modules/?x/**'), 'modules/?x/**')
})

test("git sees the operator's credentials and nothing that changes what it does", () => {
  const base = {
    PATH: '/bin',
    HOME: '/h',
    EDITOR: 'vim',
    PAGER: 'less',
    GIT_DIR: '/x',
    GIT_EXEC_PATH: '/evil',
    git_config_count: '9',
    GIT_SSL_CAINFO: '/ca',
    GIT_SSH_COMMAND: 'myssh',
    https_proxy: 'http://p',
  }

  const env = gitEnvironment(base, {
    gitDir: '/s.git',
    ceiling: '/',
    protocol: 'ssh',
  })

  assert.deepEqual(env, {
    PATH: '/bin',
    HOME: '/h',
    https_proxy: 'http://p',
    GIT_SSL_CAINFO: '/ca',
    GIT_SSH_COMMAND: 'myssh',
    GIT_DIR: '/s.git',
    GIT_CEILING_DIRECTORIES: '/',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'ssh',
    LC_ALL: 'C',
  })
})

test('credentials of a URL travel as a header to their own origin, and redirects are off', () => {
  const remote = parseRemoteUrl('https://u:p%40ss@h.example:8443/a', '/')

  assert.deepEqual(credentialConfig(remote), [
    [
      'http.https://h.example:8443/.extraHeader',
      `Authorization: Basic ${Buffer.from('u:p@ss').toString('base64')}`,
    ],
    ['http.followRedirects', 'false'],
  ])
  assert.deepEqual(credentialConfig(parseRemoteUrl('https://org@h.example/a', '/')), [
    ['credential.https://h.example.username', 'org'],
  ])
})

test("git's words are classified, in one line without secrets", () => {
  const cases: [string, string][] = [
    ["fatal: Authentication failed for 'https://u:CANARY@h/x'", 'auth_failed'],
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'auth_failed'],
    ['git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'auth_failed'],
    ['Host key verification failed.\nfatal: Could not read from remote repository.', 'auth_failed'],
    ["fatal: '/CANARY/x' does not appear to be a git repository", 'repository_not_found'],
    ["fatal: repository 'https://h/x/' not found", 'repository_not_found'],
    ["fatal: unable to access 'https://h/': Could not resolve host: h", 'network'],
    ['fatal: unable to access: Failed to connect to h port 443', 'network'],
    ['fatal: unable to access: Operation too slow. Less than 1000 bytes/sec', 'timeout'],
    ["ENOENT: no such file or directory, mkdir '/x/clones/net-0123.git'", 'storage_failed'],
    ["fatal: detected dubious ownership in repository at '/x'", 'git_ownership'],
    ['fatal: write error: No space left on device', 'storage_failed'],
    ['fatal: something https://u:CANARY@h/x else CANARY\u001b[31m', 'git_failed'],
  ]
  for (const [said, reason] of cases) {
    const error = gitFailure(new Error(said), { hidden: ['CANARY'] })
    assert.equal(error.reason, reason, said)
    assert.doesNotMatch(`${error.message}${JSON.stringify(error.details)}`, /CANARY|\n|\u001b/)
  }
})
