import { z } from 'zod'
import { type Command, defineBench, type Host } from '../../../server/plugin.ts'

/** `satchel bench search`: the goals of search design 9 inside one run. */
export function benchSearchCommand(host: Host): Command {
  return defineBench({
    subject: 'search',
    title: 'Measure what a search costs',
    description:
      'Measures a query over 10,000 vectors against a bare loop, a search of 1,000 records as a new process against a bare node, loading the vectors against parsing their file, and the searches of a server with 10,000 records.',
    input: z.object({}),
    async measure({ signal }, _input, terminal) {
      const { measureSearch } = await import('./search-figures.ts')
      return measureSearch({
        program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
        env: host.env,
        signal,
        note: (line) => terminal.note(line),
      })
    },
  })
}
