import * as z from 'zod'
import { completionScript, type VerbWords } from '../completion.ts'
import { existingInHost, existingValues } from '../existing-values.ts'
import { flagsOf } from '../flags.ts'
import { settingFlagsOf } from '../global-flags.ts'
import { defineHostVerb } from '../host-verb.ts'
import { leavesOf, localContext, shapeOf } from '../plugin-verbs.ts'
import { printText } from '../render.ts'
import type { VerbShape } from '../verb-parser.ts'
import type { World } from '../world.ts'

const GLOBALS: readonly string[] = ['--json', '--quiet', '--config', '--project', '--storage', '--help']

/** `satchel completion SHELL`: a script with every verb and flag of the configured plugins. */
export const completionVerb = defineHostVerb({
  path: ['completion'],
  summary: 'print a completion script for a shell',
  description:
    'Prints a script that completes verbs, flags and fixed values of the plugins configured now, and ids and names that exist. Load it in the start-up file of the shell. With `values` it prints what exists for the last of the words, which is how the script asks.',
  input: z.object({
    shell: z.enum(['bash', 'zsh', 'fish', 'values']).describe('the shell'),
    words: z.array(z.string()).optional().describe('the command line so far, after `values`'),
  }),
  typing: { positional: ['shell', '[words...]'] },
  examples: ['source <(satchel completion bash)'],
  async run(world, { shell, words = [] }) {
    const { doors, line, terminal } = world
    if (shell === 'values') return printExisting(world, words)
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

/** Prints nothing where it fails: an error on the line that is being typed would help no one. */
async function printExisting(world: World, words: readonly string[]): Promise<number> {
  const values = await existingOf(world, words).catch(() => [])
  if (values.length > 0) printText(world.terminal, values.join('\n'))
  return 0
}

async function existingOf(world: World, words: readonly string[]): Promise<readonly string[]> {
  const { doors, io, line } = world
  const ofHost = await existingValues(await world.hostVerbs(), words, {
    cwd: io.cwd,
    offered: async () => [],
  })
  if (ofHost) return ofHost
  const host = await doors.openHost({ kind: 'verb', words }, await doors.loadConfig(line), line)
  try {
    return await existingInHost(host, words, { cwd: io.cwd, ctx: localContext(host, world) })
  } finally {
    await host.stop()
  }
}

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
    hasExisting: Object.keys(shape.typing.completes ?? {}).length > 0,
    values: positionals[0]?.flag?.choices ?? positionals[0]?.flag?.examples ?? [],
  }
}
