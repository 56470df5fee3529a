import { z } from 'zod'
import { type Command, type CommandContext, defineCommand, type Terminal } from './command.ts'
import { type Figure, figureTable, keeps } from './figure.ts'

const OVER_EXIT = 3 // surface, section 3: a check found something
const GATE_HELP = ' With --gate it exits 3 when a figure is, twice, more than twice as weak as its goal.'

const GATE = z.boolean().default(false).describe('exit 3 when a figure is over the gate')

/** A subject of `satchel bench`: what a plugin promises, measured against a floor or a peer of the same run. */
export interface Bench<I extends z.ZodObject> {
  /** The word after `bench`. */
  readonly subject: string
  readonly title: string
  /** What is measured, and what it works on; how the gate judges is added. */
  readonly description: string
  /** Flags beside `--gate` and `--json`; each has a default, or the plain `satchel bench` leaves the subject out. */
  readonly input: I
  /** Every figure. Leaves nothing behind; ends soon after `ctx.signal` aborts. */
  measure(ctx: CommandContext, input: z.output<I>, terminal: Terminal): Promise<readonly Figure[]>
}

/** The command `satchel bench <subject>`: prints the figures, and judges them with `--gate`. */
export function defineBench<I extends z.ZodObject>(bench: Bench<I>): Command {
  return defineCommand({
    cli: `bench ${bench.subject}`,
    title: bench.title,
    description: bench.description + GATE_HELP,
    input: z.object({ ...bench.input.shape, gate: GATE }),
    example: `satchel bench ${bench.subject} --json`,
    async run(ctx, { gate, ...rest }, terminal) {
      const measure = () => bench.measure(ctx, bench.input.parse(rest), terminal)
      let figures = await measure()
      // A loaded machine must not turn the gate red: once more.
      if (gate && !figures.every(isWithinGate)) figures = await measure()
      terminal.write(terminal.json ? `${JSON.stringify({ figures })}\n` : `${figureTable(figures)}\n`)
      return gate && !figures.every(isWithinGate) ? OVER_EXIT : 0
    },
  })
}

function isWithinGate(figure: Figure): boolean {
  return keeps(figure, 'gate')
}
