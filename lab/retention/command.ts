import * as z from 'zod'
import { defineHostVerb } from '../../server/cli/host-verb.ts'
import { printResult } from '../../server/cli/render.ts'
import type { World } from '../../server/cli/world.ts'
import { counted, SatchelError } from '../../server/plugin.ts'
import type { Retention, Share } from './measure.ts'
import type { ModelReport } from './model/arms.ts'
import type { RetentionReport } from './report.ts'

const MAX_PROBES = 15
const LOST_EXIT = 3 // surface, section 3: a check found something

/** `satchel handoff retention`: what a session knows after a compaction. */
export const retentionVerb = defineHostVerb({
  path: ['handoff', 'retention'],
  summary: 'measure what a compaction loses',
  description:
    'Plants facts in records, drives hooks and tools through compactions, resumes and restarts in temporary repositories, and counts the facts that the next session is given by the hook, by handoff_resume as text and as data, and by the resource. Exits 3 if a fact is lost that must be kept: objective, next action, criteria for done, constraints, attempts not to repeat, claims that do not hold. Over the bound of an answer a fact counts as kept when it is listed by id with the call that reads it. With --probes it asks a model instead, which SATCHEL_MODEL_URL and SATCHEL_MODEL_NAME name; without them nothing is sent anywhere.',
  input: z.object({
    session: z
      .string()
      .min(1)
      .optional()
      .describe("a real session, by its harness's id: what it kept over its last compaction"),
    probes: z
      .int()
      .min(1)
      .max(MAX_PROBES)
      .optional()
      .describe('ask a model so many questions after a compaction, with a summary, the brief and both'),
    model_timeout: z
      .number()
      .min(0.1)
      .max(3600)
      .default(120)
      .describe('seconds in which the model must answer one question'),
  }),
  examples: ['satchel handoff retention --json'],
  async run(world, { session, probes, model_timeout }) {
    const { terminal } = world
    if (session !== undefined) return reportSession(world, session)
    if (probes !== undefined) return reportModel(world, probes, model_timeout * 1000)
    const { measureRetention } = await import('./measure.ts')
    const retention = await measureRetention(terminal.env)
    printResult(terminal, { data: retention, text: tableOf(retention) })
    return retention.lost.length > 0 ? LOST_EXIT : 0
  },
})

/** Prints what a model knew. */
async function reportModel({ terminal, signal }: World, probes: number, timeoutMs: number): Promise<number> {
  const [{ endpointIn }, { measureModel }] = await Promise.all([
    import('./model/endpoint.ts'),
    import('./model/arms.ts'),
  ])
  const { env, note } = terminal
  const report = await measureModel({ endpoint: endpointIn(env, timeoutMs), probes, env, signal, note })
  printResult(terminal, { data: report, text: armsOf(report) })
  return 0
}

function armsOf({ model, arms }: ModelReport): string {
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(8) : cell.padStart(12)))
      .join('')
      .trimEnd()
  return [
    `model ${model}`,
    line(['given', 'right', 'broken', 'retried', 'first edit', 'tokens']),
    ...arms.map((arm) =>
      line([
        arm.arm,
        `${arm.right}/${arm.probes}`,
        `${arm.broken_constraints}`,
        `${arm.attempts_retried}`,
        arm.unreadable > 0 ? 'unreadable' : `${arm.actions_before_first_edit ?? 'none'}`,
        `${arm.tokens ?? 'unknown'}`,
      ]),
    ),
    'right: questions; broken: edits of files that must not change; retried: attempts that failed before; first edit: actions before it',
  ].join('\n')
}

/** Prints what a real session kept. Nothing kept is a finding; a session that did not go on after a compaction is not found. */
async function reportSession(world: World, session: string): Promise<number> {
  const { terminal } = world
  const { reportOf } = await import('./report.ts')
  const report = await reportOf(world, session)
  if (!report) {
    throw new SatchelError(
      'not_found',
      'session_not_found',
      'No hook saw this session go on after a compaction in this project. Give the id that the harness gives its hooks.',
    )
  }
  printResult(terminal, { data: report, text: lineOf(report) })
  return report.kept < report.of ? LOST_EXIT : 0
}

/** "kept 46 of 51; 1 failed attempt tried again; 3 calls before the first edit". */
function lineOf({ kept, of, listed, lost, retried, calls_before_first_edit }: RetentionReport): string {
  const calls =
    calls_before_first_edit === null
      ? 'no file changed since'
      : `${counted(calls_before_first_edit, 'call', 'calls')} before the first edit`
  const shown = listed === 0 ? '' : ` (${listed} by id)`
  return [
    `kept ${kept} of ${of}${shown}; ${counted(retried.length, 'failed attempt', 'failed attempts')} tried again; ${calls}`,
    ...lost.map(({ kind, id }) => `lost: ${kind}${id === '' ? '' : ` ${id}`}`),
    ...retried.map(({ id, before }) => `tried again: ${id}, which failed as ${before}`),
  ].join('\n')
}

function tableOf({ rows, must_keep, all, lost }: Retention): string {
  const width = Math.max(...rows.map(({ scenario }) => scenario.length))
  return [
    `${'scenario'.padEnd(width)}  channel      must keep  all`,
    ...rows.map(
      (row) =>
        `${row.scenario.padEnd(width)}  ${row.channel.padEnd(11)}  ${shareOf(row.must_keep).padStart(9)}  ${shareOf(row.all)}`,
    ),
    `kept ${shareOf(must_keep)} facts that must be kept (${percent(must_keep)}), ${shareOf(all)} of all (${percent(all)})`,
    ...lost.map(({ scenario, channel, fact }) => `lost: ${fact} (${scenario}, ${channel})`),
  ].join('\n')
}

function shareOf({ kept, of }: Share): string {
  return `${kept}/${of}`
}

function percent({ kept, of }: Share): string {
  return `${((kept / of) * 100).toFixed(1)} %`
}
