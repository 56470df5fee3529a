import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, inviteOnPage, joinAsEve, openPage, press, type Seen } from './workspace-page.ts'

/** What the page offers to a reader, to a guest who leaves, and to people whose text runs from the right. */

const PLAN = '# Plan\n\n- [ ] ship it\n\n## Goals\n\none\n'

/** The page of a guest who joined with this role. */
async function openGuest(t: Parameters<typeof openPage>[0], { page }: Seen, role: string) {
  const link = await inviteOnPage(page, role)
  const guest = await joinAsEve(t, page, link)
  await guest.waitForSelector('[data-state="live"]')
  await guest.locator('#document', { hasText: 'one' }).waitFor()
  return guest
}

test('a reader is offered no edit and no tick; who may propose is', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const guest = await openGuest(t, seen, 'reader')

  const offered = async (page: typeof guest) => [
    await page.getByRole('button', { name: /^Edit/ }).count(),
    await page.getByRole('checkbox', { disabled: false }).count(),
    await page.getByText('or use Edit at a heading').count(),
  ]

  assert.deepEqual(await offered(guest), [0, 0, 0])
  assert.deepEqual(await offered(seen.page), [2, 1, 1])
  assert.deepEqual(seen.complaints, [])
})

test('a guest leaves: the session ends, and the browser no longer has its token', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const guest = await openGuest(t, seen, 'reader')
  const token = 'localStorage.getItem("satchel:session")'
  const before = await guest.evaluate(token)

  await press(guest, 'Leave the room')
  await press(guest, 'Keep')
  const kept = await guest.evaluate(token)
  await press(guest, 'Leave the room')
  await press(guest, 'Leave')
  await guest.waitForSelector('[data-state="ended"]')
  await seen.page.locator('#participants li', { hasText: 'Eve' }).waitFor({ state: 'detached' })

  assert.match(String(before), /^ses_/)
  assert.equal(kept, before)
  assert.equal(await guest.evaluate(token), null)
  assert.equal(await seen.page.getByRole('button', { name: 'Leave the room' }).count(), 0)
})

const HEBREW = 'שלום עולם'
const MIXED = `# ${HEBREW}

${HEBREW}, and English.

Left to right.

- ${HEBREW}
- [ ] ${HEBREW}
- left

| ${HEBREW} | left |
|---|---|
| ${HEBREW} | left |

> ${HEBREW}
`

test('text that is read from the right is shown from the right, block by block, also where it is typed', async (t) => {
  const seen = await openPage(t, { text: MIXED })
  if (!seen) return
  const { page } = seen
  await page.locator('#document td').first().waitFor()
  await press(page, 'Propose a change')
  await page.getByLabel('New text').fill(HEBREW)
  await page.getByLabel('Why', { exact: true }).fill(HEBREW)

  const directions = await page.evaluate(`[...document.querySelectorAll(
    '#document :is(h1, p, li, td, th, blockquote), .editor textarea, .editor input')]
    .filter((one) => !one.closest('.editor') || /TEXTAREA|INPUT/.test(one.tagName))
    .map((one) => [getComputedStyle(one).direction, (one.value || one.textContent).includes('ש')])
    .filter(([direction, isHebrew]) => (direction === 'rtl') !== isHebrew)`)
  const count = await page.evaluate(`[...document.querySelectorAll('#document *, .editor *')]
    .filter((one) => getComputedStyle(one).direction === 'rtl').length`)
  await seen.look('right-to-left')

  assert.deepEqual(directions, [])
  assert.ok(Number(count) >= 9, String(count))
  assert.deepEqual(seen.complaints, [])
})

test('a name or heading that is read from the right leaves the words and times around it in their order', async (t) => {
  const seen = await openPage(t, { text: '# תוכנית\n\nטקסט\n' })
  if (!seen) return
  const { page, server } = seen
  const dan = as(server, (await server.join('דן', ['*'])).token)
  const change = { base_version: 1, target: 'section:תוכנית', content: '# תוכנית\n\nחדש\n' }
  await dan('/workspace/propose', { ...change, summary: 'שינוי 2' })
  await dan('/workspace/checkout', { target: 'section:תוכנית' })
  await dan('/workspace/handoff', { title: 'משימה', objective: 'בדיקה', target: 'section:תוכנית' })
  await page.locator('#handoffs .card').waitFor()
  await page.locator('#leases li').waitFor()
  await page.locator('#document .inline').waitFor()

  const turned = await page.evaluate(TURNED)

  assert.deepEqual(turned, [])
  assert.deepEqual(seen.complaints, [])
})

/** Moments of which a character is shown left of the one before it, in the same line. */
const TURNED = `[...document.querySelectorAll('main time')].filter((time) => {
  const range = document.createRange()
  const boxes = Array.from(time.textContent, (_, at) => {
    range.setStart(time.firstChild, at)
    range.setEnd(time.firstChild, at + 1)
    return range.getBoundingClientRect()
  })
  return boxes.some(({ left, top }, at) => at > 0 && Math.abs(top - boxes[at - 1].top) < 5 && left < boxes[at - 1].left - 1)
}).map((time) => time.parentElement.textContent)`
