import * as z from 'zod'
import { defineHostVerb } from '../../server/cli/host-verb.ts'
import { printRuns, runPluginSubjects, runSubjects, subjectOf } from '../subjects.ts'
import { GATE, OVER_EXIT } from './bench.ts'
import type { Figure } from './figure.ts'
import { peersBench } from './peers/command.ts'
import { retrievalBench } from './retrieval/command.ts'
import {
  callsBench,
  curvesBench,
  doorsBench,
  eventsBench,
  growthBench,
  handoffBench,
  httpBench,
  modulesBench,
  readersBench,
  roomBench,
  searchBench,
  startBench,
  usersBench,
} from './subjects.ts'

const HOST = [startBench, callsBench, httpBench, doorsBench]
const PLUGINS = [eventsBench, handoffBench, modulesBench, retrievalBench, roomBench, searchBench]
/** These take minutes, so they run when they are named. */
const ON_REQUEST = [curvesBench, growthBench, peersBench, readersBench, usersBench]

/** `satchel bench`: every measurement, those that further plugins bring included. */
const benchVerb = defineHostVerb({
  path: ['bench'],
  summary: 'measure this installation, as ratios of one run',
  description: [
    'Measures on this machine and prints every figure as a ratio to a floor or a peer of the same run. Subjects of the host:',
    `${HOST.map((verb) => `${subjectOf(verb)} (${verb.summary})`).join('; ')}. Without a subject the host's and all plugins'.`,
    `Subjects of plugins: ${PLUGINS.map(subjectOf).join(', ')}. Only when named: ${ON_REQUEST.map(subjectOf).join(', ')}.`,
    'With --gate it exits 3 when a figure is more than twice as weak as its goal.',
  ].join(' '),
  input: z.object({ gate: GATE }),
  examples: ['satchel bench start --json'],
  async run(world, { gate }) {
    const flags: Record<string, true> = gate ? { gate } : {}
    const host = await runSubjects(world, HOST, flags)
    const plugins = [
      ...(await runSubjects(world, PLUGINS, flags)),
      ...(await runPluginSubjects(world, 'bench', flags)),
    ]
    const figures = host.flatMap(
      ({ document }) => (document as { figures: Figure[] } | undefined)?.figures ?? [],
    ) // as `defineBench` prints it
    printRuns(world, plugins, { document: { figures }, text: host.map(({ text }) => text).join('\n') })
    return gate && [...host, ...plugins].some(({ exit }) => exit !== 0) ? OVER_EXIT : 0
  },
})

export const benchVerbs = [benchVerb, ...HOST, ...PLUGINS, ...ON_REQUEST]
