import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { as, fileIs, lookAt, openPage, press, saveByHand, secretOf } from './workspace-page.ts'

/** What is over on the page, a proposal or an invitation, and what a person can still do with it. */

const PLAN = '# Plan\n\n## Goals\n\n- ship\n\n## Risks\n\nnone known\n\nask Ada\n'
const MINUTE_MICROS = 60_000_000

test('what was superseded or withdrawn keeps its changes, and comes back by its Rebase', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  await as(server, (await server.join('ada')).token)('/workspace/propose', {
    base_version: 1,
    target: 'section:Plan/Risks',
    summary: 'Name the risk',
    content: '## Risks\n\nrain\n\nask Ada\n',
  })
  await press(page, 'Edit: Goals')
  await page.getByLabel('New text').fill('## Goals\n\n- ship\n- rest\n\n')
  await page.getByLabel('Why', { exact: true }).fill('Rest too')
  await press(page, 'Propose')
  await press(page, 'Withdraw: Rest too')
  await page.locator('.notice', { hasText: 'Withdrawn: Rest too' }).waitFor()
  const edited = PLAN.replace('ask Ada', 'ask Bob')
  await saveByHand(seen, edited)
  await page.locator('#proposals summary', { hasText: 'Settled (2)' }).click()

  for (const summary of ['Name the risk', 'Rest too']) {
    const card = page.locator('#proposals .card', { hasText: summary })
    await card.getByRole('button', { name: `Show the changes of: ${summary}` }).press('Enter')
    await card.locator('ins', { hasText: summary === 'Rest too' ? 'rest' : 'rain' }).waitFor()
  }
  const settled = (await page.locator('#proposals details .card').allInnerTexts()).join('\n')
  await seen.look('settled')
  await press(page, 'Rebase: Name the risk')
  await press(page, 'Approve and commit: Name the risk')
  const first = edited.replace('none known', 'rain')
  await fileIs(server, (text) => text === first)
  await press(page, 'Rebase: Rest too')
  await press(page, 'Approve and commit: Rest too')
  await fileIs(server, (text) => text === first.replace('ship', 'ship\n- rest'))

  assert.match(settled, /Rest too[\s\S]*rejected[\s\S]*Reason: withdrawn/)
  assert.match(settled, /Name the risk[\s\S]*superseded/)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('at 390 pixels what waits comes before the document, and beside it where there is room', async (t) => {
  const seen = await openPage(t, { text: PLAN, width: 390 })
  if (!seen) return
  const { page, server } = seen
  const change = { base_version: 1, summary: 'Say less', content: '# Plan\n' }
  await as(server, (await server.join('ada')).token)('/workspace/propose', change)
  await page.locator('#proposals .card').waitFor()
  const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN

  const narrow = [await top('#proposals'), await top('#document')]
  await page.setViewportSize({ width: 1280, height: 900 })
  const wide = [await page.locator('#proposals').boundingBox(), await page.locator('#document').boundingBox()]

  assert.ok((narrow[0] ?? 0) < (narrow[1] ?? 0), narrow.join(' '))
  assert.ok((wide[0]?.x ?? 0) > (wide[1]?.x ?? 0) + (wide[1]?.width ?? 0) - 1, JSON.stringify(wide))
})

test('the page of a second person is whole from the invitation to its end, also when the time of the invitation is over', async (t) => {
  let passed = 0
  const seen = await openPage(t, { text: PLAN, nowMicros: () => realWorld.nowMicros() + passed })
  if (!seen) return
  const { page, server } = seen
  const context = await page.context().browser()?.newContext()
  t.after(() => context?.close())
  const open = async (): Promise<Page> => {
    const { json } = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
    const tab = await context?.newPage()
    if (!tab) throw new Error('there was a browser before')
    await tab.goto(`${server.ingress}/workspace/page#i=${secretOf(json['uri'])}`)
    await tab.getByLabel('Your name').fill('Eve')
    return tab
  }

  const late = await open()
  await lookAt(late, 'join')
  passed = (LIMITS.inviteMinutes + 1) * MINUTE_MICROS
  await press(late, 'Join')
  await late
    .getByRole('alert')
    .filter({ hasText: /expired|over/i })
    .waitFor()
  await lookAt(late, 'join-expired')
  const kept = await late.getByLabel('Your name').inputValue()
  const guest = await open()
  await press(guest, 'Join')
  await guest.waitForSelector('[data-state="live"]')
  await guest.locator('#document', { hasText: 'ask Ada' }).waitFor()
  await lookAt(guest, 'guest')
  await press(page, 'Remove Eve from the room')
  await press(page, 'Remove')
  await guest.waitForSelector('[data-state="ended"]')
  await lookAt(guest, 'guest-ended')

  assert.equal(kept, 'Eve')
  assert.equal(await page.locator('#participants li', { hasText: 'Eve' }).count(), 0)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})
