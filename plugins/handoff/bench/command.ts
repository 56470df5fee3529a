import { z } from 'zod'
import { type Command, defineBench, type Host } from '../../../server/plugin.ts'

/** `satchel bench handoff`: what the design promises of handoffs, as ratios of one run. */
export function benchHandoffCommand(host: Host): Command {
  return defineBench({
    subject: 'handoff',
    title: 'Measure handoffs',
    description:
      'Measures the validation of a 50 KB record against ajv, list and search over 10,000 records, and a hook among them.',
    input: z.object({}),
    async measure({ signal }, _input, terminal) {
      const { measureHandoffs } = await import('./figures.ts')
      return measureHandoffs({
        program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
        env: host.env,
        signal,
        note: (line) => terminal.note(line),
      })
    },
  })
}
