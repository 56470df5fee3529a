import { z } from 'zod'
import { defineCommand, type Host } from '../../../server/plugin.ts'
import type { ModuleFigure } from './figures.ts'

const OVER_EXIT = 3

/** `satchel bench modules`: the goals of modules design 8 as ratios of one run. */
export function benchModulesCommand(host: Host) {
  return defineCommand({
    cli: 'bench modules',
    title: 'Measure the module ingest',
    description:
      'Measures the ingest of 20 tags against clone and checkout of each, a second run with nothing changed against the first, our reader against the reference parser, and the peak memory of 500 modules at 3 refs. With --gate it exits 3 when a figure is more than twice as weak as its goal.',
    input: z.object({
      remote: z.string().optional().describe('Repository with at least 20 tags; absent: a made-up one.'),
      gate: z.boolean().default(false).describe('Exit 3 when a figure is over the gate.'),
    }),
    example: 'satchel bench modules --json',
    async run(ctx, { remote, gate }, terminal) {
      const { keeps, measureModules } = await import('./figures.ts')
      const measure = () =>
        measureModules({
          remote,
          program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
          env: host.env,
          signal: ctx.signal,
          now: () => host.now(),
          log: ctx.log,
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

function lineOf(figure: ModuleFigure, isKept: boolean): string {
  const { name, what, unit, ours, against, ratio, goal, sense } = figure
  const sign = sense === 'at_least' ? '>=' : '<='
  const verdict = isKept ? 'ok' : 'over the goal'
  return `${name.padEnd(18)} ${ratio.toFixed(3)} ${sign} ${goal.toFixed(3)}  ${verdict}  ${what}: ${ours.toFixed(1)} ${unit} against ${against.toFixed(1)}`
}
