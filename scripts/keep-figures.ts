/**
 * Keeps what a bench printed in docs/bench/latest.json, from which docs/performance.md is generated:
 * `satchel bench start --json | node --import ./scripts/typescript.mjs scripts/keep-figures.ts start`. The words say what was run.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { text } from 'node:stream/consumers'
import { type KeptFigures, keptFigures, keptOf } from './kept-figures.ts'

const FILE = 'docs/bench/latest.json'
const subject = process.argv.slice(2).join(' ')
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model.trim() ?? 'unknown',
  memory_gib: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
}
const before: KeptFigures = existsSync(FILE)
  ? keptFigures.parse(JSON.parse(readFileSync(FILE, 'utf8')))
  : { machine, subjects: {} }
// Figures of two machines cannot be compared: those of another one are removed.
const isSame = JSON.stringify(before.machine) === JSON.stringify(machine)
const taken = new Date().toISOString().slice(0, 10)
const printed = await text(process.stdin)
const load = Math.round((loadavg()[0] ?? 0) * 10) / 10
const run = { taken, node: process.version, version, load }
const subjects = {
  ...(isSame && before.subjects),
  [subject]: keptOf(printed, run),
}
const sorted = Object.fromEntries(Object.entries(subjects).sort(([a], [b]) => (a < b ? -1 : 1)))
mkdirSync('docs/bench', { recursive: true })
writeFileSync(FILE, `${JSON.stringify({ machine, subjects: sorted }, null, 2)}\n`)
