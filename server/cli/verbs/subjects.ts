import type { Terminal } from '../../contract/advanced/command.ts'
import type { RunningHost } from '../../host.ts'
import { leavesOf, runLeaf, shapeOf } from '../plugin-verbs.ts'
import { parseVerb } from '../verb-parser.ts'
import type { World } from '../world.ts'

/** What one plugin's subject printed. */
export interface SubjectRun {
  readonly subject: string
  readonly exit: number
  /** What it wrote for a person; empty with `--json`. */
  readonly text: string
  /** What it wrote with `--json`. */
  readonly document?: unknown
}

/**
 * Runs every plugin command named `<verb> <subject>` in turn, with its own defaults and those of `flags` that it knows.
 * One that cannot run without arguments is noted and left out.
 */
export async function pluginSubjects(
  world: World,
  verb: 'bench' | 'torture',
  flags: readonly string[],
): Promise<readonly SubjectRun[]> {
  const { doors, line, terminal } = world
  const host = await doors.openHost({ kind: 'all' }, await doors.loadConfig(line), line)
  try {
    const runs: SubjectRun[] = []
    for (const leaf of leavesOf(host.registry)) {
      if (leaf.kind !== 'command' || leaf.path[0] !== verb) continue
      const subject = leaf.path.slice(1).join(' ')
      const known = flags.filter((flag) => Object.hasOwn(leaf.command.input.shape, flag.slice(2)))
      if (!leaf.command.input.safeParse({}).success) {
        terminal.note(`${verb} ${subject}: left out, it needs arguments (satchel ${verb} ${subject} --help)`)
        continue
      }
      world.signal.throwIfAborted()
      terminal.note(`${verb} ${subject}`)
      runs.push({ subject, ...(await runCaptured(world, host, leaf, known)) })
    }
    return runs
  } finally {
    await host.stop()
  }
}

async function runCaptured(
  world: World,
  host: RunningHost,
  leaf: Parameters<typeof runLeaf>[0],
  args: readonly string[],
): Promise<Omit<SubjectRun, 'subject'>> {
  let written = ''
  const terminal = withWrite(world.terminal, (text) => {
    written += text
  })
  const parsed = parseVerb(shapeOf(leaf), args, terminal.columns)
  if (parsed.kind === 'help') return { exit: 0, text: parsed.text }
  const exit = await runLeaf(leaf, parsed.typed, host, { ...world, terminal })
  return terminal.json ? { exit, text: '', document: JSON.parse(written) } : { exit, text: written }
}

function withWrite(terminal: World['terminal'], write: Terminal['write']): World['terminal'] {
  return { ...terminal, write }
}
