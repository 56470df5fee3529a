import assert from 'node:assert/strict'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { as, openPage, type Seen } from './workspace-page.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

const PLAN = '# Plan\n\n## Goals\n\n- [ ] ship it in May\n- [x] learn\n\n## Risks\n\nnone known\n'

async function saveByHand({ server }: Seen, text: string): Promise<void> {
  await writeFile(`${server.file}.new`, text)
  await rename(`${server.file}.new`, server.file)
}

/** Waits until the file has a text that the page committed. */
async function fileHas({ server }: Seen, part: string): Promise<void> {
  const late = performance.now() + 30_000
  while (!(await readFile(server.file, 'utf8')).includes(part)) {
    assert.ok(performance.now() < late, `the file has no ${part}`)
    await new Promise((done) => setTimeout(done, 25))
  }
}

const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().press('Enter')

test('a tick is a commit of the owner, changes only its box, and can be taken back', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen

  await page.getByRole('checkbox', { name: 'ship it in May' }).press('Space')
  await fileHas(seen, '- [x] ship it in May\n- [x] learn')
  await page.locator('header', { hasText: 'version 2' }).waitFor()
  await press(page, 'Undo')
  await fileHas(seen, '- [ ] ship it in May\n- [x] learn')

  assert.equal(await readFile(seen.server.file, 'utf8'), PLAN)
  assert.deepEqual(seen.complaints, [])
})

test('a review in the text, by keyboard: a reason is asked for and survives a reload, rejected is not lost, undo takes a commit back', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  await as(server, (await server.join('ada')).token)('/workspace/propose', {
    base_version: 1,
    target: 'section:Plan/Risks',
    summary: 'Name the risk',
    content: '## Risks\n\nnone known but rain\n',
  })
  const title = () => page.title()
  await page.locator('#document .inline').waitFor()
  const waiting = await title()

  await press(page, 'Show in the text: Name the risk')
  const diff = page.locator('#document .diff')
  await diff.waitFor()
  assert.equal(await diff.locator('del').count(), 0)
  assert.match(await diff.locator('ins').innerText(), /^\s*but rain$/)
  await press(page, 'Reject: Name the risk')
  await page.getByText('Say why, then reject again.').first().waitFor()
  await page.locator('[data-comment]').first().fill('Rain is no risk')
  await page.reload()
  await page.locator('[data-comment]').first().waitFor()
  assert.equal(await page.locator('[data-comment]').first().inputValue(), 'Rain is no risk')
  await press(page, 'Reject: Name the risk')
  await page.locator('.notice', { hasText: 'Rejected' }).waitFor()
  await page.locator('#proposals details > summary').click()
  await page.locator('#proposals .card', { hasText: 'Reason: Rain is no risk' }).waitFor()
  assert.equal(await title(), 'plan · satchel')
  await press(page, 'Rebase: Name the risk')
  await page.locator('#document .inline').waitFor()
  await press(page, 'Approve and commit: Name the risk')
  await fileHas(seen, 'none known but rain')
  await page.locator('.notice', { hasText: 'Version 2' }).waitFor()
  const focused = await page.evaluate('document.activeElement.tagName')
  await press(page, 'Undo')
  await fileHas(seen, 'none known\n')

  assert.equal(waiting, '(1) plan · satchel')
  assert.notEqual(focused, 'BODY', 'the focus is kept after an action')
  assert.deepEqual(seen.complaints, [])
})

test('a draft on a stale base is merged with what changed; where both changed a line, the person chooses', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const text = page.getByLabel('New text')
  await press(page, 'Propose a change')
  await text.fill(PLAN.replace('none known', 'rain'))

  await saveByHand(seen, PLAN.replace('in May', 'in June'))
  await press(page, 'Merge into my text')
  const clean = await text.inputValue()
  await saveByHand(seen, PLAN.replace('none known', 'snow'))
  await press(page, 'Merge into my text')
  await page.getByRole('radio', { name: 'Yours' }).check()
  await seen.shot('merge')
  await press(page, 'Use the merged text')
  await page.getByLabel('Why', { exact: true }).fill('Rain')
  await press(page, 'Commit now')
  await fileHas(seen, 'rain')

  assert.equal(clean, PLAN.replace('in May', 'in June').replace('none known', 'rain'))
  assert.deepEqual(seen.complaints, [])
})

test('a section that is removed while it is written on leaves the text, which can go to the document', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await press(page, 'Edit: Risks')
  await page.getByLabel('New text').fill('## Risks\n\nrain\n')
  await saveByHand(seen, '# Plan\n')
  await press(page, 'Add it to the whole document')
  await page.getByLabel('Why', { exact: true }).fill('Rain')
  await press(page, 'Propose')
  await page.locator('#proposals .card', { hasText: 'Rain' }).waitFor()
  await press(page, /^Show the changes/)
  await page.locator('#proposals ins', { hasText: 'rain' }).waitFor()

  assert.deepEqual(seen.complaints, [])
})

test('what is typed while the page reads or sends is not undone by the answer', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const why = page.getByLabel('Why', { exact: true })
  const text = page.getByLabel('New text')
  const hold = async (address: RegExp) => {
    let release = (): void => undefined
    const released = new Promise<void>((done) => {
      release = done
    })
    const asked = new Promise<void>((reached) => {
      void page.route(address, async (route) => {
        reached()
        await released
        await route.continue()
      })
    })
    return { asked, release }
  }
  await press(page, 'Edit: Risks')
  await text.fill('## Risks\n\nrain\n')
  await saveByHand(seen, '# Plan\n')
  await page.getByRole('button', { name: 'Add it to the whole document' }).waitFor()

  const reading = await hold(/read\?section=workspace/)
  await press(page, 'Add it to the whole document')
  await reading.asked
  await why.fill('Rain')
  reading.release()
  await page.getByRole('form', { name: 'Change: The whole document' }).waitFor()
  const afterReading = await why.inputValue()
  const sending = await hold(/\/workspace\/propose$/)
  await press(page, 'Propose')
  await sending.asked
  await text.fill('# Plan\n\n## Risks\n\nrain and wind\n')
  sending.release()
  await page.locator('#proposals .card', { hasText: 'Rain' }).waitFor()

  assert.equal(afterReading, 'Rain')
  assert.match(await text.inputValue(), /rain and wind/)
  assert.deepEqual(seen.complaints, [])
})

test('a guest gets the page with the rights of the invitation, which only a join uses up', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  await page.locator('#invites > summary').click()
  await page.getByLabel('Role').selectOption('reader')
  await press(page, 'Invite')
  const link = await page.getByLabel('Link for a person', { exact: true }).inputValue()
  await press(page, 'Close')

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
  await page.locator('#invites > summary').click()
  await press(page, 'Invite')
  const link = await page.getByLabel('Link for a person', { exact: true }).inputValue()
  await press(page, 'Close')
  const context = await page.context().browser()?.newContext()
  t.after(() => context?.close())
  const guest = await context?.newPage()
  if (!guest) throw new Error('there was a browser before')
  await guest.goto(link)
  await guest.getByLabel('Your name').fill('Eve')
  await press(guest, 'Join')

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

test('an expired or revoked invitation is refused in words, and the cookie of another room opens nothing', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const other = await openRoomServer(t)
  const { page, server } = seen
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const admin = await server.join('admin', ['*'])
  await as(server, admin.token)('/workspace/invite/revoke', { invite_id: invited.json['invite_id'] })
  const ticket = String(invited.json['uri']).split('join/')[1] ?? ''
  const { secret } = JSON.parse(Buffer.from(ticket, 'base64url').toString()) as { secret: string }

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

test('an outside edit is shown with the one active agent as its probable author', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const post = as(seen.server, (await seen.server.join('ada')).token)
  await post('/workspace/propose', { base_version: 1, summary: 'Say less', content: '# Plan\n' })

  await saveByHand(seen, PLAN.replace('in May', 'in June'))
  // The page hears of the edit before it has read the members again.
  await seen.page
    .locator('#events li', { hasText: /external edit.*probably by ada, the active agent/ })
    .first()
    .waitFor()

  assert.deepEqual(seen.complaints, [])
})

test('events are shown back to the oldest one kept', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const post = as(server, (await server.join('ada')).token)
  const { json } = await post('/workspace/checkout', { target: 'workspace' })
  for (let at = 0; at < 280; at += 1) await post('/workspace/renew', { lease_id: json['lease_id'] })
  await page.locator('#events li', { hasText: 'lease.acquired' }).nth(40).waitFor()

  const more = page.getByRole('button', { name: 'Show older events' })
  for (let clicks = 0; clicks < 6 && (await more.count()) > 0; clicks += 1) {
    const before = await page.locator('#events li').count()
    await more.click()
    await page
      .locator('#events li')
      .nth(before)
      .waitFor({ timeout: 3000 })
      .catch(() => undefined)
  }

  assert.match(await page.locator('#events li').last().innerText(), /^workspace\.created/)
  assert.deepEqual(seen.complaints, [])
})

for (const [what, text] of [
  ['1 MiB in one line', `# Plan\n\n${'word and <b>more</b> '.repeat(52_400)}\n`],
  ['10,000 headings', Array.from({ length: 10_000 }, (_, at) => `## Heading ${at}\n`).join('\n')],
] as const) {
  test(`a document of ${what} is shown and can be edited`, async (t) => {
    const seen = await openPage(t, { text })
    if (!seen) return
    const { page } = seen
    await page
      .locator('#document', { hasText: what.startsWith('1 ') ? 'word and' : 'Heading 9999' })
      .waitFor()
    await press(page, 'Propose a change')
    await page.getByLabel('New text').waitFor()

    assert.equal((await page.getByLabel('New text').inputValue()).length, text.length)
    assert.deepEqual(seen.complaints, [])
  })
}
