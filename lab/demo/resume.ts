import assert from 'node:assert/strict'
import { join } from 'node:path'
import { callTool } from './handoff.ts'
import { commitFiles, newRepository, type Stage } from './stage.ts'

interface Brief {
  readonly brief: string
  readonly freshness: { readonly state: string; readonly changed_in_scope?: readonly string[] }
}

/** A second session goes on where the first one stopped: it is told what changed since and what not to try again. */
export async function showResume(stage: Stage): Promise<void> {
  stage.say('3. A second session resumes the work of a first one, in a small repository.')
  const repository = newRepository(join(stage.folder, 'shop'), { 'cart.ts': 'export const total = 0\n' })
  const first = await stage.connectStdio('first-session', { cwd: repository })
  const { id } = await callTool(first, 'handoff_create', {
    title: 'Make the cart add up',
    objective: 'The total of the cart is right for every currency.',
    current_state: 'The sum is written; rounding is open.',
    scope: ['*.ts'],
    definition_of_done: ['the tests of the cart pass'],
    failed_attempts: [
      {
        approach: 'Round every price with toFixed before the sum',
        outcome: 'failed',
        reason: 'toFixed gives text, and the cents drift',
        avoid_repeating: true,
      },
    ],
    open_items: [
      {
        priority: 'high',
        description: 'Round the total',
        suggested_action: 'Sum in cents, divide at the end',
        acceptance_check: 'the tests of the cart pass',
      },
    ],
    artifacts: [{ path: 'cart.ts', role: 'modified' }],
  })
  await stage.step('the first session checks its record and releases it', async () => {
    await callTool(first, 'handoff_transition', { id, to: 'validated' })
    await callTool(first, 'handoff_transition', { id, to: 'ready', accept_warnings: 'a demo' })
  })
  commitFiles(repository, { 'cart.ts': 'export const total = 1\n' })

  const second = await stage.connectStdio('second-session', { cwd: repository })
  const resumed = await stage.step(
    'the second one resumes it and is told that the repository moved on',
    async () => {
      const answer = (await callTool(second, 'handoff_resume', {})) as unknown as Brief
      assert.equal(answer.freshness.state, 'ahead')
      return answer
    },
  )
  for (const line of resumed.brief.split('\n').slice(0, 14)) stage.say(`   | ${line}`)
  await stage.step('a plan that failed before is recognised', async () => {
    const plan = 'I will round each price with toFixed before summing'
    const { verdict, matches } = await callTool(second, 'handoff_check_plan', { plan })
    assert.equal(verdict, 'repeat')
    stage.say(`   "${plan}" -> ${String(verdict)}: ${JSON.stringify(matches).slice(0, 100)}…`)
    assert.match(resumed.brief, /^Do not retry \(F-001\): /m)
  })
}
