import { leavesOf, runLeaf, shapeOf } from '../server/cli/plugin-verbs.ts'
import { printDocument, printText } from '../server/cli/render.ts'
import { parseVerb } from '../server/cli/verb-parser.ts'
import type { HostVerb, World } from '../server/cli/world.ts'

/** What one subject printed. */
export interface SubjectRun {
  readonly subject: string
  readonly exit: number
  /** What it wrote for a person; empty with `--json`. */
  readonly text: string
  /** What it wrote with `--json`. */
  readonly document?: unknown
}

/** The words after the lab's own verb: `room` of `torture room`. */
export function subjectOf({ path }: { readonly path: readonly string[] }): string {
  return path.slice(1).join(' ')
}

/** Runs verbs of the lab in turn with their defaults and those of `flags` that they know. */
export async function runSubjects(
  world: World,
  verbs: readonly HostVerb[],
  flags: Readonly<Record<string, true>>,
): Promise<readonly SubjectRun[]> {
  const runs: SubjectRun[] = []
  for (const verb of verbs) {
    const known = Object.entries(flags).filter(([flag]) => Object.hasOwn(verb.input.shape, flag))
    const input = verb.input.parse(Object.fromEntries(known))
    runs.push(await runCaptured(world, verb.path, (captured) => verb.run(captured, input)))
  }
  return runs
}

/**
 * Runs every plugin command named `<verb> <subject>` in turn, with its own defaults and those of `flags` that it knows.
 * One that cannot run without arguments is noted and left out.
 */
export async function runPluginSubjects(
  world: World,
  verb: string,
  flags: Readonly<Record<string, true>>,
): Promise<readonly SubjectRun[]> {
  const { doors, line, terminal } = world
  const host = await doors.openHost({ kind: 'all' }, await doors.loadConfig(line), line)
  try {
    const runs: SubjectRun[] = []
    for (const leaf of leavesOf(host.registry)) {
      if (leaf.kind !== 'command' || leaf.path[0] !== verb) continue
      const { input } = leaf.command
      const name = leaf.path.join(' ')
      if (!input.safeParse({}).success) {
        terminal.note(`${name}: left out, it needs arguments (satchel ${name} --help)`)
        continue
      }
      const known = Object.keys(flags).filter((flag) => Object.hasOwn(input.shape, flag))
      const parsed = parseVerb(
        shapeOf(leaf),
        known.map((flag) => `--${flag}`),
        terminal.columns,
      )
      if (parsed.kind === 'help') continue // no flag of ours asks for help
      runs.push(
        await runCaptured(world, leaf.path, (captured) => runLeaf(leaf, parsed.typed, host, captured)),
      )
    }
    return runs
  } finally {
    await host.stop()
  }
}

async function runCaptured(
  world: World,
  path: readonly string[],
  run: (world: World) => Promise<number>,
): Promise<SubjectRun> {
  const { terminal, signal } = world
  signal.throwIfAborted()
  terminal.note(path.join(' '))
  let written = ''
  const write = (text: string): void => {
    written += text
  }
  const exit = await run({ ...world, terminal: { ...terminal, write } })
  const subject = subjectOf({ path })
  return terminal.json
    ? { subject, exit, text: '', document: JSON.parse(written) }
    : { subject, exit, text: written.trimEnd() }
}

/** Prints the runs: one document by subject, or `first` and the text of each below its name. */
export function printRuns(
  { terminal }: World,
  runs: readonly SubjectRun[],
  first: { readonly document: object; readonly text: string } | undefined,
): void {
  const documents = Object.fromEntries(runs.map(({ subject, document }) => [subject, document]))
  if (terminal.json) {
    printDocument(terminal, first ? { ...first.document, subjects: documents } : documents)
  } else {
    const texts = runs.map(({ subject, text }) => `${subject}:\n${text}`)
    printText(terminal, [...(first ? [first.text] : []), ...texts].join('\n\n'))
  }
}
