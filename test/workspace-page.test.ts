import assert from 'node:assert/strict'
import { rename, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { as, FAINT, openPage } from './workspace-page.ts'
import type { RoomServer } from './workspace-server-fixture.ts'

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
  await page.getByRole('button', { name: 'Commit: Say who does it' }).press('Enter')
  await page.locator('#document', { hasText: 'by Ada' }).waitFor()

  await page.locator('#events', { hasText: 'proposal.committed' }).waitFor()
  await page.locator('header', { hasText: 'version 2' }).waitFor()
  assert.deepEqual([seen.foreign, seen.complaints], [[], []])
  assert.equal(await page.evaluate('location.hash'), '')
  await seen.shot('committed')
})

test('proposals beyond the newest 200 are said to be there, and shown when asked; a long diff is shown whole', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  for (const name of ['ada', 'bob', 'cem']) {
    const post = as(server, (await server.join(name)).token)
    const propose = (_: unknown, n: number) =>
      post('/workspace/propose', { base_version: 1, summary: `${name} ${n}`, content: `${n}\n` })
    await Promise.all(Array.from({ length: 67 }, propose))
  }
  const long = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('')
  const dan = as(server, (await server.join('dan')).token)
  await dan('/workspace/propose', { base_version: 1, summary: 'Long', content: long })
  await page.reload()
  const cards = page.locator('#proposals .card')
  await page.getByText('The newest 200 proposals are shown here.').waitFor()
  const first = await cards.count()

  await page.getByRole('button', { name: 'Show the changes of: Long' }).click()
  const whole = page.locator('#proposals .card .diff', { hasText: 'line 1999' })
  await whole.waitFor()
  await page.getByRole('button', { name: 'Show older proposals' }).scrollIntoViewIfNeeded()
  await seen.shot('older')
  await page.getByRole('button', { name: 'Show older proposals' }).click()
  await page.getByText('The newest 200 proposals are shown here.').waitFor({ state: 'detached' })

  assert.deepEqual([first, await cards.count()], [200, 202])
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

test('an invitation made on the page is shown once and can be taken back', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page } = seen
  await page.locator('#invites > summary').click()

  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const uri = await page.getByLabel('Invitation URI', { exact: true }).inputValue()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: /^Revoke invitation/ }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.locator('#invites', { hasText: 'No invitation is open.' }).waitFor()

  assert.match(uri, /^satchel:\/\/join\//)
  await seen.shot('invites')
})

test('two tabs share one stream, and the second goes on when the first closes', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const second = await page.context().newPage()
  await second.goto(server.owner)
  await second.waitForSelector('[data-state="live"]')
  const guest = await server.join('ada')

  // As most editors save: a file that is emptied first and then written may be seen empty.
  await writeFile(`${server.file}.new`, '# Plan\nby hand\n')
  await rename(`${server.file}.new`, server.file)
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

test('proposing from the page starts from the newest text', async (t) => {
  const seen = await openPage(t, { text: '# Plan\r\n\r\n## Goals\r\none\r\n' })
  if (!seen) return
  const { page } = seen

  await page.getByRole('button', { name: 'Propose a change' }).click()
  await page.getByLabel('What to change').selectOption('section:Plan/Goals')
  // The page forbids evaluated code, so its text is asked for from here.
  const text = page.getByLabel('New text')
  const late = performance.now() + 30_000
  while (!(await text.inputValue()).startsWith('## Goals') && performance.now() < late) await pause(25)
  assert.match(await text.inputValue(), /^## Goals/)
  await page.getByLabel('New text').fill('## Goals\ntwo\n')
  await page.getByLabel('Why', { exact: true }).fill('A second goal')
  await seen.shot('propose')
  await page.getByRole('button', { name: 'Propose', exact: true }).click()
  await page.locator('#proposals .card', { hasText: 'A second goal' }).waitFor()

  assert.match(await page.locator('#proposals .card').innerText(), /Plan\/Goals/)
  const admin = await seen.server.join('admin', ['*'])
  const ask = (path: string) => seen.server.ask(seen.server.ingress, 'GET', path, { token: admin.token })
  const [proposal] = (await ask('/workspace/proposals')).json['proposals'] as { proposal_id: string }[]
  const { json } = await ask(`/workspace/proposal?proposal_id=${proposal?.proposal_id}`)
  assert.equal(json['content'], '## Goals\r\ntwo\r\n')
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
