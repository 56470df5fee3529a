import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Route } from 'playwright-core'
import { as, openPage, press, saveByHand } from './workspace-page.ts'

test('the owner sees a proposal arrive, looks at its changes, approves and commits it, by keyboard', async (t) => {
  const seen = await openPage(t, {
    text: '# Plan\n\n## Goals\n\n- ship **one** thing\n- see [site](https://example.org)\n',
  })
  if (!seen) return
  const { page, server } = seen
  const agent = await server.join('ada')
  const post = as(server, agent.token)

  await post('/workspace/propose', {
    base_version: 1,
    target: 'section:Plan/Goals',
    summary: 'Say who does it',
    content: '## Goals\n\n- ship **one** thing, by Ada\n',
  })
  const card = page.locator('#proposals .card', { hasText: 'Say who does it' })
  await card.waitFor()
  await page.getByRole('button', { name: 'Show the changes of: Say who does it' }).press('Enter')
  await card.locator('ins').first().waitFor()
  await seen.shot('proposal')
  await page.getByRole('button', { name: 'Approve: Say who does it' }).press('Enter')
  await press(page, 'Commit: Say who does it')
  await page.locator('#document', { hasText: 'by Ada' }).waitFor()

  await page.locator('#events', { hasText: 'proposal.committed' }).waitFor()
  await page.locator('header', { hasText: 'version 2' }).waitFor()
  assert.deepEqual([seen.foreign, seen.complaints], [[], []])
  assert.equal(await page.evaluate('location.hash'), '')
  await seen.shot('committed')
})

test('an open proposal is shown and waits behind 200 newer ones that are settled, which follow when asked; a long diff is shown whole', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const long = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('')
  const dan = as(server, (await server.join('dan')).token)
  await dan('/workspace/propose', { base_version: 1, summary: 'Long', content: long })
  for (const name of ['ada', 'bob', 'cem']) {
    const post = as(server, (await server.join(name)).token)
    const propose = async (_: unknown, n: number) => {
      const change = { base_version: 1, summary: `${name} ${n}`, content: `${n}\n` }
      const { json } = await post('/workspace/propose', change)
      await post('/workspace/proposal/withdraw', { proposal_id: json['proposal_id'] })
    }
    await Promise.all(Array.from({ length: 67 }, propose))
  }
  await page.reload()
  const settled = page.locator('#proposals details > summary')
  await page.getByRole('button', { name: 'Show the changes of: Long' }).click()
  const first = await settled.innerText()
  const title = await page.title()

  const whole = page.locator('#proposals .card .diff', { hasText: 'line 1999' })
  await whole.waitFor()
  await page.getByRole('button', { name: 'Show older proposals' }).scrollIntoViewIfNeeded()
  await seen.shot('older')
  await page.getByRole('button', { name: 'Show older proposals' }).click()
  await page.getByText('All open proposals are shown here').waitFor({ state: 'detached' })

  assert.deepEqual([first, await settled.innerText()], ['Settled (200)', 'Settled (201)'])
  assert.equal(title, '(1) plan · satchel')
  assert.equal(await page.locator('#document .inline').count(), 0)
  assert.deepEqual(seen.complaints, [])
})

test('what others wrote stays text: in the document, names, summaries, reasons of a review and handoffs', async (t) => {
  const attacks = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    '[click](javascript:alert(3))',
    '[data](data:text/html,<script>alert(4)</script>)',
    '<a href="javascript:alert(5)">x</a>',
    '![pixel](https://evil.example/pixel.png)',
    '<iframe src="https://evil.example"></iframe>',
    '<svg onload=alert(6)>',
    '</pre></article><script>alert(7)</script>',
  ]
  const seen = await openPage(t, {
    text: `# Plan\n\n${attacks.join('\n\n')}\n\n> \u202egnp.exe\u202c b\u3164c\u{e0101}\r\n`,
  })
  if (!seen) return
  const { page, server } = seen
  for (const [index, attack] of attacks.entries()) {
    if (index > 3) break
    const guest = await server.join(attack.slice(0, 60))
    await as(server, guest.token)('/workspace/propose', { base_version: 1, summary: attack, content: attack })
    await as(server, guest.token)('/workspace/handoff', { title: attack, objective: attack })
  }
  const boss = as(server, (await server.join('boss', ['*'])).token)
  for (const [index, reason] of attacks.entries()) {
    const draft = { base_version: 1, summary: `Settled ${index}`, content: reason }
    const { json } = await boss('/workspace/propose', draft)
    await boss('/workspace/proposal/review', { proposal_id: json['proposal_id'], approve: false, reason })
  }
  await page.locator('#proposals details > summary').click()
  await page
    .locator('#proposals .reason')
    .nth(attacks.length - 1)
    .waitFor()
  await page.locator('#proposals .card').nth(3).waitFor()
  await page
    .getByRole('button', { name: /^Show the changes of/ })
    .first()
    .click()
  await page.locator('#proposals ins, #proposals del').first().waitFor()
  await page.locator('#document').getByText('gnp.exe').waitFor()
  await seen.shot('hostile')

  const elements = (await page.evaluate(
    `[...document.querySelectorAll('#document *, .side *')].map((e) => e.tagName)`,
  )) as string[]
  const links = (await page.evaluate(
    `[...document.querySelectorAll('#document a')].map((e) => e.href)`,
  )) as string[]
  assert.deepEqual(
    elements.filter((tag) =>
      ['SCRIPT', 'IMG', 'IFRAME', 'SVG', 'OBJECT', 'LINK', 'STYLE'].includes(tag.toUpperCase()),
    ),
    [],
  )
  assert.deepEqual(links, [])
  assert.match(
    await page.locator('#document').innerText(),
    /\\u\{202e\}gnp\.exe\\u\{202c\} b\\u\{3164\}c\\u\{e0101\}(?!\\)/,
  )
  assert.deepEqual([seen.foreign, seen.complaints], [[], []])
})

test('a name that looks like another’s and a document of 1 MiB do nothing but show', async (t) => {
  const line = '- [x](javascript:alert(1)) <img src=x onerror=alert(2)> and **more**\n'
  const seen = await openPage(t, { text: `# Plan\n\n${line.repeat(Math.floor(2 ** 20 / line.length))}` })
  if (!seen) return
  const { page, server } = seen
  const lookalike = '\u043ewner' // its first letter is Cyrillic
  await server.join(lookalike)
  await server.join('\u202eadmin\u2066\u{e0041}')
  const members = page.locator('#participants li')
  await members.filter({ hasText: 'admin' }).last().waitFor()
  await page.locator('#document li').first().waitFor()

  const shown = await members.filter({ hasText: lookalike }).innerText()
  assert.match(shown, /^\u043ewner agent,/)
  assert.match(shown, /Looks like “owner”/)
  assert.match(shown, /mixes alphabets/)
  assert.doesNotMatch(await page.locator('#participants').innerText(), /[\u202e\u2066]|\u{e0041}/u)
  assert.equal(await page.locator('#document img, #document script, #document a').count(), 0)
  assert.deepEqual([seen.foreign, seen.complaints], [[], []])
})

test('an ended session is said, with the way back', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const admin = await server.join('admin', ['*'])
  const sessions = await server.ask(server.ingress, 'GET', '/workspace/sessions', { token: admin.token })
  const owner = (sessions.json['sessions'] as { audience: string; session_id: string }[]).find(
    ({ audience }) => audience === 'owner',
  )

  await server.ask(server.ingress, 'DELETE', `/workspace/sessions/${owner?.session_id}`, {
    token: admin.token,
  })
  await page.waitForSelector('[data-state="ended"]')

  assert.match(await page.locator('.connection').innerText(), /owner-link/)
  await seen.look('ended')
})

test('a room that went away is said: reconnecting or offline', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  await seen.server.stop()

  await seen.page.waitForSelector('[data-state="offline"], [data-state="reconnecting"]')

  assert.deepEqual(seen.complaints, [])
})

test('an answer that breaks off is not shown, and the document is read again', async (t) => {
  const seen = await openPage(t, { text: '# Plan\n' })
  if (!seen) return
  const { page } = seen
  await page.locator('#document', { hasText: 'Plan' }).waitFor()
  await page.locator('#sessions > summary').click()
  const session = page.locator('#sessions li', { hasText: 'owner' })
  await session.waitFor()
  const breakOff = (route: Route) => route.fulfill({ contentType: 'application/json', body: '{"version":' })
  await page.route('**/owner/document', breakOff, { times: 1 })
  await page.route('**/workspace/sessions?*', breakOff)

  const sessionsRead = page.waitForResponse('**/workspace/sessions?*')
  await seen.server.join('ada')
  await sessionsRead
  await saveByHand(seen, '# Plan\n\nnewer\n')
  await page.locator('.about', { hasText: 'version 2,' }).waitFor()
  await page.locator('#document', { hasText: 'newer' }).waitFor()

  assert.equal(await session.count(), 1)
  assert.deepEqual(seen.complaints, [])
})

test('an invitation made on the page is shown once and can be taken back', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page } = seen
  await page.locator('#invites > summary').click()
  let asked = 0
  let answer = () => {}
  const clicked = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/workspace/invite', async (route) => {
    asked += 1
    await clicked
    await route.continue()
  })

  // As in a double click, the second comes before the answer of the first.
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Invite', exact: true }).click()
  answer()
  const uri = await page.getByLabel('Invitation URI', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: /^Revoke invitation/ }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.locator('#invites', { hasText: 'No invitation is open.' }).waitFor()

  assert.match(uri, /^satchel:\/\/join\//)
  assert.equal(asked, 1)
  await seen.shot('invites')
})

test('an invitation whose answer was lost is made again, and its link is shown', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page } = seen
  await page.locator('#invites > summary').click()
  await page.route('**/workspace/invite', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await press(page, 'Invite')
  await page.locator('.notice', { hasText: 'The room could not be reached.' }).waitFor()
  await page.unroute('**/workspace/invite')

  await press(page, 'Invite')
  const link = await page.getByLabel('Link for a person', { exact: true }).inputValue()

  assert.match(link, /\/workspace\/page#i=/)
  assert.deepEqual(seen.complaints, [])
})

test('two tabs share one stream, and the second goes on when the first closes', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const second = await page.context().newPage()
  await second.goto(server.owner)
  await second.waitForSelector('[data-state="live"]')
  const guest = await server.join('ada')

  await saveByHand(seen, '# Plan\nby hand\n')
  await second.locator('#document', { hasText: 'by hand' }).waitFor()
  const takenOver = second.waitForRequest(/\/workspace\/observe/)
  await page.close()
  await takenOver
  const proposed = await as(server, guest.token)('/workspace/propose', {
    base_version: 2,
    summary: 'after the first tab',
    content: 'x',
  })
  assert.equal(proposed.status, 200, JSON.stringify(proposed.json))
  await second.locator('#proposals .card', { hasText: 'after the first tab' }).waitFor()
})

test('proposing from the page starts from the newest text, and keeps its line ends', async (t) => {
  const seen = await openPage(t, { text: '# Plan\r\n\r\n## Goals\r\none\r\nlast\n' })
  if (!seen) return
  const { page } = seen

  await page.getByRole('button', { name: 'Propose a change' }).click()
  await page.getByLabel('What to change').selectOption('section:Plan/Goals')
  // The page forbids evaluated code, so its text is asked for from here.
  const text = page.getByLabel('New text')
  const late = performance.now() + 180_000
  while (!(await text.inputValue()).startsWith('## Goals') && performance.now() < late) await pause(25)
  assert.match(await text.inputValue(), /^## Goals/)
  await page.getByLabel('New text').fill('## Goals\ntwo\nlast\n')
  await page.getByLabel('Why', { exact: true }).fill('A second goal')
  await seen.shot('propose')
  await page.getByRole('button', { name: 'Propose', exact: true }).click()
  await page.locator('#proposals .card', { hasText: 'A second goal' }).waitFor()

  assert.match(await page.locator('#proposals .card').innerText(), /Plan\/Goals/)
  const admin = await seen.server.join('admin', ['*'])
  const ask = (path: string) => seen.server.ask(seen.server.ingress, 'GET', path, { token: admin.token })
  const [proposal] = (await ask('/workspace/proposals')).json['proposals'] as { proposal_id: string }[]
  const { json } = await ask(`/workspace/proposal?proposal_id=${proposal?.proposal_id}`)
  assert.equal(json['content'], '## Goals\r\ntwo\r\nlast\n')
})
