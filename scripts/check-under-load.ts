/**
 * Runs the whole suite beside busy processes: a busy machine must not fail a test.
 * `node --import ./scripts/typescript.mjs scripts/check-under-load.ts [RUNS] [PROCESSES]`,
 * 3 runs beside 4 processes by default, after `npm run build`.
 */
import { spawn, spawnSync } from 'node:child_process'

const [runs = 3, processes = 4] = process.argv.slice(2).map(Number)
/** The load ends with this process, and in any case after this time. */
const LOAD_HOURS_MAX = 6
const BUSY = `
  const end = Date.now() + ${LOAD_HOURS_MAX * 3_600_000}
  while (Date.now() < end && process.ppid === ${process.pid}) for (let n = 0; n < 1e7; n++);`

const load = Array.from({ length: processes }, () =>
  spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
)
const results = Array.from({ length: runs }, (_, run) => {
  console.log(`\n== run ${run + 1} of ${runs} beside ${processes} busy processes`)
  return spawnSync(process.execPath, ['--import', './scripts/typescript.mjs', 'scripts/test.ts'], {
    stdio: 'inherit',
  }).status
})
for (const busy of load) busy.kill('SIGKILL')

const green = results.filter((status) => status === 0).length
console.log(`\n${green} of ${runs} runs passed beside ${processes} busy processes`)
process.exitCode = green === runs && runs > 0 ? 0 : 1
