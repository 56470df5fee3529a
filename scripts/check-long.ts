/**
 * The long proofs that no gate waits for: the suite under load and on Node 22 and 24, full crash tests, many kills, many
 * generated records, the whole corpus when it is there. Node 22 and 24 come from npm's `node` package here; in the
 * workflow `setup-node` installs each version and runs `.ci/run`, which none of these proofs repeats.
 */
import { spawnSync } from 'node:child_process'

interface Proof {
  readonly name: string
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const SEED = process.argv[2] ?? String(Math.floor(Math.random() * 2 ** 31))
const HOUR_MS = '3600000'
const sources = ['--import', './scripts/typescript.mjs']
const testing = [...sources, 'scripts/test.ts']

const PROOFS: readonly Proof[] = [
  {
    name: 'the whole suite three times beside four busy processes',
    command: [...sources, 'scripts/check-under-load.ts'],
  },
  {
    name: 'the whole suite on Node 22 and 24',
    command: [...sources, 'scripts/check-node-versions.ts'],
  },
  {
    name: 'room: 1,000 kills and 100,000 crash points',
    command: ['dist/satchel.js', 'torture', 'room', '--seed', SEED, '--kills', '1000', '--points', '100000'],
  },
  {
    name: 'handoff: 200 kills and 20,000 crash points',
    command: ['dist/satchel.js', 'torture', 'handoffs', '--seed', SEED],
  },
  {
    name: 'modules: 100 kills and 5,000 crash points of an ingest',
    command: ['dist/satchel.js', 'torture', 'ingest', '--seed', SEED],
  },
  {
    name: 'room: two hours of visitors',
    command: ['dist/satchel.js', 'torture', 'churn', '--seed', SEED, '--minutes', '120'],
  },
  {
    name: 'room: 10,000 histories replayed, 10,000 folded, 10,000 interleaved with edits of the file',
    command: [
      ...testing,
      'plugins/workspace/engine/ledger.test.ts',
      'lab/torture/room/interleaving.test.ts',
      'plugins/workspace/domain/digest.test.ts',
      'plugins/workspace/room/catch-up.test.ts',
      'plugins/workspace/room/catch-up-paging.test.ts',
    ],
    env: { HISTORIES: '10000', INTERLEAVINGS: '10000', SEED },
  },
  {
    name: 'handoff: 50,000 records against a second validator',
    command: [...testing, 'plugins/handoff/domain/schema-verdict.test.ts'],
    env: { RUNS: '50000' },
  },
  {
    name: '200 kills in the middle of a record write, of an ingest and of an index write; a lock holder stopped for 61 s',
    command: [
      ...testing,
      'plugins/handoff/store/writers.test.ts',
      'lab/torture/ingest/kills.test.ts',
      'plugins/modules/search/stores.test.ts',
    ],
    env: { SATCHEL_KILLS: '200', SATCHEL_STOPPED_S: '61' },
  },
  {
    name: '1,000 faults of three replicas, two workers and their database, a hundred of them with standbys',
    command: [
      ...testing,
      'lab/torture/replicas/torture.test.ts',
      'lab/torture/replicas/database-torture.test.ts',
      'lab/torture/replicas/owner-torture.test.ts',
      'lab/torture/replicas/worker-torture.test.ts',
      'lab/torture/replicas/standby-torture.test.ts',
    ],
    env: { SATCHEL_FAULTS: '225', SATCHEL_STANDBY_FAULTS: '100', SEED },
  },
  {
    name: '1,000 faults of processes that share a room of the database',
    command: [...testing, 'lab/torture/database-room/torture.test.ts'],
    env: { SATCHEL_FAULTS: '1000', SEED },
  },
  {
    name: '10,000 requests from the API document and as many calls at every door, of another seed in each run',
    command: [...testing, 'test/attack/rest-fuzz.test.ts', 'test/attack/tool-fuzz.test.ts'],
    env: { ATTACK_REQUESTS: '10000', ATTACK_CALLS: '10000', SEED },
  },
  {
    name: '100,000 inputs for each parser and for archives, of another seed in each run, each read within a second',
    command: [...testing, 'test/attack/parser-fuzz.test.ts', 'test/attack/archive-fuzz.test.ts'],
    env: { FUZZ_INPUTS: '100000', FUZZ_LIMIT_MS: '1000', SEED },
  },
  {
    name: 'every case of the attack corpus within a second, the event loop delayed by at most 100 ms (p99)',
    command: [...testing, 'test/attack/corpus.test.ts', 'test/attack/corpus-doors.test.ts'],
    env: { ATTACK_LIMIT_MS: '1000' },
  },
  {
    name: 'how costs grow: records to 100,000, modules to 20,000, events to a million, readers to 5,000',
    command: ['dist/satchel.js', 'bench', 'curves', '--gate'],
  },
  {
    name: '300 users for ten minutes: p99 of reads within 200 ms, memory within 400 MiB, every request answered',
    command: ['dist/satchel.js', 'bench', 'users', '--gate'],
  },
  {
    name: 'readers of streams that never read are ended; streams live through 70 silent seconds behind each proxy',
    command: [...testing, 'test/attack/stalled-readers.test.ts', 'test/proxies.test.ts'],
    env: { SATCHEL_PATIENCE: '70' },
  },
  {
    name: 'modules: no git is left 30 s after a server began to trickle',
    command: [...testing, 'plugins/modules/git/transport.test.ts'],
    env: { SATCHEL_PATIENCE: '30' },
  },
  {
    name: 'room: its owner killed 50 times under 20 busy bridges',
    command: [...testing, 'test/workspace-takeover.test.ts'],
    env: { SATCHEL_KILLS: '50', SATCHEL_BRIDGES: '20' },
  },
  {
    name: 'room: two people at their pages and four agents for ten minutes, with kills, stops, edits of the file and git',
    command: [...testing, 'test/workspace-together.test.ts'],
    env: { TOGETHER_S: '600' },
  },
  {
    name: 'every fact of an answer reaches the model in real harnesses',
    command: [...sources, 'scripts/harnesses.ts'],
  },
  {
    name: 'a newcomer with README alone, from npm ci in a checkout to the installed program',
    command: [...testing, 'test/newcomer.test.ts'],
    env: { NEWCOMER_INSTALL: '1' },
  },
  {
    name: 'every step of the GitHub action, from npm ci in a checkout to the check',
    command: [...testing, 'test/modules-action.test.ts'],
    env: { ACTION_INSTALL: '1' },
  },
  {
    name: 'the hook run by pre-commit itself, which has to be installed',
    command: [...testing, 'test/modules-pre-commit.test.ts'],
    env: { SATCHEL_PRE_COMMIT: '1' },
  },
  {
    name: 'every target of the container file built and run, where docker, podman or buildah answers',
    command: [...testing, 'test/modules-image.test.ts'],
    env: { SATCHEL_DOCKER: '1' },
  },
  {
    name: 'modules: every file of the corpus against the reference parser',
    command: [...testing, 'plugins/modules/hcl/oracle.test.ts'],
    env: { CORPUS: 'all' },
  },
]

console.log(`seed ${SEED}`)
const failed = PROOFS.filter(({ name, command, env }) => {
  console.log(`\n== ${name}`)
  const started = performance.now()
  const { status } = spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, TEST_TIMEOUT_MS: HOUR_MS, ...env },
  })
  console.log(
    `== ${status === 0 ? 'held' : 'FAILED'} after ${Math.round((performance.now() - started) / 1000)} s`,
  )
  return status !== 0
})
if (failed.length > 0) {
  console.error(`failed: ${failed.map(({ name }) => name).join('; ')}`)
  process.exitCode = 1
}
