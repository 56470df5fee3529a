import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { SAMPLE_CONFIG } from '../plugins/modules/init.ts'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { makeEmptyHome } from './empty-home.ts'
import { temporaryFolder } from './harness/index.ts'
import { lendsTerminals, openOnTerminal } from './terminal.ts'

const README = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
/** Serves until it is stopped; other tests call it. */
const SERVES = 'satchel serve'
const ASKS = /\[y\/N\] $/

interface Played {
  readonly command: string
  readonly stumbles: readonly string[]
  readonly isAsked: boolean
}

/** What a newcomer who has only README types after the install, from top to bottom: lines of its blocks, and commands in its text. */
function commandsOf(page: string): readonly string[] {
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
  return [...new Set(typed)].filter(
    (command) => command.startsWith('satchel ') && !command.startsWith(SERVES),
  )
}

/** Signs on the screen that something did not go as README lets one expect. */
function stumblesIn(screen: string, code: number): readonly string[] {
  const lines = screen
    .split('\n')
    .filter((line) => /^satchel: |Internal error|not connected|^ +at .*:\d+:\d+\)?$|\d failures?$/.test(line))
  return [...(code === 0 ? [] : [`exit ${code}`]), ...lines]
}

/** Types the commands on a terminal, one after the other, and answers yes where one asks. */
async function playOn(t: TestContext, commands: readonly string[]): Promise<readonly Played[]> {
  const folder = await temporaryFolder(t)
  const { home, env } = makeEmptyHome(folder)
  const cwd = join(folder, 'project')
  mkdirSync(cwd)
  mkdirSync(join(home, '.claude'))
  await answerFor(folder, home)
  const played: Played[] = []
  for (const command of commands) {
    const terminal = openOnTerminal(t, ['sh', '-c', `stty cols 80; ${command}`], { cwd, env })
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

/** Lets git find the repository of the sample configuration on this disk instead of the network. */
async function answerFor(folder: string, home: string): Promise<void> {
  const [, url = ''] = /^ {2}- url: (\S+)$/m.exec(SAMPLE_CONFIG) ?? []
  const files = { 'main.tf': 'variable "cidr" {}\n', 'README.md': '# Network\n\nA private network.\n' }
  const remote = await buildRemote(join(folder, 'remote.git'), [{ files, tags: ['v1.0.0'] }])
  writeFileSync(join(home, '.gitconfig'), `[url "${remote}"]\n  insteadOf = ${url}\n`)
}

test('a newcomer with README, an empty home and Claude Code stumbles over nothing', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system lends no terminal (script of util-linux)')
  const commands = commandsOf(README)

  const played = await playOn(t, commands)

  assert.deepEqual(
    played.filter(({ stumbles }) => stumbles.length > 0),
    [],
  )
  assert.ok(commands.length >= 6, commands.join('\n'))
  assert.equal(played.filter(({ isAsked }) => isAsked).length, 1, 'only the setup asks')
  t.diagnostic(`${commands.length} commands, 1 question, 0 stumbles`)
})

test('stumbles are counted: a verb that does not exist, and a search before an ingest', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system lends no terminal (script of util-linux)')
  const page = '```sh\nsatchel serach x\n```\nThen `satchel init`, and `satchel search "a network"`.\n'

  const played = await playOn(t, commandsOf(page))

  assert.deepEqual(
    played.map(({ stumbles }) => stumbles.length),
    [2, 0, 2],
  )
})
