import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { openBrowser } from './browser.ts'
import { as, inviteOnPage, joinAsEve, openPage, press, secretOf } from './workspace-page.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

const PLAN = '# Plan\n\n## Goals\n\n- [ ] ship it in May\n- [x] learn\n\n## Risks\n\nnone known\n'

test('a guest gets the page with the rights of the invitation, which only a join uses up', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const link = await inviteOnPage(page, 'reader')

  const open = async () => {
    const browser = await openBrowser(t)
    const context = await browser?.newContext()
    t.after(() => context?.close())
    const tab = await context?.newPage()
    if (!tab) throw new Error('there was a browser before')
    await tab.goto(link)
    await tab.getByLabel('Your name').fill('\u043ewner')
    await press(tab, 'Join')
    return tab
  }
  const guest = await open()
  await guest.waitForSelector('[data-state="live"]')
  await guest.locator('#document', { hasText: 'Goals' }).waitFor()
  const again = await guest.context().newPage()
  await again.goto(link)
  await again.locator('.notice', { hasText: 'in the room as \u043ewner' }).waitFor()
  await guest.reload()
  await guest.waitForSelector('[data-state="live"]')
  const late = await open()
  await late
    .getByRole('alert')
    .filter({ hasText: /invitation/i })
    .waitFor()

  assert.equal(await guest.getByRole('button', { name: 'Propose a change' }).count(), 0)
  assert.equal(await guest.locator('#invites, #sessions').count(), 0)
  assert.equal(await late.getByLabel('Your name').inputValue(), '\u043ewner')
  await page.locator('#participants li', { hasText: 'Looks like “owner”' }).waitFor()
  await page
    .locator('#participants li', { hasText: 'Says itself that it is a human; invited by owner' })
    .waitFor()
  await press(page, /^Remove \u043ewner from/)
  await press(page, 'Remove')
  await guest.waitForSelector('[data-state="ended"]')
  await page.locator('#events li', { hasText: /participant\.left\s+\u043ewner, by owner/ }).waitFor()
  const dora = await server.join('dora')
  await page
    .locator('#participants li', { hasText: 'dora' })
    .filter({ hasText: 'Says itself that it is an agent; invited by cli' })
    .waitFor()
  await server.ask(server.ingress, 'DELETE', `/workspace/sessions/${dora.session_id}`, { token: dora.token })
  await page
    .locator('#participants li', { hasText: 'dora' })
    .filter({ hasText: 'Has no session now; said itself that it is an agent.' })
    .waitFor()
  const boss = as(server, (await server.join('boss', ['*'])).token)
  for (let more = 0; more < 60; more += 1) {
    const { json } = await boss('/workspace/checkout', { target: 'section:Plan/Goals' })
    await boss('/workspace/release', { lease_id: json['lease_id'] })
  }
  await boss('/workspace/leave', {})
  await page.locator('#events li', { hasText: 'participant.left' }).first().waitFor()
  // As in a tab that saw none of them while they were there.
  await page.evaluate('sessionStorage.clear()')
  await page.reload()
  await page.locator('#events li', { hasText: 'participant.left' }).first().waitFor()
  await page
    .locator('#events li', { hasText: /lease\.released\s+boss/ })
    .first()
    .waitFor()
  assert.doesNotMatch(await page.locator('main').innerText(), /par_[0-9a-f]{16}/)
  assert.match(await guest.locator('.connection').innerText(), /new invitation/)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
  assert.equal(new URL(link).origin, server.ingress)
})

test('a tick of a guest is a proposal, and what a guest typed stays on the page when the session is ended', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const link = await inviteOnPage(page)
  const guest = await joinAsEve(t, page, link)

  await guest.getByRole('checkbox', { name: 'ship it in May' }).press('Space')
  await page.locator('#proposals .card', { hasText: 'Done: ship it in May' }).waitFor()
  await press(guest, 'Edit: Risks')
  await guest.getByLabel('New text').fill('## Risks\n\nrain\n')
  await guest.getByLabel('Why', { exact: true }).fill('Rain')
  await press(page, 'Remove Eve from the room')
  await press(page, 'Remove')
  await guest.waitForSelector('[data-state="ended"]')
  await press(guest, 'Propose')
  await guest.getByText('The session has ended. The text is kept').waitFor()
  await guest.reload()

  assert.equal(await readFile(seen.server.file, 'utf8'), PLAN)
  const kept = await guest.evaluate('JSON.stringify(Object.values(localStorage))')
  assert.match(String(kept), /rain/)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('a guest whose session runs out while typing goes on as the same member, in every tab; one that was ended does not', async (t) => {
  let passed = 0
  const seen = await openPage(t, { text: PLAN, nowMicros: () => realWorld.nowMicros() + passed })
  if (!seen) return
  const { page, server } = seen
  const guest = await joinAsEve(t, page, await inviteOnPage(page))
  await guest.waitForSelector('[data-state="live"]')
  const second = await guest.context().newPage()
  await second.goto(guest.url())
  await second.waitForSelector('[data-state="live"]')
  const type = async (tab: typeof guest, section: string) => {
    await press(tab, `Edit: ${section}`)
    await tab.getByLabel('New text').fill(`## ${section}\n\nby Eve\n`)
    await tab.getByLabel('Why', { exact: true }).fill(`Of ${section}`)
  }
  const propose = async (tab: typeof guest, section: string) => {
    passed += (LIMITS.sessionMinutes + 1) * 60_000_000
    await press(tab, 'Propose')
    await tab.locator('.notice', { hasText: `Proposed: Of ${section}` }).waitFor()
  }

  await type(guest, 'Risks')
  await type(second, 'Goals')
  await propose(guest, 'Risks')
  await propose(second, 'Goals')
  await second.reload()
  await second.waitForSelector('[data-state="live"]')
  await second.locator('#proposals .card', { hasText: 'Of Risks' }).waitFor()

  const cards = second.locator('#proposals .card', { hasText: 'by Eve' })
  assert.equal(await cards.count(), 2)
  assert.equal(await second.locator('#participants li', { hasText: 'Eve' }).count(), 1)
  const { token } = await server.join('boss', ['*'])
  const { json } = await server.ask(server.ingress, 'GET', '/workspace/participants', { token })
  const eve = (json['participants'] as { name: string; participant_id: string }[]).find(
    ({ name }) => name === 'Eve',
  )
  await as(server, token)('/workspace/leave', { participant_id: eve?.participant_id })
  await second.waitForSelector('[data-state="ended"]')
  await guest.waitForSelector('[data-state="ended"]')
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('a guest whose connection is silently lost is connected again, and shown what came meanwhile', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const guest = await joinAsEve(t, page, await inviteOnPage(page))
  await guest.clock.install()
  await guest.reload()
  await guest.waitForSelector('[data-state="live"]')

  await guest.clock.fastForward(46_000) // more than three heartbeats, of which none came
  await guest.waitForSelector('[data-state="reconnecting"]')
  await server.join('ada')
  await guest.clock.fastForward(6000)
  await guest.waitForSelector('[data-state="live"]')

  await guest.locator('#events li', { hasText: /participant\.joined\s+ada/ }).waitFor()
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('an expired or revoked invitation is refused in words, and the cookie of another room opens nothing', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const other = await openRoomServer(t)
  const { page, server } = seen
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const admin = await server.join('admin', ['*'])
  await as(server, admin.token)('/workspace/invite/revoke', { invite_id: invited.json['invite_id'] })
  const secret = secretOf(invited.json['uri'])

  const context = await page.context().browser()?.newContext()
  t.after(() => context?.close())
  const stranger = await context?.newPage()
  await stranger?.goto(`${server.ingress}/workspace/page#i=${secret}`)
  await stranger?.getByLabel('Your name').fill('eve')
  await stranger?.getByRole('button', { name: 'Join' }).click()
  await stranger
    ?.getByRole('alert')
    .filter({ hasText: /revoked/ })
    .waitFor()
  const tab = await page.context().newPage()
  await tab.goto(other.owner)
  await tab.waitForSelector('[data-state="ended"]')

  await page.reload()
  await page.waitForSelector('[data-state="live"]')
  assert.equal(await tab.locator('#document').count(), 0)
})

test('a handoff is made, finished and reviewed on the page; a cancel is asked about first', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const ada = await server.join('ada')
  const make = async (title: string) => {
    await page.getByLabel('Title').fill(title)
    await page.getByLabel('Objective').fill('Look at every date.')
    await press(page, 'Hand off')
    await page.locator('#handoffs .card', { hasText: title }).waitFor()
  }
  await page.locator('#handoffs summary', { hasText: 'Hand off work' }).click()
  await make('Check the dates')
  const { json } = await server.ask(server.ingress, 'GET', '/workspace/handoff_list', { token: ada.token })
  const [{ handoff_id } = { handoff_id: '' }] = json['handoffs'] as { handoff_id: string }[]
  await as(server, ada.token)('/workspace/handoff/accept', { handoff_id })
  await as(server, ada.token)('/workspace/handoff/result', { handoff_id, summary: 'Two were wrong.' })
  await page.locator('#handoffs .card', { hasText: 'Two were wrong.' }).waitFor()
  const waiting = await page.title()
  await page.getByLabel('Comment', { exact: true }).fill('Thanks')
  await press(page, 'Approve the result of: Check the dates')
  await page.locator('#handoffs summary', { hasText: 'Ended (1)' }).waitFor()
  await make('Check the names')
  await press(page, 'Cancel the handoff: Check the names')
  await press(page, 'Keep')
  await press(page, 'Cancel the handoff: Check the names')
  await press(page, 'Cancel it')
  await page.locator('#handoffs summary', { hasText: 'Ended (2)' }).waitFor()

  assert.equal(waiting, '(1) plan · satchel')
  assert.deepEqual(seen.complaints, [])
})

test('a result of one’s own waits for a review by others, and is not counted', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const guest = await joinAsEve(t, page, await inviteOnPage(page, 'reviewer'))
  await guest.waitForSelector('[data-state="live"]')
  const ada = as(server, (await server.join('ada')).token)
  await ada('/workspace/handoff', { title: 'Check the dates', objective: 'Look at every date.' })

  await press(guest, 'Accept: Check the dates')
  await guest.getByLabel('Result', { exact: true }).fill('All are right.')
  await press(guest, 'Deliver the result: Check the dates')
  await guest.locator('#handoffs .card', { hasText: 'Result: All are right.' }).waitFor()
  await page.getByText('1 thing waits').waitFor()

  assert.equal(await guest.title(), 'plan · satchel')
  assert.deepEqual(seen.complaints, [])
})

test('a question that is asked right after another was answered waits for its own answer', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  await as(server, (await server.join('ada')).token)('/workspace/handoff', {
    title: 'Check the dates',
    objective: 'Look at every date.',
  })
  const cancel = page.getByRole('button', { name: 'Cancel the handoff: Check the dates' })
  await cancel.press('Enter')
  const keep = await page.getByRole('button', { name: 'Keep', exact: true }).elementHandle()
  const again = await cancel.elementHandle()

  await page.evaluate(
    async ([first, second]) => {
      first?.click()
      // The page draws at the end of this turn; the browser's close event is still to come.
      await Promise.resolve()
      second?.click()
      await new Promise((done) => setTimeout(done, 200))
    },
    [keep, again],
  )
  await press(page, 'Cancel it')
  await page.locator('#handoffs summary', { hasText: 'Ended (1)' }).waitFor()

  assert.deepEqual(seen.complaints, [])
})
