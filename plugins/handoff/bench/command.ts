import { z } from 'zod'
import { defineCommand, type Host } from '../../../server/plugin.ts'
import type { HandoffFigure } from './figures.ts'

const OVER_EXIT = 3

/** `satchel bench handoff`: what the design promises of handoffs, as ratios of one run. */
export function benchHandoffCommand(host: Host) {
  return defineCommand({
    cli: 'bench handoff',
    title: 'Measure handoffs',
    description:
      'Measures the validation of a 50 KB record against ajv, list and search over 10,000 records, and a hook among them. With --gate it exits 3 when a figure is more than twice as weak as its goal.',
    input: z.object({ gate: z.boolean().default(false).describe('exit 3 when a figure is over the gate') }),
    example: 'satchel bench handoff --json',
    async run(ctx, { gate }, terminal) {
      const { keeps, measureHandoffs } = await import('./figures.ts')
      const measure = () =>
        measureHandoffs({
          program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
          env: host.env,
          signal: ctx.signal,
          note: (line) => terminal.note(line),
        })
      let figures = await measure()
      // A loaded machine must not turn the gate red: once more.
      if (gate && figures.some((figure) => !keeps(figure, 'gate'))) figures = await measure()
      const lines = figures.map((figure) => lineOf(figure, keeps(figure, 'goal')))
      terminal.write(terminal.json ? `${JSON.stringify({ figures })}\n` : `${lines.join('\n')}\n`)
      return gate && figures.some((figure) => !keeps(figure, 'gate')) ? OVER_EXIT : 0
    },
  })
}

function lineOf(figure: HandoffFigure, isKept: boolean): string {
  const { name, what, unit, ours, against, against_what, ratio, goal, sense } = figure
  const sign = sense === 'at_least' ? '>=' : '<='
  const verdict = isKept ? 'ok' : 'over the goal'
  return `${name.padEnd(18)} ${ratio.toFixed(3)} ${sign} ${goal.toFixed(3)}  ${verdict}  ${what}: ${ours.toFixed(1)} ${unit} against ${against.toFixed(1)} (${against_what})`
}
