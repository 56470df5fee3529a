import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { SAMPLE_CONFIG } from '../plugins/modules/init.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { openOnTerminal } from './terminal.ts'

export const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
/** Serves until it is stopped; other tests call it. */
const SERVES = 'satchel serve'
/** Of a failure without a sign. */
const LAST_LINES = 4
const ASKS = /\[y\/N\] $/

export interface Played {
  readonly command: string
  readonly stumbles: readonly string[]
  readonly isAsked: boolean
}

/** Where a newcomer types: with Claude Code installed, in a folder for each kind of command. */
export interface Desk {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  folderOf(command: string): string
}

/** What a newcomer who has only README types, from top to bottom: lines of its blocks, and commands in its text. */
export function commandsOf(page: string): readonly string[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)
  const lines = [...blocks].flatMap(({ index, 1: text = '' }) =>
    text
      .trim()
      .split('\n')
      .map((command) => ({ command, index })),
  )
  const spans = [...page.matchAll(/`(satchel [^`\n]+)`/g)].map(({ index, 1: command = '' }) => ({
    command,
    index,
  }))
  const typed = [...lines, ...spans].sort((a, b) => a.index - b.index).map(({ command }) => command)
  return [...new Set(typed)].filter((command) => !command.startsWith(SERVES))
}

/** Types the commands on a terminal, one after the other, and answers yes where one asks. */
export async function playOn(
  t: TestContext,
  { home, env, folderOf }: Desk,
  commands: readonly string[],
): Promise<readonly Played[]> {
  mkdirSync(join(home, '.claude'))
  await answerFor(home)
  const played: Played[] = []
  for (const command of commands) {
    const typed = ['sh', '-c', `stty cols 80; ${command}`]
    const terminal = openOnTerminal(t, typed, { cwd: folderOf(command), env })
    const isAsked = await terminal.shows(ASKS).then(
      () => true,
      () => false, // it ended without a question
    )
    if (isAsked) terminal.child.stdin?.write('y\n')
    const code = await terminal.ended
    const screen = stripVTControlCharacters(terminal.shown()).replaceAll('\r', '')
    played.push({ command, stumbles: stumblesIn(screen, code), isAsked })
  }
  return played
}

/** Signs on the screen that something did not go as README lets one expect. */
function stumblesIn(screen: string, code: number): readonly string[] {
  const lines = screen.split('\n')
  const signs = lines.filter((line) =>
    /^satchel: |^npm err|Internal error|not connected|^ +at .*:\d+:\d+\)?$|\d failures?$/i.test(line),
  )
  return code === 0 ? signs : [`exit ${code}`, ...(signs.length > 0 ? signs : lines.slice(-LAST_LINES))]
}

/** Lets git find the repository of the sample configuration on this disk instead of the network. */
async function answerFor(home: string): Promise<void> {
  const [, url = ''] = /^ {2}- url: (\S+)$/m.exec(SAMPLE_CONFIG) ?? []
  const files = { 'main.tf': 'variable "cidr" {}\n', 'README.md': '# Network\n\nA private network.\n' }
  const remote = await buildRemote(join(home, 'remote.git'), [{ files, tags: ['v1.0.0'] }])
  writeFileSync(join(home, '.gitconfig'), `[url "${remote}"]\n  insteadOf = ${url}\n`)
}
