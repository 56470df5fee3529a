/**
 * Runs the tests: every `*.test.ts` under server, plugins, lab and test, or the given paths. An empty list is a failure.
 * No test, and no process of ours below one, reaches anything but this machine.
 * Writes `reports/junit.xml` and `reports/files.tsv`: what each process took with its files, most processor time first.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { junit, spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { groupTestFiles, type TestGroup } from './test-groups.ts'
import { installPeersFor } from './test-peers.ts'
import { type GroupUsage, superviseTestGroups } from './test-processes.ts'

const given = process.argv.slice(2)
const files = (
  given.length > 0 ? given : ['server', 'plugins', 'lab', 'test'].filter((folder) => existsSync(folder))
).flatMap(testsUnder)
if (files.length === 0) throw new Error('No test file was found.')

if (!installPeersFor(files)) process.exitCode = 1

mkdirSync('reports', { recursive: true })
/** Coverage is what the tests beside the code run: counting takes a tenth of a test's time. */
const COUNTED: readonly string[] = ['server', 'plugins']
/** Ends what hangs, for each file of a process. It is many times what any file takes, because a busy machine must not fail a test. */
const timeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? 1_200_000)
/** Files that may take longer: where images can be built, each target is. */
const LONGER_MS: ReadonlyMap<string, number> = new Map([[join('test', 'modules-image.test.ts'), 1_500_000]])
/** Processor time that the process of a test file, or of a group, should not exceed. */
const PROCESSOR_SECONDS_MAX = 60
const SLOWEST_SHOWN = 5
/** A third of the time a test waits for a browser, a disk or a deadline. */
const PROCESSES_AT_ONCE = 2 * availableParallelism()

const preloaded = ['loopback-only.mjs', 'sources-covered.mjs'].map(
  (name) => `--import=${pathToFileURL(join(import.meta.dirname, '../test/fixtures', name))}`,
)
process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], ...preloaded].filter(Boolean).join(' ')
process.env['STRIPPED_SOURCES'] ??= folderOfThisRun('satchel-stripped-', 0o755) // some tests run a process as another user
process.env['COMPILED_CODE'] ??= folderOfThisRun('satchel-compiled-', 0o700)
process.env['POSTGRES_DATA'] ??= folderOfThisRun('satchel-postgres-', 0o700)

const groups = groupTestFiles(files, folderOfThisRun('satchel-groups-', 0o700)).toSorted((a, b) =>
  mixed(a) < mixed(b) ? -1 : 1,
)
const usages: GroupUsage[] = []
const killAll = superviseTestGroups({
  groups,
  isCounted: ({ files: [file = ''] }) => COUNTED.includes(file.split(sep)[0] ?? ''),
  limitMs: ({ files }) => files.reduce((sum, file) => sum + Math.max(timeoutMs, LONGER_MS.get(file) ?? 0), 0),
  onEnd: (usage) => usages.push(usage),
})
process.once('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const events = Readable.from(eachEvent())
await Promise.all([
  pipeline(events.compose(new spec()), process.stdout, { end: false }),
  pipeline(events.compose(junit), createWriteStream('reports/junit.xml')),
])
reportUsages()
process.exit() // a handle that a test file left open must not keep the runner

async function* eachEvent() {
  for await (const event of run({
    files: groups.map(({ entry }) => entry),
    concurrency: PROCESSES_AT_ONCE,
  })) {
    if (event.type === 'test:fail' && !event.data.todo) {
      process.exitCode = 1
      // What belongs to no test is told of the entry alone.
      const group = groups.find(({ entry, files }) => files.length > 1 && entry === resolve(event.data.name))
      if (group) console.error(`\nFAILED: a file of ${group.files.join(' ')}`)
    }
    yield event
  }
}

/** A place in an order that is the same each time, in which tests that wait run beside tests that compute. */
function mixed({ files: [file = ''] }: TestGroup): string {
  return createHash('sha256').update(file.replaceAll(sep, '/')).digest('hex')
}

/** A new folder for what is made of sources, or of the build. It goes with this run: nothing of another tree runs. */
function folderOfThisRun(prefix: string, mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(folder, mode)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function reportUsages(): void {
  const processorOf = (usage: GroupUsage): number => usage.processorSeconds ?? 0
  usages.sort((a, b) => processorOf(b) - processorOf(a))
  const rows = usages.map((usage) =>
    [processorOf(usage).toFixed(1), usage.wallSeconds.toFixed(1), usage.group.files.join(' ')].join('\t'),
  )
  writeFileSync('reports/files.tsv', `${['processor_s\twall_s\tfiles', ...rows].join('\n')}\n`)
  if (usages.length <= SLOWEST_SHOWN) return
  console.log(`\nmost processor time (all: reports/files.tsv)\n${rows.slice(0, SLOWEST_SHOWN).join('\n')}`)
  const over = usages.filter((usage) => processorOf(usage) > PROCESSOR_SECONDS_MAX).length
  if (over > 0) console.log(`${over} processes took more than ${PROCESSOR_SECONDS_MAX} s of processor time`)
}

function testsUnder(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
    .map((name) => join(path, name))
}
