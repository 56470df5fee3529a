/** Checks the package as a user gets it: its files, its size, and that it works installed in an empty folder. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { npm } from './packages/bundles.ts'

const MAX_TARBALL_BYTES = 4_000_000
const MAX_UNPACKED_BYTES = 12_000_000
const MAX_INSTALLED_BYTES = 30_000_000
const MAX_PACKAGES = 20
/** Everything that the package may contain. */
const ALLOWED = [
  /^(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY|STYLE|THIRD_PARTY_NOTICES)\.md$/,
  /^(LICENSE|NOTICE|llms\.txt|package\.json)$/,
  /^docs\/([a-z0-9./-]+\.(md|svg|service)|bench\/latest\.json)$/,
  /^schemas\/[a-z0-9.-]+\.json$/,
  /^generated\/satchel\.1$/,
  /^dist\/(satchel|satchel-mcp|demo|built-files-[0-9a-f]{8})\.js$/,
  /^dist\/(satchel|satchel-mcp|demo|[a-z0-9.-]+-[a-z0-9]{8})\.cjs$/,
  /^dist\/(server\/(client|plugin)|plugins\/[a-z-]+\/(index|thread)|test\/harness\/index)\.c?js$/,
  /^dist\/(server|test\/harness)\/[a-z0-9./-]+\.d\.ts$/,
  /^dist\/assets\/[A-Za-z0-9.-]+$/,
  /^dist\/prepared\/[a-z0-9]+\.json$/,
]

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

function expect(claim: boolean, otherwise: string): void {
  if (!claim) throw new Error(otherwise)
}

checkBuiltAgain()
const folder = mkdtempSync(join(tmpdir(), 'satchel-pack-'))
try {
  const [packed] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], '.')) as Packed[] // npm's own format
  if (!packed) throw new Error('npm pack gave nothing')
  const strange = packed.files
    .map(({ path }) => path)
    .filter((path) => !ALLOWED.some((allowed) => allowed.test(path)))
  expect(strange.length === 0, `files that do not belong in the package: ${strange.slice(0, 10).join(', ')}`)
  const unpacked = readmeLinks().filter((link) => !packed.files.some(({ path }) => path === link))
  expect(unpacked.length === 0, `README.md links to files that are not packed: ${unpacked.join(', ')}`)
  expect(
    packed.size <= MAX_TARBALL_BYTES,
    `the tarball has ${packed.size} bytes, more than ${MAX_TARBALL_BYTES}`,
  )
  expect(
    packed.unpackedSize <= MAX_UNPACKED_BYTES,
    `unpacked ${packed.unpackedSize} bytes, more than ${MAX_UNPACKED_BYTES}`,
  )
  checkInstalled(join(folder, packed.filename))
  console.log(
    `package: ${packed.files.length} files, ${packed.size} bytes packed, ${packed.unpackedSize} unpacked`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Building a version again gives the bytes that were published. */
function checkBuiltAgain(): void {
  const again = 'dist-again' // beside dist: the names of chunks hold a hash over relative paths
  try {
    execFileSync('npx', ['--no-install', 'tsup', '--silent', '--out-dir', again], { stdio: 'inherit' })
    const files = readdirSync(again, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.c?js$/.test(name),
    )
    expect(files.length > 0, 'the second build wrote nothing')
    const differing = files.filter(
      (name) =>
        !existsSync(join('dist', name)) ||
        !readFileSync(join(again, name)).equals(readFileSync(join('dist', name))),
    )
    expect(differing.length === 0, `a second build differs: ${differing.slice(0, 10).join(', ')}`)
  } finally {
    rmSync(again, { recursive: true, force: true })
  }
}

/** The files of this repository that README.md links to. */
function readmeLinks(): readonly string[] {
  const links = readFileSync('README.md', 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)
  return [...links].map(([, path = '']) => path)
}

function checkInstalled(tarball: string): void {
  const app = mkdtempSync(join(tmpdir(), 'satchel-app-'))
  try {
    writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}')
    npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', resolve(tarball)], app)
    const packages = JSON.parse(npm(['ls', '--all', '--json', '--parseable=false'], app)) as {
      dependencies?: object
    }
    const count = countPackages(packages)
    expect(count <= MAX_PACKAGES, `${count} packages were installed, more than ${MAX_PACKAGES}`)
    const bytes = bytesUnder(join(app, 'node_modules'))
    expect(bytes <= MAX_INSTALLED_BYTES, `${bytes} bytes were installed, more than ${MAX_INSTALLED_BYTES}`)
    const version = execFileSync('npx', ['--no-install', 'satchel', '--version'], {
      cwd: app,
      encoding: 'utf8',
    })
    expect(/^\d+\.\d+\.\d+/.test(version.trim()), `satchel --version printed ${version}`)
    runs(
      app,
      "const p = await import('satchel/plugin'); if (typeof p.defineTool !== 'function') throw new Error('no defineTool')",
    )
    runs(app, "await import('satchel'); await import('satchel/testing')")
    runs(app, "await import('satchel/schemas/handoff.v0.1.json', { with: { type: 'json' } })")
    const deep = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', "await import('satchel/dist/satchel.js')"],
      { cwd: app, encoding: 'utf8' },
    )
    expect(deep.stderr.includes('ERR_PACKAGE_PATH_NOT_EXPORTED'), 'a deep import was not refused')
    console.log(`installed: ${count} packages, ${bytes} bytes`)
  } finally {
    rmSync(app, { recursive: true, force: true })
  }
}

function runs(cwd: string, code: string): void {
  execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function countPackages(node: { dependencies?: object }, seen = new Set<string>()): number {
  for (const [name, child] of Object.entries(node.dependencies ?? {})) {
    seen.add(`${name}@${child.version}`)
    countPackages(child, seen)
  }
  return seen.size
}

function bytesUnder(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
