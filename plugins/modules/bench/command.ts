import { z } from 'zod'
import { type Command, defineBench, type Host } from '../../../server/plugin.ts'

/** `satchel bench modules`: the goals of modules design 8 as ratios of one run. */
export function benchModulesCommand(host: Host): Command {
  return defineBench({
    subject: 'modules',
    title: 'Measure the module ingest',
    description:
      'Measures the ingest of 20 tags against clone and checkout of each, a second run with nothing changed against the first, our reader against the reference parser, and the peak memory of 500 modules at 3 refs.',
    input: z.object({
      remote: z.string().optional().describe('Repository with at least 20 tags; absent: a made-up one.'),
    }),
    async measure({ signal, log }, { remote }, terminal) {
      const { measureModules } = await import('./figures.ts')
      return measureModules({
        remote,
        program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
        env: host.env,
        signal,
        now: () => host.now(),
        log,
        note: (line) => terminal.note(line),
      })
    },
  })
}
