import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from './harness/until.ts'
import { as, FAINT, openPage } from './workspace-page.ts'
import type { RoomServer } from './workspace-server-fixture.ts'

test('the page fits 360 pixels, in the dark too, and every control has a name', async (t) => {
  const text = `# Plan\n\n${'averylongwordwithoutanybreak'.repeat(12)}\n\n\`\`\`\n${'code '.repeat(80)}\n\`\`\`\n`
  const seen = await openPage(t, { width: 360, dark: true, text })
  if (!seen) return
  const { page, server } = seen
  const guest = await server.join('a'.repeat(80))
  await as(server, guest.token)('/workspace/propose', {
    base_version: 1,
    summary: 's'.repeat(200),
    content: 'x',
  })
  await page.locator('#proposals .card').waitFor()

  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  const unnamed = (await page.evaluate(
    `[...document.querySelectorAll('button, input, select, textarea')].filter((e) => !(e.getAttribute('aria-label') || e.labels?.length || e.textContent.trim())).length`,
  )) as number

  await seen.shot('narrow-dark')
  assert.ok(width <= 360, `${width} pixels wide`)
  assert.equal(unnamed, 0)
})

const RICH = `# Plan

Ships ~~in May~~ in June, see https://example.org [^1].

| step | who | days |
|:-----|:---:|-----:|
| ship | Ada | 3 |
| learn | all | 10 |

- [x] write it down
- [ ] do it

\`\`\`sh
satchel workspace open plan.md
\`\`\`

[^1]: Not before.

## Goals

- one
- two

> Quoted, with \`code\`.
`

/** A room in which everything that the page can show is there. */
async function fillRoom(server: RoomServer): Promise<void> {
  const ada = await server.join('ada')
  const boss = await server.join('boss', ['*'])
  const [post, decide] = [as(server, ada.token), as(server, boss.token)]
  const propose = async (summary: string, content: string, base_version: number) => {
    const { json } = await post('/workspace/propose', {
      base_version,
      target: 'section:Plan/Goals',
      summary,
      content: `## Goals\n\n${content}\n`,
    })
    return String(json['proposal_id'])
  }
  const superseded = await propose('Drop the second goal', '- one', 1)
  const approved = await propose('Name the goals', '- one: ship\n- two: learn', 1)
  const conflicting = await propose('Say when', '- one, in May', 1)
  for (const proposal_id of [approved, conflicting])
    await decide('/workspace/proposal/review', { proposal_id, approve: true })
  await decide('/workspace/commit', { proposal_id: approved })
  await decide('/workspace/commit', { proposal_id: conflicting })
  const rejected = await propose('Remove everything', '', 2)
  await decide('/workspace/proposal/review', { proposal_id: rejected, approve: false, reason: 'no' })
  const ready = await propose('Say who does it', '- one: ship, by Ada\n- two: learn', 2)
  await decide('/workspace/proposal/review', { proposal_id: ready, approve: true })
  await propose('Add a third goal', '- one: ship\n- two: learn\n- three: rest', 2)
  assert.match(superseded, /^prop_/)
  await post('/workspace/checkout', { target: 'section:Plan/Goals' })
  await decide('/workspace/handoff', { title: 'Draft the steps', objective: 'One line for each goal.' })
  const { json } = await decide('/workspace/handoff', { title: 'Check the dates', objective: 'All of them.' })
  const { handoff_id } = json
  await post('/workspace/handoff/accept', { handoff_id })
  await post('/workspace/handoff/result', { handoff_id, summary: 'Two dates were wrong.' })
  await decide('/workspace/invite', { minutes: 60 })
  await as(server, boss.token)('/workspace/leave', {})
}

test('every state is whole in light and dark, at 390 pixels and wide: nothing runs out, all text has contrast, axe finds nothing serious', async (t) => {
  const seen = await openPage(t, { text: RICH })
  if (!seen) return
  const { page, server } = seen
  await seen.look('empty')
  await page.evaluate(`document.querySelector('h1').style.color = '#555'`)
  assert.equal(
    ((await page.evaluate(FAINT)) as string[]).length,
    1,
    'the look for contrast sees what is faint',
  )
  await page.evaluate(`document.querySelector('h1').style.color = ''`)
  await fillRoom(server)
  await page.locator('#handoffs .card', { hasText: 'Two dates were wrong.' }).waitFor()
  await page.locator('#leases', { hasText: 'Plan/Goals' }).waitFor()
  await page.locator('#proposals .card').nth(1).waitFor()
  await page.locator('#invites > summary').click()
  await page.locator('#sessions > summary').click()
  await page.locator('#proposals details > summary').click()
  await page.getByRole('button', { name: 'Show the changes of: Add a third goal' }).click()
  await page.locator('ins').first().waitFor()
  await seen.look('full')
  await page.getByRole('button', { name: 'Propose a change' }).click()
  await page.getByLabel('What to change').waitFor()
  await seen.look('propose')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: /^Hide the changes/ }).click()
  await page.getByRole('button', { name: 'Show in the text: Add a third goal' }).click()
  await page.locator('#document ins').first().waitFor()
  await seen.look('inline')
  await page.getByRole('button', { name: 'Hide: Add a third goal' }).click()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('Invitation URI', { exact: true }).waitFor()
  await seen.look('invitation')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Check out the document' }).click()
  await page.locator('.notice', { hasText: /lease/i }).waitFor()
  await seen.look('refused')
  await page.route('**/workspace/observe*', (route) => route.abort())
  await page.reload()
  await page.waitForSelector('[data-state="reconnecting"]')
  await seen.look('reconnecting')
  await page.unroute('**/workspace/observe*')
  await page.waitForSelector('[data-state="live"]')
  await server.stop()
  await page.waitForSelector('[data-state="offline"]')
  await seen.look('offline')
  assert.deepEqual([seen.foreign, seen.complaints], [[], []])
})

/** True where what has the focus is in view, and nothing lies over it. */
const FOCUS_IS_SEEN = `(() => {
  const own = document.activeElement
  const { left, top, width, height } = own.getBoundingClientRect()
  const at = document.elementFromPoint(left + Math.min(width, 20) / 2, top + height / 2)
  return at !== null && (own.contains(at) || at.contains(own))
})()`

test('at 400 % what stays in view leaves room: with the room away and a notice open, what has the focus is seen', async (t) => {
  const steps = Array.from({ length: 12 }, (_, at) => `\n## Step ${at}\n\n- [ ] do ${at}\n`).join('')
  const seen = await openPage(t, { text: `# Plan\n${steps}` })
  if (!seen) return
  const { page, server } = seen
  await page.setViewportSize({ width: 320, height: 225 })
  await page.getByRole('checkbox', { name: 'do 3' }).press('Space')
  await page.locator('.notice', { hasText: 'Done: do 3' }).waitFor()
  await server.stop()
  await page.waitForSelector('header.stays [data-state="offline"]')
  await seen.shot('zoomed-offline')

  const hidden: string[] = []
  for (let steps = 0; steps < 12; steps += 1) {
    await page.keyboard.press('Tab')
    if (!(await page.evaluate(FOCUS_IS_SEEN)))
      hidden.push(String(await page.evaluate('document.activeElement.outerHTML')))
  }

  assert.deepEqual(hidden, [])
  const heard = await page.locator('.connection').textContent()
  assert.match(heard ?? '', /^Offline The room cannot be reached\./)
})

test('on paper there is the whole document and nothing else, also where the changes of a proposal hide its text', async (t) => {
  const seen = await openPage(t, { text: RICH })
  if (!seen) return
  const { page, server } = seen
  await fillRoom(server)
  await page.getByRole('button', { name: 'Show in the text: Add a third goal' }).click()
  await page.locator('#document ins').first().waitFor()

  await page.emulateMedia({ media: 'print' })

  await seen.shot('paper')
  const paper = String(await page.evaluate('document.body.innerText'))
    .replace(/\s+/g, ' ')
    .trim()
  assert.match(paper, /^Plan Ships .* Goals one: ship two: learn Not before\.$/)
})

test('HTML and definitions are text in blocks of their own, a script too', async (t) => {
  const text =
    '# Plan\n\nBefore.\n\n<script>document.title = "run"</script>\n\n[ref]: https://example.org\n\nAfter.\n'
  const seen = await openPage(t, { text })
  if (!seen) return
  const { page } = seen
  await page.locator('#document', { hasText: 'After.' }).waitFor()

  const lines = String(await page.locator('#document .text').last().innerText()).split(/\n+/)

  assert.deepEqual(lines, [
    'Before.',
    '<script>document.title = "run"</script>',
    '[ref]: https://example.org',
    'After.',
  ])
  assert.notEqual(await page.title(), 'run')
})

test('many members leave the events in reach, and the keyboard reaches the last of them', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  for (let at = 0; at < 12; at += 1) await server.join(`member ${'abcdefghijkl'[at]}`)
  const last = page.locator('#participants li', { hasText: 'member l' })
  await last.waitFor()

  const { height } = (await page.locator('#participants').boundingBox()) ?? {}
  const isIn = `(() => {
    const [list, row] = ['#participants .rows', '#participants li:last-child'].map((at) => document.querySelector(at).getBoundingClientRect())
    return row.bottom <= list.bottom + 1
  })()`
  const before = await page.evaluate(isIn)
  await page.locator('#participants .rows').focus()
  await page.keyboard.press('End')
  await until(async () => Boolean(await page.evaluate(isIn)))

  assert.ok((height ?? 0) < 600, `${height} pixels`)
  assert.equal(before, false)
})
