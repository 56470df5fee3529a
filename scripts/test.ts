/**
 * Runs the tests: every `*.test.ts` under server, plugins and test, or the given paths. An empty list is a failure.
 * No test, and no process of ours below one, reaches anything but this machine.
 */
import { createWriteStream, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

const given = process.argv.slice(2)
const files = (given.length > 0 ? given : ['server', 'plugins', 'test']).flatMap(testsUnder).sort()
if (files.length === 0) throw new Error('No test file was found.')

mkdirSync('reports', { recursive: true })
/** Longest time of one test file; the long proofs raise it. */
const timeout = Number(process.env['TEST_TIMEOUT_MS'] ?? 120_000)
const preloaded = ['loopback-only.mjs', 'bundle-uncovered.mjs'].map(
  (name) => `--import=${pathToFileURL(join(import.meta.dirname, '../test/fixtures', name))}`,
)
process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], ...preloaded].filter(Boolean).join(' ')
const events = run({ files, concurrency: 2, timeout })
events.on('test:fail', (event) => {
  if (event.todo === undefined || event.todo === false) process.exitCode = 1
})
events.compose(new spec()).pipe(process.stdout)
events.compose(junit).pipe(createWriteStream('reports/junit.xml'))

function testsUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(path, name))
}
