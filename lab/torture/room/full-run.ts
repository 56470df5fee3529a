import { loadRoomSql } from '../../room/sql.ts'
import { cutPower, type PowerCutReport } from '../power-cuts.ts'
import { type FaultReport, failEveryCall } from './faults.ts'
import { type KillOptions, type KillReport, killWorkers } from './kills.ts'
import { cutRoomPower } from './power-cuts.ts'
import { liveByRules } from './rules/rule-life.ts'
import { raceStarters, type StarterReport } from './starters.ts'

export interface TortureOptions {
  readonly seed: number
  readonly kills: number
  readonly points: number
  readonly wasm: string
  readonly directory: string | undefined
  readonly victim: KillOptions['victim']
  /** Milliseconds after which every part ends at what it reached; Infinity: none. */
  readonly budgetMs: number
  elapsedMs(): number
  stopped(): boolean
  note(line: string): void
}

export interface TortureReport {
  readonly seed: number
  readonly faults: FaultReport
  readonly starters: StarterReport
  readonly power_cuts: PowerCutReport
  /** Power cuts of a room whose calls follow a model of its rules. */
  readonly rules: PowerCutReport
  readonly kills: KillReport
  /** False: the run ended before it had done all of this. */
  readonly complete: boolean
  readonly planned: { readonly points: number; readonly rule_points: number; readonly kills: number }
  /** Absent for a run that found nothing but was cut short: it shows less than it was asked for. */
  readonly failed?: boolean
}

const POINTS_PER_RACE = 20
const RULE_SHARE = 0.1 // of the points
const RULES_END_AT = 0.65
const CUTS_END_AT = 0.55 // of the time; the kills get the rest

/** Faults, racing starters, power cuts and real kills, one after the other; each ends at its first broken promise. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const { seed, points, note } = options
  const sql = await loadRoomSql(options.wasm)
  const started = options.elapsedMs()
  const spent = (share: number) => (): boolean =>
    options.stopped() || options.elapsedMs() - started > options.budgetMs * share

  note('a fault at every write, flush and rename')
  const faults = await failEveryCall({ sql, seed, stop: spent(1) })
  note('racing starters')
  const rounds = Math.ceil(points / POINTS_PER_RACE)
  const starters = await raceStarters({ seed, rounds, stop: spent(CUTS_END_AT / 2) })
  note(`${points} power cuts`)
  const powerCuts = await cutRoomPower({ sql, seed, points, stop: spent(CUTS_END_AT) })
  const rulePoints = Math.ceil(points * RULE_SHARE)
  note(`${rulePoints} power cuts between calls that follow the rules`)
  const rules = await cutPower({
    seed,
    points: rulePoints,
    stop: spent(RULES_END_AT),
    live: (chance) => liveByRules({ sql }, chance),
  })
  note(`${options.kills} kills`)
  const kills = await killWorkers({ ...options, stop: spent(1) })
  const failed = [faults, starters, powerCuts, rules, kills].some(({ failure }) => failure !== undefined)
  const complete =
    powerCuts.points >= points &&
    rules.points >= rulePoints &&
    kills.kills >= options.kills &&
    starters.rounds >= rounds
  return {
    seed,
    faults,
    starters,
    power_cuts: powerCuts,
    rules,
    kills,
    complete,
    planned: { points, rule_points: rulePoints, kills: options.kills },
    ...((failed || complete) && { failed }),
  }
}

/** The report for a person. */
export function tortureText(report: TortureReport): string {
  const { seed, faults, starters, power_cuts, rules, kills, failed, complete, planned } = report
  const lines = [
    `seed ${seed}`,
    `faults       ${faults.runs} calls failed, one a run`,
    `starters     ${starters.rounds} races, ${starters.ownerships} ownerships`,
    `power cuts   ${power_cuts.points} points, ${power_cuts.nested} more in the middle of a recovery`,
    `rules        ${rules.points} points between calls that follow the rules`,
    `kills        ${kills.kills} processes, ${kills.acknowledged} acknowledged mutations`,
  ]
  const failures = [faults, starters, power_cuts, rules, kills].flatMap(({ failure }) =>
    failure ? [failure] : [],
  )
  const found = failed ? 'BROKEN' : '0 acknowledged mutations lost, 0 torn states, 0 double owners'
  const share = `cut short: ${power_cuts.points} of ${planned.points} and ${rules.points} of ${planned.rule_points} points, ${kills.kills} of ${planned.kills} kills`
  const verdict = complete || failed ? found : `${found} so far, ${share}`
  return `${[...lines, verdict, ...failures.map((failure) => JSON.stringify(failure))].join('\n')}\n`
}
