import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'

/** The line above an answer. */
function headlineOf({ host }: TestProject, tool: string, data: Answer): string {
  const owned = host.registry.tool(tool)
  assert.ok(owned)
  return owned.tool.headline(data)
}

const PLAN = 'Store the state in a cookie'
const attempt = (approach: string) => ({ approach, reason: 'lost on the redirect', avoid_repeating: true })

for (const [others, expected] of [
  [[], '1 of 1 failed attempt resembles the plan'],
  [['Rewrite the tokenizer by hand'], '1 of 2 failed attempts resembles the plan'],
  [[`${PLAN} of the session`], '2 of 2 failed attempts resemble the plan'],
] as const) {
  test(`a plan is answered with: ${expected}`, async (t) => {
    const project = await openTestProject(t)
    const failed_attempts = [PLAN, ...others].map(attempt)
    await project.call('handoff_create', { ...SMALL, failed_attempts })

    const answer = await project.call('handoff_check_plan', { plan: PLAN })

    assert.ok(headlineOf(project, 'handoff_check_plan', answer).endsWith(`: ${expected}`))
  })
}

test('an outline says of a list of one that it has one item', async (t) => {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    completed: ['helper'],
    discoveries: ['x'.repeat(9000)],
  })

  const { part } = await project.call('handoff_get', { id, pointer: '/summary', max_tokens: 300 })

  assert.match(part.completed, /^1 item, /)
})
