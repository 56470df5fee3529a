/**
 * Runs the tests: every `*.test.ts` under server, plugins and test, or the given paths. An empty list is a failure.
 * No test, and no process of ours below one, reaches anything but this machine. A file is transpiled once in a run.
 */
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { TYPESCRIPT } from '../test/typescript.ts'

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
process.env['TRANSPILED_FILES'] ??= ownFolder()
// The runner hands its own options on to each file: how it was itself started stays out of them.
process.execArgv.splice(0, process.execArgv.length, ...TYPESCRIPT)
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

/** Of this run alone, and gone after it: no file that was transpiled before can stand for one of now. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-transpiled-'))
  chmodSync(folder, 0o755) // some tests are another user in a process below
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
