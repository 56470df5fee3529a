import * as z from 'zod'
import { assetPath } from '../../server/assets.ts'
import { directoryFlag } from '../directory-flag.ts'
import { defineBench } from './bench.ts'
import { CURVE_PARTS } from './curves/parts.ts'

/** `--dir` of what a disk decides. */
const DISK = directoryFlag('folder on the disk to measure')

export const startBench = defineBench({
  subject: 'start',
  title: 'start-up, first answers, memory and exit against a bare node',
  description:
    'Measures start-up, first answers, memory and exit of the built program, each against a bare node.',
  measure: async (context) => (await import('./host/start-up.ts')).measureStartUp(context),
})

export const callsBench = defineBench({
  subject: 'calls',
  title: 'what 100 extra tools add to one call',
  description: 'Measures one call of a host with 100 extra tools against the same call without them.',
  measure: async () => (await import('./host/tool-count.ts')).measureToolCount(),
})

export const httpBench = defineBench({
  subject: 'http',
  title: 'the capped body reader and the fan-out of streams, per CPU second',
  description:
    'Measures the capped body reader and the fan-out of streams, each against the naive code of the same run.',
  measure: async () => (await import('./host/http-figures.ts')).measureHttp(),
})

export const doorsBench = defineBench({
  subject: 'doors',
  title: 'server CPU of a tool over MCP against REST',
  description: 'Measures the CPU that the server takes for one tool over MCP against the same over REST.',
  measure: async () => (await import('./host/mcp-vs-rest.ts')).measureMcpAgainstRest(),
})

/** `satchel bench events`: how soon a room's events reach their readers, and what readers that stop cost the others. */
export const eventsBench = defineBench({
  subject: 'events',
  title: 'measure the events of a room',
  description:
    'Serves a room in a separate process and measures how soon each of 100 readers receives the event of a commit, then whether many readers get all of 8,000 events, in order and without slowing commits, while ten of them do not read. Works in a temporary folder and removes it.',
  flags: {
    readers: z.coerce.number().int().min(20).max(4000).default(1000).describe('readers, ten of whom stop'),
    rounds: z.coerce
      .number()
      .int()
      .min(1)
      .max(20)
      .default(2)
      .describe('pairs of rooms whose commits are compared, about 260 of each in a round'),
    dir: DISK,
  },
  async measure({ program, note }, { readers, rounds, dir }) {
    const { deliveryFigures } = await import('./events/delivery-figures.ts')
    const { stalledFigures } = await import('./events/stalled-figures.ts')
    const options = { program, directory: dir, note }
    note('commits, one at a time')
    return [...(await deliveryFigures(options)), ...(await stalledFigures({ ...options, readers, rounds }))]
  },
})

/** `satchel bench handoff`: what the design promises of handoffs, as ratios of one run. */
export const handoffBench = defineBench({
  subject: 'handoff',
  title: 'Measure handoffs',
  description:
    'Measures the validation of a 50 KB record against ajv, list and search over 10,000 records, and how commands and hooks grow from 100 records to 10,000 and --records. A hook that prints nothing fails.',
  flags: { records: z.number().min(100).default(10_000).describe('records of the largest store') },
  measure: async (context, { records }) =>
    (await import('./handoff/figures.ts')).measureHandoffs(context, Math.floor(records)),
})

/** `satchel bench modules`: the goals of modules design 8 as ratios of one run. */
export const modulesBench = defineBench({
  subject: 'modules',
  title: 'Measure the module ingest',
  description:
    'Measures the ingest of 20 tags against clone and checkout of each, a second run with nothing changed against the first, our reader against the reference parser, the peak memory of 500 modules at 3 refs, and a check of 200 calls. With --tags: what the verdicts of module_diff are worth on all consecutive tags of real repositories. With --calls: what the findings of module_check are worth on the calls in their examples, as written and with seeded mistakes; with --terraform also whether it says the same. With --answers: what answers of get_module about real modules cost a model.',
  flags: {
    remote: z.string().optional().describe('Repository with at least 20 tags; absent: a made-up one.'),
    tags: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: judge their consecutive tags instead'),
    calls: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: check the calls in their examples instead'),
    answers: z
      .array(z.string())
      .default([])
      .describe('bare repositories, or folders of them: size the answers about their modules instead'),
    terraform: z.string().optional().describe('with --calls: the command of Terraform or OpenTofu'),
  },
  async measure(context, { remote, tags, calls, answers, terraform }) {
    if (tags.length > 0) return (await import('./modules/tags/figures.ts')).measureTags(context, tags)
    if (calls.length > 0)
      return (await import('./modules/calls/figures.ts')).measureCalls(context, calls, terraform)
    if (answers.length > 0)
      return (await import('./modules/answer-sizes.ts')).measureAnswers(context, answers)
    return (await import('./modules/figures.ts')).measureModules({ ...context, remote })
  },
})

/** `satchel bench room`: what a durable change costs here, against the least it could cost. */
export const roomBench = defineBench({
  subject: 'room',
  title: 'measure the room’s engine on this disk',
  description:
    'Measures durable mutations one at a time and in groups, document commits and recoveries, each against a floor of the same run, interleaved, best of five. Works in a temporary folder and removes it.',
  flags: { dir: DISK },
  async measure({ note }, { dir }) {
    const { roomFigures } = await import('./room/room-figures.ts')
    return roomFigures({ directory: dir, wasm: assetPath('sql-wasm.wasm'), note })
  },
})

/** `satchel bench readers`: what readers of a document that is expensive to show cost the other calls. */
export const readersBench = defineBench({
  subject: 'readers',
  title: 'measure what readers of a room cost its other calls',
  description:
    'Measures how much longer calls of a room wait while ten readers ask for documents that are expensive to show. Works in a temporary folder and removes it.',
  flags: { dir: DISK },
  async measure({ program, note }, { dir }) {
    const { readerFigures } = await import('./room/reader-figures.ts')
    return readerFigures({ program, directory: dir, note })
  },
})

/** `satchel bench search`: the goals of search design 9 inside one run. */
export const searchBench = defineBench({
  subject: 'search',
  title: 'Measure what a search costs',
  description:
    'Measures a query over 10,000 vectors against a bare loop, a search of 1,000 records as a new process against a bare Node, loading the vectors against parsing their file, and the searches of a server with 10,000 records.',
  measure: async (context) => (await import('./search/figures.ts')).measureSearch(context),
})

/** `satchel bench curves`: how costs grow, as exponents. */
export const curvesBench = defineBench({
  subject: 'curves',
  title: 'Measure how costs grow, as exponents',
  description:
    'Measures one cost at rising sizes and prints the exponent of each: 0 does not grow, 1 grows as the size does. Records from 100 to 100,000, modules from 300 to 20,000 at three refs, documents from 1 KB to 1 MB, events from 1,000 to 1,000,000, readers from 1 to 5,000 and plugins from 3 to 50; --largest ends each curve earlier.',
  flags: {
    part: z.array(z.enum(CURVE_PARTS)).default([]).describe('what grows; absent: everything'),
    largest: z.coerce
      .number()
      .int()
      .min(1)
      .default(2 ** 20)
      .describe('leaves out larger sizes, but for the first two of each curve'),
  },
  measure: async (context, flags) => (await import('./curves/curves.ts')).measureCurves(context, flags),
})

/** `satchel bench growth`: what the search costs as the number of modules grows. */
export const growthBench = defineBench({
  subject: 'growth',
  title: 'Measure the search as modules grow',
  description:
    'Makes a project of a number of modules at three refs each, every one with words of its own, and measures the build of its search index, the update after one repository changed, its size, a search and a list as new processes, the first answer of a server, its later answers and its memory, with plain ways to search the same modules beside them.',
  flags: {
    modules: z.coerce.number().int().min(1).max(100_000).default(313).describe('modules to measure'),
    output_dir: z
      .string()
      .optional()
      .describe('ingested summaries to make them from; absent: those of satchel'),
  },
  measure: async (context, flags) => (await import('./growth/figures.ts')).measureGrowth(context, flags),
})

/** `satchel bench users`: what many concurrent users wait for, and what they cost one server. */
export const usersBench = defineBench({
  subject: 'users',
  title: 'measure one server under many users',
  description:
    'Serves a project with modules and handoffs in a separate process to simulated users, each of whom sends one request a second at moments fixed in advance: nine reads to one write, half of them over REST and half over MCP, every tenth with a stream open. A request is timed from the moment at which it was due. A bare server answers beside it. Works in a temporary folder and removes it.',
  flags: {
    users: z.coerce.number().int().min(1).max(2000).default(300).describe('concurrent users'),
    seconds: z.coerce.number().int().min(1).max(86_400).default(600).describe('how long they go on'),
  },
  measure: async (context, flags) => (await import('./users/figures.ts')).measureUsers(context, flags),
})
