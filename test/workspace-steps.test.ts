import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startCli } from '../server/cli/testing/run-cli.ts'
import { openBrowser } from './browser.ts'
import { temporaryFolder } from './harness/index.ts'
import { type RoomProcess, spawnRoomProcess } from './workspace-process.ts'

const MOST_STEPS = 5

test('a person and an agent who begin with nothing have landed one change after five steps', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const home = await temporaryFolder(t)
  const env = { HOME: home, PATH: dirname(process.execPath) }
  const satchel = (words: readonly string[]) => startCli(words, { cwd: home, env })
  let printed: Record<string, string> = {}
  let agent: RoomProcess | undefined
  let page: Page | undefined

  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'the person opens a room',
      async () => {
        const ports = ['--owner-port', '0', '--ingress-port', '0'] // of the machine's own here
        const opened = satchel(['workspace', 'open', join(home, 'plan.md'), '--create', ...ports, '--json'])
        t.after(async () => {
          opened.send('SIGTERM')
          await opened.done
        })
        printed = JSON.parse((await opened.heard('out', /^\{.*\}\n/))[0])
      },
    ],
    [
      'the person adds it to the client, with the line that was printed',
      async () => {
        const [program, ...words] = (printed['setup'] ?? '').split(' ')
        const { code, out } = await satchel([...words, 'claude-code']).done
        assert.deepEqual([program, code], ['satchel', 0], out)
        agent = spawnRoomProcess(t, {
          name: 'agent',
          ...serverOf(await readFile(join(home, '.claude.json'), 'utf8')),
        })
      },
    ],
    [
      'the person opens the link',
      async () => {
        const context = await browser.newContext()
        t.after(() => context.close())
        page = await context.newPage()
        await page.goto(printed['link'] ?? '')
        await page.waitForSelector('[data-state="live"]')
      },
    ],
    [
      'the agent proposes, as its instructions say',
      async () => {
        const change = {
          base_version: 1,
          summary: 'Say what we want',
          edits: [{ old: '# plan', new: '# The plan' }],
        }
        const answer = await agent?.call('workspace_propose', change)
        assert.match(String(answer?.['proposal_id']), /^prop_/, JSON.stringify(answer))
      },
    ],
    [
      'the person approves and commits',
      async () => {
        await page?.getByRole('button', { name: 'Approve and commit: Say what we want' }).first().click()
        await page?.locator('header', { hasText: 'version 2' }).waitFor()
      },
    ],
  ]
  for (const [, take] of steps) await take()

  assert.equal(await readFile(join(home, 'plan.md'), 'utf8'), '# The plan\n')
  assert.ok(steps.length <= MOST_STEPS)
})

/** The program that a client starts, as its configuration has it. */
function serverOf(config: string): { readonly program: readonly string[]; readonly args: readonly string[] } {
  const { args } = JSON.parse(config).mcpServers.satchel as { args: string[] }
  const verb = args.indexOf('mcp')
  return { program: args.slice(0, verb), args: args.slice(verb + 1) }
}
