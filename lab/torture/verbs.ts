import * as z from 'zod'
import { defineHostVerb } from '../../server/cli/host-verb.ts'
import { printRuns, runPluginSubjects, runSubjects, subjectOf } from '../subjects.ts'
import { churnVerb } from './churn/command.ts'
import { handoffsVerb } from './handoffs/command.ts'
import { ingestVerb } from './ingest/command.ts'
import { roomVerb } from './room/command.ts'

const SUBJECTS = [churnVerb, handoffsVerb, ingestVerb, roomVerb]

/** `satchel torture`: every crash test, on this machine's own disk. */
const tortureVerb = defineHostVerb({
  path: ['torture'],
  summary: 'run the crash tests of the plugins on this disk',
  description: `Runs every crash test, also those that further plugins bring, each with its defaults, in temporary folders. One alone, with its own options: satchel torture <subject>. Subjects: ${SUBJECTS.map(subjectOf).join(', ')}.`,
  input: z.object({}),
  examples: ['satchel torture'],
  async run(world) {
    const runs = [
      ...(await runSubjects(world, SUBJECTS, {})),
      ...(await runPluginSubjects(world, 'torture', {})),
    ]
    printRuns(world, runs, undefined)
    return runs.find(({ exit }) => exit !== 0)?.exit ?? 0
  },
})

export const tortureVerbs = [tortureVerb, ...SUBJECTS]
