import { z } from 'zod'
import { SatchelError } from '../../contract/errors.ts'
import { defineHostVerb } from '../host-verb.ts'
import { namesUnder } from '../plugin-subjects.ts'
import { printDocument, printText } from '../render.ts'
import { pluginSubjects } from './subjects.ts'

/** `satchel torture`: the crash tests of every plugin, on this machine's own disk. */
export const tortureVerb = defineHostVerb({
  path: ['torture'],
  summary: 'run the crash tests of the plugins on this disk',
  description: `Runs every crash test that a plugin brings, each with its defaults, in temporary folders. One alone, with its own options: satchel torture <subject>. Subjects: ${namesUnder('torture')}.`,
  input: z.object({}),
  typing: {},
  examples: ['satchel torture'],
  async run(world) {
    const runs = await pluginSubjects(world, 'torture', [])
    if (runs.length === 0) {
      throw new SatchelError('not_found', 'no_subject', 'No plugin brings a crash test.')
    }
    const { terminal } = world
    if (terminal.json) {
      printDocument(terminal, Object.fromEntries(runs.map(({ subject, document }) => [subject, document])))
    } else {
      printText(terminal, runs.map(({ subject, text }) => `${subject}:\n${text.trimEnd()}`).join('\n\n'))
    }
    return runs.find(({ exit }) => exit !== 0)?.exit ?? 0
  },
})
