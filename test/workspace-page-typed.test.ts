import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { as, openPage, type Seen, saveByHand } from './workspace-page.ts'

const TYPED = 'typed by a person, who wants to keep it'
const EDITED = `# Plan\n\n## Goals\none\n\n${TYPED}\n`

/** Opens the editor of the whole document and types; the text is on the page, not yet sent. */
async function type(page: Page, text = EDITED): Promise<void> {
  await page.getByRole('button', { name: 'Propose a change' }).click()
  await page.getByLabel('New text').first().waitFor()
  await page.getByLabel('New text').first().fill(text)
  await page.getByLabel('Why', { exact: true }).first().fill('Because')
}

/** How long an editor may take to come back: a busy machine loses no text. */
const EDITOR_MS = 20_000

/** True if what was typed is on the page, or comes back with the editor. */
async function isKept(page: Page, typed = TYPED): Promise<boolean> {
  if (await hasTyped(page, typed)) return true
  const open = page.getByRole('button', { name: 'Propose a change' })
  if (await open.isVisible()) await open.click({ timeout: EDITOR_MS }).catch(() => undefined)
  await page
    .getByLabel('New text')
    .first()
    .waitFor({ timeout: EDITOR_MS })
    .catch(() => undefined)
  return hasTyped(page, typed)
}

async function hasTyped(page: Page, typed: string): Promise<boolean> {
  const fields = await page.getByLabel('New text').all()
  const values = await Promise.all(
    fields.map(async (field) => ((await field.isVisible()) ? await field.inputValue() : '')),
  )
  return values.some((value) => value.includes(typed))
}

const send = (page: Page) => page.getByRole('button', { name: 'Propose', exact: true }).first().click()

/** What happens to a person in the middle of a sentence. Each returns the page on which to look for the text. */
const INCIDENTS: Readonly<Record<string, (seen: Seen) => Promise<Page>>> = {
  async escape({ page }) {
    await page.getByLabel('New text').first().press('Escape')
    return page
  },
  async reload({ page }) {
    await page.reload()
    await page.waitForSelector('[data-state="live"]')
    return page
  },
  async 'back and forward'({ page, server }) {
    await page.goto(`${server.owner}/health`).catch(() => undefined)
    await page.goBack()
    await page.waitForSelector('[data-state="live"]')
    return page
  },
  async 'another target'({ page }) {
    await page.getByLabel('What to change').first().selectOption('section:Plan/Goals')
    await page.waitForTimeout(300)
    await page.getByLabel('What to change').first().selectOption('workspace')
    await page.waitForTimeout(300)
    return page
  },
  async 'the file changes, then it is sent'(seen) {
    await saveByHand(seen, '# Plan\n\n## Goals\nanother one\n')
    await seen.page.locator('header', { hasText: 'version 2' }).waitFor()
    await send(seen.page)
    await seen.page.waitForTimeout(500)
    return seen.page
  },
  async 'the network fails, then it is sent'({ page }) {
    await page.route('**/workspace/**', (route) => route.abort())
    await send(page)
    await page.waitForTimeout(300)
    await page.unroute('**/workspace/**')
    return page
  },
  async 'the room ends'({ page, server }) {
    await server.stop()
    await page.waitForSelector('[data-state="offline"]')
    await send(page)
    await page.waitForTimeout(300)
    return page
  },
  async 'the session ends, and a new link is opened'({ page, server }) {
    const admin = await server.join('admin', ['*'])
    const { json } = await server.ask(server.ingress, 'GET', '/workspace/sessions', { token: admin.token })
    const sessions = json['sessions'] as { audience: string; session_id: string }[]
    const owner = sessions.find(({ audience }) => audience === 'owner')?.session_id
    await server.ask(server.ingress, 'DELETE', `/workspace/sessions/${owner}`, { token: admin.token })
    await page.waitForSelector('[data-state="ended"]')
    await send(page)
    const link = await server.ask(server.socket, 'POST', '/local/owner-link', { body: {} })
    await page.goto('about:blank')
    await page.goto(String(link.json['url']))
    await page.waitForSelector('[data-state="live"]')
    return page
  },
  async 'the tab is closed'({ page, server }) {
    const next = await page.context().newPage()
    await page.close()
    await next.goto(server.owner)
    await next.waitForSelector('[data-state="live"]')
    return next
  },
}

for (const [incident, happen] of Object.entries(INCIDENTS)) {
  test(`what was typed is kept: ${incident}`, async (t) => {
    const seen = await openPage(t)
    if (!seen) return
    await type(seen.page)

    const page = await happen(seen)

    assert.ok(await isKept(page), 'the text is lost')
  })
}

test('a change whose answer was lost is proposed once, although it is sent again after a reload', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  await type(page)
  await page.route('**/workspace/propose', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await send(page)
  await page.getByText('The room could not be reached').first().waitFor()
  await page.unroute('**/workspace/propose')
  await page.reload()
  await page.waitForSelector('[data-state="live"]')
  await saveByHand(seen, '# Plan\n\n## Goals\none\n\n## Risks\nnone\n')
  await page.locator('header', { hasText: 'version 2' }).waitFor()

  await send(page)
  await page.getByLabel('New text').first().waitFor({ state: 'hidden' })

  const { token } = await server.join('ada')
  const { json } = await server.ask(server.ingress, 'GET', '/workspace/proposals', { token })
  const made = (json['proposals'] as { summary: string }[]).map(({ summary }) => summary)
  assert.deepEqual(made, ['Because'])
})

test('two tabs that change the same text keep what was typed in each', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const second = await seen.page.context().newPage()
  await second.goto(seen.server.owner)
  await second.waitForSelector('[data-state="live"]')

  await type(seen.page, `${EDITED}in the first tab\n`)
  await type(second, `${EDITED}in the second tab\n`)
  await seen.page.reload()
  await second.reload()
  await Promise.all([seen.page, second].map((page) => page.waitForSelector('[data-state="live"]')))

  const kept = [await isKept(seen.page, 'in the first tab'), await isKept(second, 'in the second tab')]
  assert.deepEqual(kept, [true, true])
})

test('an open diff, its place and the focus stay when another proposal arrives', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const post = as(seen.server, (await seen.server.join('ada')).token)
  const propose = (summary: string, text: string) =>
    post('/workspace/propose', {
      base_version: 1,
      target: 'section:Plan/Goals',
      summary,
      content: `## Goals\n${text}\n`,
    })
  await propose('First', 'two')
  const { page } = seen
  await page.getByRole('button', { name: 'Show the changes of: First' }).click()
  const diff = page.locator('#proposals .diff').first()
  await diff.waitFor()
  await diff.focus()
  const before = await diff.elementHandle()

  await propose('Second', 'three')
  await page.locator('#proposals .card', { hasText: 'Second' }).waitFor()
  await page.waitForTimeout(300)

  const isSame = await diff.evaluate((element, old) => element === old, before)
  const isFocused = await diff.evaluate((element) => element.ownerDocument.activeElement === element)
  assert.deepEqual([isSame, isFocused, await diff.isVisible()], [true, true, true])
})

test('each line of the editor has its own direction, without what takes minutes for a long text', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  await type(seen.page)

  const area = seen.page.getByLabel('New text').first()

  assert.equal(await area.getAttribute('dir'), 'ltr')
  const style = "getComputedStyle(document.querySelector('textarea.text')).unicodeBidi"
  assert.equal(await seen.page.evaluate(style), 'plaintext')
})

test('what is typed while a form or a comment is sent stays in its field', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  const ada = as(server, (await server.join('ada')).token)
  await ada('/workspace/propose', { base_version: 1, summary: 'Two', content: 'two\n' })
  let answer = () => {}
  const isTyped = new Promise<void>((resolve) => {
    answer = resolve
  })
  for (const path of ['**/workspace/handoff', '**/workspace/proposal/review'])
    await page.route(path, (route) => isTyped.then(() => route.continue()))
  await page.locator('summary', { hasText: 'Hand off work' }).click()
  const title = page.getByLabel('Title', { exact: true })
  const objective = page.getByLabel('Objective', { exact: true })
  await title.fill('First')
  await objective.fill('Do it.')
  await page.getByRole('button', { name: 'Show the changes of: Two' }).click()
  const comment = page.getByLabel(/^Comment/)
  await comment.fill('No.')

  await title.press('Enter')
  await page.getByRole('button', { name: 'Reject: Two' }).click()
  await title.fill('Second')
  await comment.fill('No, because')
  answer()
  await page.locator('#handoffs .card', { hasText: 'First' }).waitFor()
  await page.locator('#events', { hasText: 'proposal.rejected' }).waitFor()
  await page.waitForFunction(`document.querySelector('#handoffs textarea').value === ''`)

  assert.equal(await title.inputValue(), 'Second')
  const kept = await page.evaluate(
    `Object.entries(localStorage).filter(([key]) => key.includes(':comment:'))`,
  )
  assert.equal((kept as string[][])[0]?.[1], 'No, because')
  assert.deepEqual(seen.complaints, [])
})
