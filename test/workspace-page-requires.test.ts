import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { definePlugin, type EvidenceFinding } from '../server/plugin.ts'
import { as, openPage } from './workspace-page.ts'

const LONG =
  'the text: 3 findings (line 4: The required input "cidr_block" (string) is missing; line 6: The module has no input "cidr". Did you mean "cidr_block"?; line 9: module.vpc.a_very_long_output_name_without_any_blank_that_a_narrow_screen_has_to_break_somewhere)'

/** What the requirements say of a result, by the result's text. */
const FINDINGS: Readonly<Record<string, readonly EvidenceFinding[]>> = {
  wrong: [
    { verdict: 'contradicted', reason: LONG },
    {
      verdict: 'unverifiable',
      reason: 'E-001: file:///srv/terraform-aws-vpc.git@v6.0.0 is not ingested here',
    },
    { verdict: 'stale', reason: 'E-002: v7.0.0 is out: 2 breaking changes (input `cidr` removed)' },
    { verdict: 'holds', reason: 'every claim of the record that can be checked holds' },
  ],
  right: [],
}
const KINDS = ['module_check', 'image', 'licence', 'owner']

const checks = definePlugin({
  name: 'checks',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    evidence: KINDS.map((name, at) => ({
      name,
      takes: 'a text',
      capture: async (named: unknown) => {
        const { text = '' } = named as { text?: string }
        const found = FINDINGS[text]?.[at] ?? { verdict: 'holds', reason: `${name} found nothing` }
        return { facts: {}, ...found }
      },
      verify: async () => ({ verdict: 'holds', reason: 'as before' }),
      describe: () => name,
    })),
  }),
})

test('the page shows what the requirements of a handoff found, and why an approval is refused', async (t) => {
  const seen = await openPage(t, { plugins: [checks] })
  if (!seen) return
  const { page, server, look } = seen
  const ada = await server.join('Ada')
  const post = as(server, ada.token)
  const made = await as(server, (await server.join('Grace')).token)('/workspace/handoff', {
    title: 'Write the call',
    objective: 'A call of version 6.',
    requires: KINDS,
  })
  assert.equal(made.status, 200, made.text)
  const { handoff_id } = made.json
  const card = page.locator('#handoffs .card', { hasText: 'Write the call' })
  await card.waitFor()
  const before = await card.locator('li').allInnerTexts()
  await look('handoff-requires')
  await post('/workspace/handoff/accept', { handoff_id })
  await post('/workspace/handoff/result', { handoff_id, summary: 'A call with cidr.', result: 'wrong' })
  await card.getByText('contradicted').waitFor()
  const unmet = await card.locator('li').allInnerTexts()
  const approve = page.getByRole('button', { name: 'Approve the result of: Write the call' })
  await approve.click()
  const refusal = page.getByText(
    'The result does not meet what its handoff requires: module_check: the text: 3',
  )
  await refusal.waitFor()
  await look('handoff-unmet')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await post('/workspace/handoff/result', { handoff_id, summary: 'A call with cidr_block.', result: 'right' })
  await card.getByText('module_check found nothing').waitFor()
  await look('handoff-met')
  await approve.click()
  await page.locator('#handoffs summary', { hasText: 'Ended (1)' }).waitFor()

  assert.deepEqual(
    before,
    KINDS.map((name) => `not checked yet ${name}`),
  )
  assert.deepEqual(
    unmet.map((line) => line.split(': ')[0]),
    ['contradicted module_check', 'unverifiable image', 'stale licence', 'holds owner'],
  )
})
