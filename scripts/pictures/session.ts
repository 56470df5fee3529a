import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { makeEmptyHome } from '../../test/empty-home.ts'
import { startOnTerminal } from '../../test/terminal.ts'

/** Width of the terminal of the session. */
export const COLUMNS = 100

/** One step of a session: what a person is told, what is typed, and what runs; `runs` is `typed` where it is absent. */
interface Step {
  readonly said?: string
  readonly typed?: string
  readonly runs?: string
}

/** A step with the lines that the terminal showed. */
export interface Recorded extends Step {
  readonly shown: readonly string[]
}

/** A shell command that runs a hook, with the event on its standard input. */
const hook = (name: string, event: object): string =>
  `printf '{"session_id":"first","cwd":"%s",${JSON.stringify(event).slice(1)}' "$PWD" | satchel handoff hook ${name} --harness claude-code`

const MODEL_READS = `node -p 'JSON.parse(require("fs").readFileSync(0)).hookSpecificOutput.additionalContext'`

/** What a client does at a compaction: it runs both hooks, and its model reads what the second one gives it. */
const COMPACTION = `${hook('pre-compact', { trigger: 'auto' })}; ${hook('session-start', { source: 'compact' })} | ${MODEL_READS}`

/** The session of the README: a compaction survived, and a wrong call of a module found. */
const STEPS: readonly Step[] = [
  {
    said: 'The agent notes what it learns.',
    typed: 'satchel handoff note failed "Round each price with toFixed: the cents drift"',
  },
  { typed: 'satchel handoff note next "Sum in cents, divide at the end" --why "cents are whole numbers"' },
  {
    said: 'Its context is full. The client compacts it and runs the hooks; the new context begins with:',
    runs: COMPACTION,
  },
  {
    said: 'Later it writes a module call from memory. Is it right?',
    typed: 'satchel modules check main.tf',
  },
]

const MODULE = `variable "cidr_block" {
  type        = string
  description = "Address range of the network."
}
`
const CALL = `module "network" {
  source    = "git::https://git.example/terraform-example-network?ref=v1.0.0"
  cidr_blok = "10.0.0.0/16"
}
`

const NEW_REPOSITORY = (name: string) =>
  `cd ${name} && git init -q -b main . && git add . && git commit -q -m "Begin"`

/** Plays the session with the built program in an empty home below `folder`. Errors: a system without util-linux's `script`. */
export async function recordSession(folder: string): Promise<readonly Recorded[]> {
  const env = await prepared(folder)
  const cwd = join(folder, 'shop')
  const recorded: Recorded[] = []
  for (const step of STEPS) {
    const text = await shownBy(step.runs ?? step.typed ?? '', { cwd, env })
    recorded.push({ ...step, shown: text.split('\n').map((line) => line.trimEnd()) })
  }
  return recorded
}

async function shownBy(
  command: string,
  place: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const terminal = startOnTerminal(['sh', '-c', `stty cols ${COLUMNS}; ${command}`], place)
  await terminal.ended
  return stripVTControlCharacters(terminal.shown()).replaceAll('\r', '').trimEnd()
}

/** An empty home, a repository in which to work, a module that was ingested, and a PATH with the built program. */
async function prepared(folder: string): Promise<Record<string, string>> {
  const { home, env: own } = makeEmptyHome(folder)
  const env = { ...own, NO_COLOR: '1', SATCHEL_SESSION: 'first' }
  const shop = join(folder, 'shop')
  mkdirSync(shop)
  const url = 'https://git.example/terraform-example-network'
  writeFileSync(
    join(home, '.gitconfig'),
    `[url "file://${folder}/terraform-example-network"]\n  insteadOf = ${url}\n`,
  )
  writeFileSync(join(shop, 'satchel.yaml'), `repositories:\n  - url: ${url}\n`)
  writeFileSync(join(shop, '.gitignore'), 'output\nrepos\n')
  writeFileSync(join(shop, 'main.tf'), CALL)
  writeFileSync(join(shop, 'cart.ts'), 'export const total = 0\n')
  mkdirSync(join(folder, 'terraform-example-network'))
  writeFileSync(join(folder, 'terraform-example-network/main.tf'), MODULE)
  const place = { cwd: folder, env }
  await shownBy(`${NEW_REPOSITORY('terraform-example-network')} && git tag v1.0.0`, place)
  await shownBy(`${NEW_REPOSITORY('shop')} && satchel ingest && mkdir .handoffs`, place)
  return env
}
