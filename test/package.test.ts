import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { satisfies } from 'semver'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

interface Manifest {
  readonly bin: Record<string, string>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  /** By package: a version, or by peer of that package the version it is given. */
  readonly overrides: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(read('package.json'))

test('every version is exact', () => {
  const { dependencies, devDependencies, peerDependencies, overrides } = manifest
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...peerDependencies,
    ...Object.fromEntries(Object.entries(overrides).filter(([, version]) => typeof version === 'string')),
  })) {
    assert.match(String(version), /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, name)
  }
})

interface Locked {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>
}

/** Optional dependencies that some package names and that have no entry: `npm ci` fails on them. */
function missingPlatforms({ packages }: Lockfile): readonly string[] {
  const installed = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
  )
  const named = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
  return [...new Set(named.filter((name) => !installed.has(name)))]
}

test('the lockfile names every platform that an optional dependency names', () => {
  const lockfile: Lockfile = JSON.parse(read('package-lock.json'))
  const { ['node_modules/@biomejs/cli-darwin-arm64']: _, ...others } = lockfile.packages

  assert.deepEqual(missingPlatforms(lockfile), [])
  assert.deepEqual(missingPlatforms({ packages: others }), ['@biomejs/cli-darwin-arm64'])
  assert.ok(Object.keys(lockfile.packages).length > 300)
})

/** What Node finds for `name` from the package at `path`. */
function foundFrom({ packages }: Lockfile, path: string, name: string): Locked | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = packages[`${folder}${folder ? '/' : ''}node_modules/${name}`]
    if (found || folder === '') return found
  }
}

/** Peers, optional ones too, that are there in a version their package does not take. */
function misfitPeers(lockfile: Lockfile, overrides: Manifest['overrides']): readonly string[] {
  return Object.entries(lockfile.packages).flatMap(([path, { peerDependencies = {} }]) => {
    const owner = path.slice(path.lastIndexOf('node_modules/') + 13)
    const given = overrides[owner]
    return Object.entries(peerDependencies)
      .filter(([name]) => typeof given !== 'object' || given[name] === undefined)
      .filter(([name, range]) => {
        const version = foundFrom(lockfile, path, name)?.version
        return version !== undefined && !satisfies(version, range, { includePrerelease: true })
      })
      .map(([name, range]) => `${owner} wants ${name} ${range}`)
  })
}

// npm 10, which Node 20 brings, calls such a lockfile out of step and `npm ci` installs nothing; npm 11 takes it.
const INSTALLED_MAX_BYTES = 600_000_000

/** What the packages occupy that the lockfile puts into node_modules itself, with what is nested in them. */
function installedBytes(root: string, { packages }: Lockfile): number {
  const folders = Object.keys(packages)
    .filter((path) => path.lastIndexOf('node_modules/') === 0)
    .map((path) => join(root, path))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => lstatSync(join(folder, name))),
  )
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
}

test('npm ci installs at most 600 MB; the packages of test/peers are not counted', async (t) => {
  const folder = await temporaryFolder(t)
  mkdirSync(join(folder, 'node_modules/a/node_modules/b'), { recursive: true })
  for (const name of ['a', 'a/node_modules/b'])
    writeFileSync(join(folder, 'node_modules', name, 'file'), 'xyz')
  const planted = { 'node_modules/a': {}, 'node_modules/a/node_modules/b': {}, 'node_modules/c': {} }

  const bytes = installedBytes(ROOT, JSON.parse(read('package-lock.json')))

  t.diagnostic(`${Math.round(bytes / 1e6)} MB`)
  assert.ok(bytes > INSTALLED_MAX_BYTES / 10 && bytes <= INSTALLED_MAX_BYTES, `${bytes}`)
  assert.equal(installedBytes(folder, { packages: planted }), 6)
})

test('every peer in the lockfile is of a version that its package takes, or is given to it by an override', () => {
  const lockfile: Lockfile = JSON.parse(read('package-lock.json'))

  assert.deepEqual(misfitPeers(lockfile, manifest.overrides), [])
  assert.deepEqual(misfitPeers(lockfile, {}), ['openai wants zod ^3.23.8'])
})

test('no package runs code when it is installed, and none of our scripts counts on it', () => {
  assert.match(read('.npmrc'), /^ignore-scripts=true$/m)
  for (const name of Object.keys(manifest.scripts)) assert.doesNotMatch(name, /^(pre|post)/)
})

test('README names the two commands, and each is a script of the package', () => {
  const readme = read('README.md')
  for (const [command, script] of [
    ['npm ci && npm run demo', 'demo'],
    ['npm ci && npm test', 'test'],
  ] as const) {
    assert.ok(readme.includes(command))
    assert.ok(manifest.scripts[script])
  }
  assert.ok(statSync(join(ROOT, '.ci/run')).mode & 0o100, '.ci/run is executable')
  assert.match(read('.ci/run'), /npm run check/)
  assert.match(manifest.scripts['check'] ?? '', /npm run coverage/)
  assert.match(manifest.scripts['coverage'] ?? '', /npm test/)
})

test('what the documents show for each client can be pasted: JSON parses, TOML and command name the same server', () => {
  const blocks = [...read('docs/clients.md').matchAll(/```(\w+)\n(.*?)```/gs)].map(
    ([, kind = '', text = '']) => ({
      kind,
      text,
    }),
  )
  const json = blocks.filter(({ kind }) => kind === 'json').map(({ text }) => JSON.parse(text))

  assert.ok(json.some((value) => value.mcpServers?.satchel?.args?.includes('mcp')))
  assert.ok(json.some((value) => value.servers?.satchel?.type === 'stdio'))
  assert.ok(blocks.some(({ kind, text }) => kind === 'toml' && text.includes('[mcp_servers.satchel]')))
  assert.ok(blocks.some(({ text }) => text.startsWith('claude mcp add')))
  for (const name of ['Claude Code', 'Codex', 'Cursor', 'Gemini CLI', 'VS Code']) {
    assert.ok(read('docs/clients.md').includes(name), name)
  }
})

test('what clients are told to start is a command that the package installs, and nothing is fetched by a name', () => {
  const pages = ['README.md', 'docs/clients.md', 'docs/workspace.md', 'docs/handoffs.md']
  const commands = pages
    .flatMap((page) => [...read(page).matchAll(/command"?\s*[=:]\s*\[?"([\w-]+)/g)])
    .map(([, command]) => command ?? '')

  assert.ok(commands.length >= 10)
  assert.deepEqual([...new Set(commands)], ['satchel'])
  assert.ok(Object.hasOwn(manifest.bin, 'satchel'))
  for (const page of pages) assert.doesNotMatch(read(page), /npx/, page)
  assert.match(read('README.md'), /npm install --global "\.\/\$\(npm pack --silent\)"/)
})

test('every link between documents leads somewhere', () => {
  const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  const dead = documents
    .filter((path) => !path.includes('testdata/') && existsSync(join(ROOT, path)))
    .flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(ROOT, path, '..', target)))
        .map((target) => `${path}: ${target}`),
    )

  assert.deepEqual(dead, [])
})

test('no file is named as a dumping ground, and no source has a mark of unfinished work', () => {
  const files = execFileSync('git', ['ls-files', 'server', 'plugins', 'lab'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  const sources = files.filter((path) => !path.includes('/testdata/'))
  const grounds = sources.filter((path) =>
    /(^|\/)(utils?|helpers?|common|lib|misc|types)(\/|\.ts$)/.test(path),
  )
  const marked = sources.filter((path) => path.endsWith('.ts') && /\/\/ *(TODO|FIXME|XXX)\b/.test(read(path)))

  assert.deepEqual(grounds, [])
  assert.deepEqual(marked, [])
})

test('the style is fifty-two rules, and what a contributor must know fits on a page that leads to it', () => {
  const rules = [...read('STYLE.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  const contributing = read('CONTRIBUTING.md')

  assert.deepEqual(
    rules,
    Array.from({ length: 52 }, (_, at) => at + 1),
  )
  assert.ok(contributing.split('\n').length <= 60)
  for (const part of ['(STYLE.md)', 'npm run check', '## Add a tool', '## Add a plugin', 'snapshot'])
    assert.ok(contributing.includes(part), part)
})

test('a release carries provenance and a bill of materials, and SECURITY.md says how to report', () => {
  const release = read('.github/workflows/release.yml')
  const security = read('SECURITY.md')

  for (const part of ['id-token: write', './.ci/run', 'npm publish --provenance', 'npm sbom'])
    assert.ok(release.includes(part), part)
  for (const heading of ['## Scope', '## How to report', '## Supported versions'])
    assert.ok(security.includes(heading), heading)
  assert.match(security, /within \d+ (working )?days/)
})

test('what the documents show of client configurations parses', () => {
  for (const path of ['docs/clients.md', 'docs/plugin-guide.md']) {
    for (const [, text = ''] of read(path).matchAll(/```json\n(.*?)```/gs)) JSON.parse(text)
  }
})
