import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { systemProcesses } from '../server/platform/process-liveness.ts'
import { makeEmptyHome } from './empty-home.ts'
import { temporaryFolder } from './harness/index.ts'

const GUIDES = join(import.meta.dirname, '../docs/guides')
const LIMIT_MS = 300_000 // a bound for a hung command, not for a slow machine

/** Commands that are typed together, and the lines of which their output has each; `…` is any text. */
interface Step {
  readonly commands: string
  readonly shown: readonly string[]
}

for (const name of readdirSync(GUIDES)) {
  test(`what the guide ${name} tells to type works and prints what it shows`, async (t) => {
    const folder = await temporaryFolder(t)
    const { env } = makeEmptyHome(folder)
    await mkdir(join(folder, 'project'))
    const steps = stepsOf(readFileSync(join(GUIDES, name), 'utf8'))
    assert.ok(steps.some(({ shown }) => shown.length > 0))
    const project = join(folder, 'project')
    try {
      for (const { commands, shown } of steps) {
        const options = { cwd: project, env, timeout: LIMIT_MS }
        const { stdout, stderr } = await promisify(execFile)('sh', ['-e', '-c', commands], options)
        assert.deepEqual(missingIn(stdout + stderr, shown), [], `${commands}\n${stdout}${stderr}`)
      }
    } finally {
      await endServersIn(project)
    }
  })
}

/** Ends what a guide started beside the shell, and waits for its end; the guide notes its process in a file `*.pid`. */
async function endServersIn(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.pid'))) {
    const pid = Number(readFileSync(join(folder, name), 'utf8'))
    if (systemProcesses.isRunning(pid)) process.kill(pid, 'SIGTERM')
    while (systemProcesses.isRunning(pid)) await setTimeout(20)
  }
}

test('a line that was not printed is found, and an ellipsis is any text', () => {
  const steps = stepsOf('```sh\necho one\n```\n```text\none … three\n```\nText.\n```sh\nexit\n```\n')

  assert.deepEqual(
    steps.map(({ shown }) => shown.length),
    [1, 0],
  )
  assert.deepEqual(missingIn('one two three\n', ['one … three']), [])
  assert.deepEqual(missingIn('one two\n', ['one … three', 'four']), ['one … three', 'four'])
})

function stepsOf(page: string): readonly Step[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```\n)?/gm)
  return [...blocks].map(([, commands = '', shown = '']) => ({
    commands,
    shown: shown.split('\n').filter((line) => line !== ''),
  }))
}

function missingIn(printed: string, shown: readonly string[]): readonly string[] {
  return shown.filter((line) => {
    const parts = line.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return !new RegExp(parts.join('[\\s\\S]*?')).test(printed)
  })
}
