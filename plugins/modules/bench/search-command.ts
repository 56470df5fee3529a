import { z } from 'zod'
import { defineCommand, type Host } from '../../../server/plugin.ts'
import type { SearchFigure } from './search-figures.ts'

const OVER_EXIT = 3

/** `satchel bench search`: the goals of search design 9 inside one run. */
export function benchSearchCommand(host: Host) {
  return defineCommand({
    cli: 'bench search',
    title: 'Measure what a search costs',
    description:
      'Measures a query over 10,000 vectors against a bare loop, a search of 1,000 records as a new process against a bare node, and loading the vectors against parsing their file. With --gate it exits 3 when a figure is more than twice as weak as its goal, twice.',
    input: z.object({
      gate: z
        .boolean()
        .default(false)
        .describe('Exit 3 when a figure is more than twice as weak as its goal.'),
    }),
    example: 'satchel bench search --json',
    async run(ctx, { gate }, terminal) {
      const { keepsGate, keepsGoal, measureSearch } = await import('./search-figures.ts')
      const program = [process.execPath, ...process.execArgv, process.argv[1] ?? '']
      const measure = () =>
        measureSearch({ program, env: host.env, signal: ctx.signal, note: (line) => terminal.note(line) })
      let figures = await measure()
      // A loaded machine must not turn the gate red: once more.
      if (gate && !figures.every(keepsGate)) figures = await measure()
      const lines = figures.map((figure) => lineOf(figure, keepsGoal(figure)))
      terminal.write(terminal.json ? `${JSON.stringify({ figures })}\n` : `${lines.join('\n')}\n`)
      return gate && !figures.every(keepsGate) ? OVER_EXIT : 0
    },
  })
}

function lineOf({ name, what, ours, against, goal }: SearchFigure, isKept: boolean): string {
  const limit = 'times' in goal ? `${goal.times} x` : `+ ${goal.plusMs} ms`
  const verdict = isKept ? 'ok' : 'over the goal'
  return `${name.padEnd(12)} ${ours.toFixed(1)} ms against ${against.toFixed(1)} ms (goal ${limit})  ${verdict}  ${what}`
}
