import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeEmptyHome } from './empty-home.ts'
import { temporaryFolder } from './harness/index.ts'
import { commandsOf, type Desk, playOn, README } from './newcomer-play.ts'
import { npmReach } from './npm-reach.ts'
import { lendsTerminals } from './terminal.ts'

const ROOT = join(import.meta.dirname, '..')
/** The suite that this is a part of. */
const SUITE = 'npm ci && npm test'

/** A desk with the built program as `satchel`. */
async function deskWithSatchel(t: TestContext): Promise<Desk> {
  const folder = await temporaryFolder(t)
  const project = join(folder, 'project')
  mkdirSync(project)
  return { ...makeEmptyHome(folder), folderOf: () => project }
}

/** A desk with a checkout of what is committed, and nothing installed; npm asks the registry of the user who runs this. */
async function deskWithCheckout(t: TestContext): Promise<Desk> {
  const folder = await temporaryFolder(t)
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  const checkout = join(folder, 'checkout')
  for (const path of [home, project]) mkdirSync(path)
  execFileSync('git', ['clone', '--quiet', ROOT, checkout])
  const prefix = join(home, '.npm-global')
  const env = {
    HOME: home,
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    NPM_CONFIG_PREFIX: prefix,
    ...npmReach(),
  }
  return { home, env, folderOf: (command) => (command.startsWith('npm ') ? checkout : project) }
}

test('a newcomer with README, an empty home and Claude Code stumbles over nothing', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system has no terminal (script of util-linux)')
  const commands = commandsOf(README).filter((command) => command.startsWith('satchel '))

  const played = await playOn(t, await deskWithSatchel(t), commands)

  assert.deepEqual(
    played.filter(({ stumbles }) => stumbles.length > 0),
    [],
  )
  assert.ok(commands.length >= 6, commands.join('\n'))
  assert.equal(played.filter(({ isAsked }) => isAsked).length, 1, 'only the setup asks')
  t.diagnostic(`${commands.length} commands, 1 question, 0 stumbles`)
})

test('stumbles are counted: a verb that does not exist, and a search before an ingest', async (t) => {
  if (!lendsTerminals()) return t.skip('NOT RUN: this system has no terminal (script of util-linux)')
  const page = '```sh\nsatchel serach x\n```\nThen `satchel init`, and `satchel search "a network"`.\n'

  const played = await playOn(t, await deskWithSatchel(t), commandsOf(page))

  assert.deepEqual(
    played.map(({ stumbles }) => stumbles.length),
    [2, 0, 2],
  )
})

test('with NEWCOMER_INSTALL=1 a newcomer comes from npm ci to the installed program by README, over no stumble', async (t) => {
  if (process.env['NEWCOMER_INSTALL'] !== '1')
    return t.skip('NOT RUN: NEWCOMER_INSTALL=1 installs from a registry, which takes minutes')
  const commands = commandsOf(README).filter((command) => command !== SUITE)

  const played = await playOn(t, await deskWithCheckout(t), commands)

  assert.deepEqual(
    played.filter(({ stumbles }) => stumbles.length > 0),
    [],
  )
  assert.equal(played.filter(({ command }) => command.startsWith('npm ')).length, 3, commands.join('\n'))
  assert.equal(played.filter(({ isAsked }) => isAsked).length, 1, 'only the setup asks')
  t.diagnostic(`${commands.length} commands, 1 question, 0 stumbles`)
})
