import { z } from 'zod'
import { BENCH_SUBJECTS } from '../../bench/subjects.ts'
import { type Figure, figureTable, keeps } from '../../contract/advanced/figure.ts'
import { defineHostVerb } from '../host-verb.ts'
import { namesUnder } from '../plugin-subjects.ts'
import { printDocument, printText } from '../render.ts'
import type { World } from '../world.ts'
import { pluginSubjects, type SubjectRun } from './subjects.ts'

const OVER_EXIT = 3

/** `satchel bench`: every measurement, or one subject of the host; a plugin's subject is a command of its own. */
export const benchVerb = defineHostVerb({
  path: ['bench'],
  summary: 'measure this installation, as ratios of one run',
  description: [
    'Measures on this machine and prints every figure as a ratio to a floor or a peer of the same run. Subjects of the host:',
    `${BENCH_SUBJECTS.map(({ name, summary }) => `${name} (${summary})`).join('; ')}. Without a subject the host's and all plugins'.`,
    `Subjects of plugins: ${namesUnder('bench')}.`,
    'With --gate it exits 3 when a figure is more than twice as weak as its goal.',
  ].join(' '),
  input: z.object({
    subject: z.string().optional().describe('what to measure; absent: everything'),
    gate: z.boolean().default(false).describe('exit 3 when a figure is over the gate'),
  }),
  typing: { positional: ['[subject]'] },
  examples: ['satchel bench start --json'],
  async run(world, { subject, gate }) {
    const figures = await measureHost(world, subject)
    const plugins = subject === undefined ? await pluginSubjects(world, 'bench', gate ? ['--gate'] : []) : []
    const weak = figures.filter((figure) => !keeps(figure, 'gate'))
    show(world, figures, plugins)
    const isOver = weak.length > 0 || plugins.some(({ exit }) => exit !== 0)
    return gate && isOver ? OVER_EXIT : 0
  },
})

/** A figure over the gate is measured once more: a loaded machine must not turn it red. */
async function measureHost(
  { terminal, signal }: World,
  subject: string | undefined,
): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const one of BENCH_SUBJECTS) {
    if (subject !== undefined && one.name !== subject) continue
    signal.throwIfAborted()
    terminal.note(`measuring ${one.name}`)
    const first = await one.measure()
    const isFine = first.every((figure) => keeps(figure, 'gate'))
    figures.push(...(isFine ? first : better(first, await one.measure())))
  }
  return figures
}

function better(first: readonly Figure[], second: readonly Figure[]): readonly Figure[] {
  return first.map((figure, index) => {
    const again = second[index]
    if (again === undefined) return figure
    const isBetter = figure.sense === 'at_most' ? again.ratio < figure.ratio : again.ratio > figure.ratio
    return isBetter ? again : figure
  })
}

function show({ terminal }: World, figures: readonly Figure[], plugins: readonly SubjectRun[]): void {
  if (terminal.json) {
    const subjects = Object.fromEntries(plugins.map(({ subject, document }) => [subject, document]))
    printDocument(terminal, { figures, subjects })
    return
  }
  const texts = plugins.map(({ subject, text }) => `\n${subject}:\n${text.trimEnd()}`)
  printText(terminal, [figureTable(figures), ...texts].join('\n'))
}
