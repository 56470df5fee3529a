/**
 * Runs the tests: every `*.test.ts` under server, plugins, lab and test, or the given paths. An empty list is a failure.
 * No test, and no process of ours below one, reaches anything but this machine.
 */
import { createWriteStream, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

const given = process.argv.slice(2)
const files = (
  given.length > 0 ? given : ['server', 'plugins', 'lab', 'test'].filter((folder) => existsSync(folder))
)
  .flatMap(testsUnder)
  .sort()
if (files.length === 0) throw new Error('No test file was found.')

mkdirSync('reports', { recursive: true })
/**
 * Longest time of one test file, there to end what hangs: several times what the longest takes, on a machine that does
 * other work too. The long proofs raise it.
 */
const timeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? 300_000)
/**
 * Files that may take longer: where images can be built, each target is. They run by themselves and first, so that the counts that close the
 * output are those of all others.
 */
const LONGER_MS: ReadonlyMap<string, number> = new Map([[join('test', 'modules-image.test.ts'), 1_500_000]])
const preloaded = ['loopback-only.mjs', 'bundle-uncovered.mjs'].map(
  (name) => `--import=${pathToFileURL(join(import.meta.dirname, '../test/fixtures', name))}`,
)
process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], ...preloaded].filter(Boolean).join(' ')
const events = Readable.from(eachRun())
events.compose(new spec()).pipe(process.stdout)
events.compose(junit).pipe(createWriteStream('reports/junit.xml'))

async function* eachRun() {
  const usual = files.filter((file) => !LONGER_MS.has(file))
  const longer = files.filter((file) => LONGER_MS.has(file))
  const runs = [
    ...longer.map((file) => ({ files: [file], timeout: Math.max(timeoutMs, LONGER_MS.get(file) ?? 0) })),
    ...(usual.length > 0 ? [{ files: usual, timeout: timeoutMs }] : []),
  ]
  for (const one of runs) {
    for await (const event of run({ ...one, concurrency: 2 })) {
      if (event.type === 'test:fail' && !event.data.todo) process.exitCode = 1
      yield event
    }
  }
}

function testsUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(path, name))
}
