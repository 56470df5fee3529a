/**
 * Measures what real harnesses give to their models: `npm run harnesses [-- --story] [NAME ...]`. Installs each
 * from npm into a cache, prints which facts did not reach the model, plays the story of an upgrade over several sessions,
 * keeps what was measured in test/harnesses/recorded and writes the table of docs/clients.md; `--story` plays the story
 * only. Fails unless every fact reached the model of every harness.
 */
import { claudeCode } from '../test/harnesses/clients/claude-code.ts'
import { codex } from '../test/harnesses/clients/codex.ts'
import { continueCli } from '../test/harnesses/clients/continue.ts'
import { geminiCli } from '../test/harnesses/clients/gemini-cli.ts'
import { inspector } from '../test/harnesses/clients/inspector.ts'
import { openCode } from '../test/harnesses/clients/opencode.ts'
import { qwenCode } from '../test/harnesses/clients/qwen-code.ts'
import type { Harness, PlainClient } from '../test/harnesses/harness.ts'
import { factCounts, type Measurement, measure, storyCount } from '../test/harnesses/measurement.ts'
import { keepMeasurement, recordedMeasurements } from '../test/harnesses/recorded.ts'
import { runHarness } from '../test/harnesses/run-harness.ts'
import { runStory } from '../test/harnesses/run-story.ts'
import { replaceBetween, table } from './markdown.ts'

const HARNESSES: readonly (Harness | PlainClient)[] = [
  claudeCode,
  codex,
  continueCli,
  geminiCli,
  inspector,
  openCode,
  qwenCode,
]
const HEAD = [
  'harness',
  'version',
  'channel',
  'on an error',
  'facts that reached the model',
  'sessions of the story',
  'hook',
  'other hosts refused',
  'measured',
]

const isStoryOnly = process.argv.includes('--story')
const wanted = process.argv.slice(2).filter((word) => word !== '--story')
const chosen = HARNESSES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
if (chosen.length === 0) throw new Error(`Names: ${HARNESSES.map(({ name }) => name).join(', ')}`)

// What a run started and wrote is removed when the process exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Why a harness could not be measured, by name. */
const failures = new Map<string, string>()
for (const harness of chosen) await measureOne(harness)
const rows = HARNESSES.map(({ name, version }) => rowOf(name, version))
replaceBetween('docs/clients.md', 'harnesses', table(HEAD, rows))

async function measureOne(harness: Harness | PlainClient): Promise<void> {
  console.log(`\n${harness.name} ${harness.version}`)
  try {
    const kept = recordedMeasurements().find((each) => each.harness === harness.name)
    const today = new Date().toISOString().slice(0, 10)
    const facts = isStoryOnly && kept ? kept : measure(harness, await runHarness(harness), today)
    const measured = { ...facts, ...('process' in harness && { story: [...(await runStory(harness))] }) }
    keepMeasurement(measured)
    report(measured)
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error)
    failures.set(harness.name, reason.split('\n')[0] ?? '')
    console.log(`  not measured: ${reason}`)
    process.exitCode = 1
  }
}

function report(measured: Measurement): void {
  const { reached, planted } = factCounts(measured)
  console.log(
    `  channel ${measured.channel}, on an error ${measured.channel_on_error}; hook ${measured.hook}`,
  )
  console.log(`  ${reached} of ${planted} facts reached the model`)
  for (const [tool, { missing }] of Object.entries(measured.facts))
    if (missing.length > 0) console.log(`    ${tool} lacks ${missing.join(', ')}`)
  if (measured.asked_for.length > 0) console.log(`  asked for ${measured.asked_for.join(', ')}; refused`)
  if (measured.story) console.log(`  story: ${storyCount(measured)} sessions told all`)
  const untold = (measured.story ?? []).filter((session) => session.untold.length > 0)
  for (const session of untold) console.log(`    ${session.name} lacks ${session.untold.join(', ')}`)
  if (reached < planted || untold.length > 0) process.exitCode = 1
}

function rowOf(name: string, version: string): readonly string[] {
  const failure = failures.get(name)
  const kept = recordedMeasurements().find(({ harness }) => harness === name)
  if (failure !== undefined || !kept)
    return [name, version, '', '', `not measured: ${failure ?? 'never run'}`, '', '', '', '']
  const { reached, planted } = factCounts(kept)
  const { channel, channel_on_error, hook, asked_for, measured } = kept
  const hosts = asked_for.join(', ') || 'none'
  const facts = `${reached} of ${planted}`
  return [name, kept.version, channel, channel_on_error, facts, storyCount(kept), hook, hosts, measured]
}
