import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { awaiting, gitAfter, onFetch } from './fixtures/shadow-git.ts'
import { temporaryFolder } from './harness/index.ts'
import { runSatchel, SATCHEL } from './satchel-process.ts'
import { lendsTerminals, openOnTerminal } from './terminal.ts'

const ESCAPE = '\u001b'
/** A bar with its count, as cli-progress draws it. */
const BAR = /[=-]{20,} \d+\/1 \S/
const HIDES_CURSOR = `${ESCAPE}[?25l`
const SHOWS_CURSOR = `${ESCAPE}[?25h`
const CLEARS_LINE = /\u001b\[[0-2]?K/

interface Project {
  readonly root: string
  readonly env: Record<string, string>
  /** The fetch goes on only after this: a quick ingest would be done before anything is drawn. */
  letGo(): Promise<void>
}

async function openProject(t: TestContext): Promise<Project> {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-x-net.git'), [
    { files: { 'main.tf': 'variable "a" {}\n' }, tags: ['v1.0.0'] },
  ])
  await writeFile(join(root, 'satchel.yaml'), `repositories:\n  - url: ${url}\n`)
  return {
    root,
    env: { PATH: gitAfter(join(root, 'tools'), onFetch(awaiting(`${root}/go`))), HOME: root },
    letGo: () => writeFile(join(root, 'go'), ''),
  }
}

test('on a terminal an ingest draws a bar, and takes it away before it reports', async (t) => {
  if (!lendsTerminals()) {
    t.skip('NOT RUN: this system has no terminal (script of util-linux)')
    return
  }
  const project = await openProject(t)

  const terminal = openOnTerminal(t, [...SATCHEL, 'ingest'], { cwd: project.root, env: project.env })
  await terminal.shows(BAR)
  await project.letGo()
  const code = await terminal.ended

  assert.equal(code, 0, terminal.shown())
  const [, behindBar = ''] = terminal.shown().split(HIDES_CURSOR)
  const [bar = '', report = ''] = behindBar.split(SHOWS_CURSOR)
  assert.match(bar, BAR)
  assert.match(bar.split(BAR).at(-1) ?? '', CLEARS_LINE)
  assert.doesNotMatch(report, BAR)
  assert.match(report, /1 module/)
})

test('without a terminal an ingest writes plain lines, and no bar', async (t) => {
  const project = await openProject(t)
  await project.letGo()

  const { code, out, err } = await runSatchel(project.root, ['ingest'], project.env)

  assert.equal(code, 0, err)
  assert.ok(!`${out}${err}`.includes(ESCAPE))
  assert.doesNotMatch(err, BAR)
  assert.match(err, /^1 repositor(?:y|ies) \(0\/1\)$/m)
  assert.match(err, /^terraform-x-net: done \(1\/1\)$/m)
  assert.match(out, /1 module/)
})
