import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from './harness/index.ts'
import { runSatchel, SATCHEL } from './satchel-process.ts'
import { lendsTerminals, type OnTerminal, openOnTerminal } from './terminal.ts'

const QUESTION = /Write these changes\? \[y\/N\] $/
const BEFORE = '{ "theme": "mine" }\n'
const INTERRUPT = '\u0003'

interface Home {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** The configuration of Gemini CLI. */
  readonly path: string
  config(): string
}

/** A home in which Gemini CLI is installed and has a configuration. */
async function openHome(t: TestContext): Promise<Home> {
  const cwd = await temporaryFolder(t)
  const path = join(cwd, '.gemini/settings.json')
  mkdirSync(join(cwd, '.gemini'))
  writeFileSync(path, BEFORE)
  return {
    cwd,
    env: { HOME: cwd, PATH: String(process.env['PATH']), NO_COLOR: '1' },
    path,
    config: () => readFileSync(path, 'utf8'),
  }
}

/** `satchel setup` on a terminal, as far as its question. */
async function askedOn(t: TestContext, { cwd, env }: Home): Promise<OnTerminal> {
  const terminal = openOnTerminal(t, [...SATCHEL, 'setup'], { cwd, env })
  await terminal.shows(QUESTION)
  return terminal
}

test('setup shows the change and asks; yes writes it and connects', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system has no terminal (script of util-linux)')
  const home = await openHome(t)

  const terminal = await askedOn(t, home)
  const before = home.config()
  terminal.child.stdin?.write('y\n')
  const code = await terminal.ended

  assert.equal(code, 0, terminal.shown())
  assert.equal(before, BEFORE)
  assert.match(
    terminal.shown(),
    /Found: Gemini CLI\.[\s\S]*\n\+.*"satchel":[\s\S]*\[y\/N\][\s\S]*: connected: 20 tools/,
  )
  assert.match(home.config(), /"satchel"/)
})

for (const [what, typed] of [
  ['no', 'n\n'],
  ['an empty line', '\n'],
  ['Ctrl-C', INTERRUPT],
] as const) {
  test(`setup writes nothing when the answer is ${what}`, async (t) => {
    if (!lendsTerminals()) return t.skip('NOT RUN: this system has no terminal (script of util-linux)')
    const home = await openHome(t)

    const terminal = await askedOn(t, home)
    terminal.child.stdin?.write(typed)
    const code = await terminal.ended

    assert.equal(code, 130, terminal.shown())
    assert.equal(home.config(), BEFORE)
    assert.doesNotMatch(terminal.shown(), /\n +at .*:\d+/)
  })
}

test('while one setup waits for its answer, another one is refused and names it', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system has no terminal (script of util-linux)')
  const home = await openHome(t)
  const terminal = await askedOn(t, home)

  const refused = await runSatchel(home.cwd, ['setup', 'cursor', '--json'])
  terminal.child.stdin?.write('n\n')
  await terminal.ended
  const later = await runSatchel(home.cwd, ['setup', 'cursor', '--json'])

  assert.deepEqual([refused.code, JSON.parse(refused.out).error.reason], [5, 'setup_running'])
  assert.match(refused.out, /process \d+/)
  assert.equal(later.code, 0, later.out)
})

test('setups that start together leave each file with one entry, and a removal restores all', async (t) => {
  const home = await openHome(t)
  const clients = ['gemini-cli', 'gemini-cli', 'cursor', 'zed']

  const first = await Promise.all(clients.map((client) => setUp(home, client)))

  assert.deepEqual(
    first,
    clients.map(() => 0),
  )
  assert.equal(home.config().match(/"satchel":/g)?.length, 1)
  assert.equal((await runSatchel(home.cwd, ['setup', '--remove'])).code, 0)
  assert.equal(home.config(), BEFORE)
  assert.deepEqual(filesBelow(home.cwd), [home.path])
})

/** Sets up a client. On a busy machine another setup may keep its place for longer than this one waits: then once more. */
async function setUp({ cwd }: Home, client: string): Promise<number | null> {
  for (;;) {
    const { code, out } = await runSatchel(cwd, ['setup', client, '--json'])
    if (code !== 5 || JSON.parse(out).error.reason !== 'setup_running') return code
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('.local/state')) // the lock stays, emptied
    .filter((path) => !path.includes('.cache/satchel/compiled')) // from Node 22.1
}
