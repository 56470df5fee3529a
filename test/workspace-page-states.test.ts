import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openTestRoom } from '../plugins/workspace/testing/test-room.ts'
import { temporaryFolder } from './harness/index.ts'
import { as, openPage, press, saveByHand } from './workspace-page.ts'

/**
 * States of the page that `workspace-page-whole.test.ts` does not look at: each in light and dark, at 390 and 1280 pixels. Empty,
 * full, refused, reconnecting, offline and ended are there.
 */

const PLAN = '# Plan\n\nFor the shop.\n\n## Goals\n\n- ship in May\n- learn\n\n## Risks\n\nnone known\n'

test('live, pending and a lease held by another are shown whole', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const ada = await server.join('ada')
  const post = as(server, ada.token)

  await saveByHand(seen, PLAN.replace('none known', 'rain'))
  await page.locator('#document', { hasText: 'rain' }).waitFor()
  await seen.look('live')
  const target = 'section:Plan/Risks'
  const change = {
    base_version: 2,
    target,
    summary: 'Say what helps',
    content: '## Risks\n\nrain: umbrellas\n',
  }
  await post('/workspace/propose', change)
  await page.locator('#proposals .card', { hasText: 'Say what helps' }).waitFor()
  const title = await page.title()
  await seen.look('pending')
  await post('/workspace/checkout', { target })
  await page.locator('#leases', { hasText: 'Plan/Risks' }).waitFor()
  await press(page, 'Edit: Risks')
  await page.locator('.editor, form', { hasText: 'has a lease on' }).first().waitFor()
  await seen.look('lease-held')

  assert.match(title, /^\(1\)/)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('a conflict between what is typed and what was committed is shown whole', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await press(page, 'Propose a change')
  await page.getByLabel('New text').fill(PLAN.replace('none known', 'rain'))

  await saveByHand(seen, PLAN.replace('none known', 'snow'))
  await page.getByRole('button', { name: 'Merge into my text' }).waitFor()
  await seen.look('stale')
  await press(page, 'Merge into my text')
  await page.getByRole('radio', { name: 'Yours' }).check()
  await seen.look('conflict')

  assert.equal(
    await page.getByLabel('New text').inputValue(),
    PLAN.replace('none known', 'rain'),
    'what was typed stays until the person chose',
  )
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

const LONG = `# Plan\n\n${Array.from({ length: 60 }, (_, n) => `## Step ${n}\n\n${'What is to be done. '.repeat(20)}\n`).join('\n')}`

/** Where an element is, in pixels from the top of what the person sees; they see 900. */
async function shownAt(page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).boundingBox()
  return box ? box.y + box.height / 2 : Number.NaN
}

test('far down in a long document a person sees what was done, can take it back, and sees that the room is away', async (t) => {
  const seen = await openPage(t, { text: LONG })
  if (!seen) return
  const { page, server } = seen
  await as(server, (await server.join('ada')).token)('/workspace/propose', {
    base_version: 1,
    target: 'section:Plan/Step 59',
    summary: 'Do nothing last',
    content: '## Step 59\n\nRest.\n',
  })
  await press(page, 'Show in the text: Do nothing last')
  const inText = page.locator('#document .inline')
  await inText.getByRole('button', { name: /^Approve and commit/ }).click()
  await page.locator('.notice', { hasText: 'Version 2' }).waitFor()
  const scrolled = Number(await page.evaluate('scrollY'))
  const notice = await shownAt(page, '.notice')
  await seen.shot('far-down')
  await press(page, 'Undo')
  await page.locator('header', { hasText: 'version 3' }).waitFor()
  await page.evaluate('scrollTo(0, 2000)')
  await server.stop()
  await page.waitForSelector('[data-state="offline"]')
  await seen.shot('far-down-offline')

  assert.ok(scrolled > 900, `${scrolled}`)
  assert.ok(notice > 0 && notice < 900, `the notice is at ${notice}`)
  const state = await shownAt(page, '.connection')
  assert.ok(state > 0 && state < 900, `the state is at ${state}`)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

/** The name of what has the focus, as who hears the page is told. */
const FOCUSED = `(() => {
  const { activeElement: at } = document
  return at.getAttribute('aria-label') ?? at.labels?.[0]?.innerText ?? at.innerText ?? ''
})()`

/** Presses Tab until the focus is on a control of this name, as who has no pointer does. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let at = 0; at < 120; at += 1) {
    await page.keyboard.press('Tab')
    const focused = String(await page.evaluate(FOCUSED)).trim()
    if (focused === name) return
    passed.push(focused.slice(0, 40))
  }
  assert.fail(`Tab does not reach “${name}”: ${passed.join(', ')}`)
}

test('with Tab, Enter and Space alone a person goes to what waits, reviews it, takes it back, writes, sends and answers a question', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const post = as(server, (await server.join('ada')).token)
  const target = 'section:Plan/Risks'
  const content = '## Risks\n\nrain\n'
  await post('/workspace/checkout', { target })
  await post('/workspace/propose', { base_version: 1, target, summary: 'Name the risk', content })
  await page.locator('#document .inline').waitFor()
  await page
    .locator('.said', { hasText: 'New proposal by ada: Name the risk' })
    .waitFor({ state: 'attached' })
  const { keyboard } = page

  await tabTo(page, '1 thing waits')
  await keyboard.press('Enter')
  await tabTo(page, 'Show the changes of: Name the risk')
  await keyboard.press('Space')
  await page.locator('#proposals ins', { hasText: 'rain' }).waitFor()
  await tabTo(page, 'Release the lease on Plan/Risks')
  await keyboard.press('Enter')
  await page.getByText('Plan/Risks: end the lease of ada?').waitFor()
  assert.equal(await page.evaluate(FOCUSED), 'Keep')
  await seen.shot('question')
  await tabTo(page, 'Release')
  await keyboard.press('Enter')
  await page.getByText('Nothing is checked out.').waitFor()
  await tabTo(page, 'Approve and commit: Name the risk')
  await keyboard.press('Enter')
  await page.locator('header', { hasText: 'version 2' }).waitFor()
  await tabTo(page, 'Undo')
  await keyboard.press('Enter')
  await page.locator('header', { hasText: 'version 3' }).waitFor()
  await tabTo(page, 'Edit: Goals')
  await keyboard.press('Enter')
  await page.getByLabel('New text').waitFor()
  await keyboard.press('Control+End')
  await keyboard.type('- rest\n')
  await tabTo(page, 'Why')
  await keyboard.type('Only some work always')
  await keyboard.press('Enter')
  await page.locator('#proposals .card', { hasText: 'Only some work always' }).waitFor()

  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

/** A room of thousands of events, as it is after weeks. */
async function longLived(folder: string, t: Parameters<typeof openTestRoom>[0]): Promise<string> {
  await writeFile(join(folder, 'plan.md'), LONG)
  const room = await openTestRoom(t, { folder })
  for (let n = 0; n < 300; n += 1) {
    const guest = await room.join(`visitor ${n}`)
    const lease = await room.do(guest, 'checkout', { target: 'section:Plan/Step 7' })
    await room.do(guest, 'renew', { lease_id: lease.lease_id })
    await room.do(guest, 'release', { lease_id: lease.lease_id })
    await room.do(guest, 'leave', {})
  }
  await room.close()
  return room.file
}

test('thousands of events and a long document: older events follow without a hole while new ones come', async (t) => {
  const file = await longLived(await temporaryFolder(t), t)
  const seen = await openPage(t, { file })
  if (!seen) return
  const { page, server } = seen
  await page.locator('#document', { hasText: 'Step 59' }).waitFor()
  const more = page.getByRole('button', { name: 'Show older events' })
  const rows = page.locator('#events li')
  for (let clicks = 0; clicks < 6; clicks += 1) {
    const before = await rows.count()
    await more.click()
    await rows.nth(before).waitFor()
  }
  const ada = await server.join('ada')
  const { json } = await as(server, ada.token)('/workspace/checkout', { target: 'workspace' })
  // More than the page keeps as the newest: what leaves them goes on as older ones.
  for (let n = 0; n < 220; n += 1)
    await as(server, ada.token)('/workspace/renew', { lease_id: json['lease_id'] })
  await page
    .locator('#events li', { hasText: /lease\.acquired\s+ada/ })
    .nth(219)
    .waitFor()
  await seen.look('thousands')

  const ids = (await page.evaluate(
    `[...document.querySelectorAll('#events li')].map(({ value }) => value)`,
  )) as number[]
  assert.ok(ids.length >= 300, `${ids.length} events`)
  assert.deepEqual(
    ids,
    ids.map((_, at) => (ids[0] ?? 0) - at),
  )
  assert.doesNotMatch(await page.locator('#events').innerText(), /par_[0-9a-f]{16}/)
  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})

test('the header says that the file is missing, and no longer once it is back, without a reload', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const header = page.locator('header', { hasText: 'file missing' })
  await page.waitForSelector('[data-state="live"]')

  await rm(server.file)
  await header.waitFor()
  await writeFile(server.file, PLAN)
  await header.waitFor({ state: 'detached' })

  assert.deepEqual([seen.complaints, seen.foreign], [[], []])
})
