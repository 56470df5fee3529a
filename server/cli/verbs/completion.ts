import { z } from 'zod'
import { completionScript, type VerbWords } from '../completion.ts'
import { flagsOf } from '../flags.ts'
import { settingFlagsOf } from '../global-flags.ts'
import { defineHostVerb } from '../host-verb.ts'
import { leavesOf, shapeOf } from '../plugin-verbs.ts'
import { printText } from '../render.ts'
import type { VerbShape } from '../verb-parser.ts'

const GLOBALS: readonly string[] = ['--json', '--quiet', '--config', '--project', '--help']

/** `satchel completion SHELL`: a script with every verb and flag of the configured plugins. */
export const completionVerb = defineHostVerb({
  path: ['completion'],
  summary: 'print a completion script for a shell',
  description:
    'Prints a script that completes verbs, flags and fixed values of the plugins configured now. Load it in the start-up file of the shell.',
  input: z.object({ shell: z.enum(['bash', 'zsh', 'fish']).describe('the shell: bash, zsh or fish') }),
  typing: { positional: ['shell'] },
  examples: ['source <(satchel completion bash)'],
  async run(world, { shell }) {
    const { doors, line, terminal } = world
    const host = await doors.setUpHost({ kind: 'all' }, await doors.loadConfig(line), line)
    try {
      const shapes = [...(await world.hostVerbs()), ...leavesOf(host.registry).map(shapeOf)]
      printText(terminal, completionScript(shell, shapes.map(wordsOf)))
      return 0
    } finally {
      await host.stop()
    }
  },
})

function wordsOf(shape: VerbShape): VerbWords {
  const { flags, positionals } = flagsOf(shape.input, shape.typing)
  const own = [shape.takesInput ? '--input' : [], shape.takesOutput ? '--output' : []].flat()
  return {
    path: shape.path,
    summary: shape.summary,
    flags: [
      ...flags.map(({ long }) => `--${long}`),
      ...own,
      ...settingFlagsOf(shape.path[0]).map(({ flag }) => flag),
      ...GLOBALS,
    ],
    choices: Object.fromEntries(
      flags.flatMap((flag) => (flag.choices ? [[`--${flag.long}`, flag.choices]] : [])),
    ),
    values: positionals[0]?.flag?.choices ?? positionals[0]?.flag?.examples ?? [],
  }
}
