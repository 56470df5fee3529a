/** The packages of test/peers: optional peers of satchel and what tests run beside it, 900 MB, which only a few tests use. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PEERS = join(ROOT, 'test/peers')
const NAMES = [
  '@electric-sql/pglite',
  '@electric-sql/pglite-pgvector',
  '@electric-sql/pglite-socket',
  '@huggingface/transformers',
  'chromadb',
  'dclint',
]
/** A test file that uses one of them asks this helper first. */
export const USES_PEERS = /\/(?:optional-package|chroma-server|pgvector-server)\.ts'/

/**
 * Installs the packages of test/peers when a test file uses them and links them into node_modules. Returns false, and
 * says why, when they cannot be installed.
 */
export function installPeersFor(files: readonly string[]): boolean {
  const isInstalled = (): boolean =>
    NAMES.every((name) => existsSync(join(ROOT, 'node_modules', name, 'package.json')))
  if (isInstalled() || !files.some((file) => USES_PEERS.test(readFileSync(file, 'utf8')))) return true
  if (!NAMES.every((name) => existsSync(join(PEERS, 'node_modules', name, 'package.json')))) {
    console.log('Installing the packages of test/peers (900 MB, once) ...')
    const args = ['ci', '--prefix', PEERS, '--ignore-scripts', '--no-audit', '--no-fund']
    spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
  }
  for (const name of NAMES) {
    const link = join(ROOT, 'node_modules', name)
    rmSync(link, { recursive: true, force: true })
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(PEERS, 'node_modules', name), link, 'junction')
  }
  if (isInstalled()) return true
  console.error(
    'The packages of test/peers could not be installed, so the tests that use them do not run. ' +
      'Run "npm ci --prefix test/peers" where the npm registry can be reached, then run the tests again.',
  )
  return false
}
