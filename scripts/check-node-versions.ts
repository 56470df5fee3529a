/**
 * Runs the tests on other versions of Node, which come from npm's package `node`.
 * `node --import ./scripts/typescript.mjs scripts/check-node-versions.ts [PATH ...]`, after `npm run build`;
 * without a path, the whole suite.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const VERSIONS = ['22', '24']
const folder = mkdtempSync(join(tmpdir(), 'satchel-node-'))

const failed = VERSIONS.filter((version) => {
  const prefix = join(folder, version)
  // The package's install script fetches the binary for this platform from the same registry.
  const install = [
    'install',
    '--prefix',
    prefix,
    '--ignore-scripts=false',
    '--no-audit',
    '--no-fund',
    `node@${version}`,
  ]
  if (spawnSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) return true
  const bin = join(prefix, 'node_modules', 'node', 'bin')
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` }
  console.log(`\n== Node ${spawnSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).stdout?.trim()}`)
  const words = ['--import', './scripts/typescript.mjs', 'scripts/test.ts', ...process.argv.slice(2)]
  return spawnSync(join(bin, 'node'), words, { env, stdio: 'inherit' }).status !== 0
})
rmSync(folder, { recursive: true })

for (const version of VERSIONS)
  console.log(`Node ${version}: ${failed.includes(version) ? 'FAILED' : 'passed'}`)
process.exitCode = failed.length > 0 ? 1 : 0
