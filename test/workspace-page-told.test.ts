import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { as, inviteOnPage, joinAsEve, openPage, press, saveByHand } from './workspace-page.ts'

/** What a person is told, also one who hears the page, and where the focus and the way on are. */

const PLAN = '# Plan\n\n## Goals\n\n- [ ] ship\n  - [x] build\n\n3. third\n\n## Risks\n\nnone known\n'

test('an author hears what became of a proposal, and each edit of the file, although its words are the same', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const guest = await joinAsEve(t, page, await inviteOnPage(page))
  await guest.waitForSelector('[data-state="live"]')
  await press(guest, 'Edit: Risks')
  await guest.getByLabel('New text').fill('## Risks\n\nrain\n')
  await guest.getByLabel('Why', { exact: true }).fill('Rain')
  await press(guest, 'Propose')
  await press(page, 'Show in the text: Rain')
  // Typed where the text is, decided in the list: it is one comment.
  await page.locator('#document [data-comment]').fill('It never rains')
  await page.locator('#proposals').getByRole('button', { name: 'Reject: Rain' }).press('Enter')

  await guest.locator('.said', { hasText: 'Rejected by owner: Rain' }).waitFor()
  await guest.locator('#proposals details > summary').click()
  await guest.locator('#proposals .card', { hasText: 'Reason: It never rains' }).waitFor()
  const heard = guest.locator('.said > span', { hasText: 'The document changed: external edit' })
  await saveByHand(seen, `${PLAN}x\n`)
  await heard.waitFor()
  const first = await heard.elementHandle()
  await saveByHand(seen, `${PLAN}y\n`)
  await guest.locator('#document', { hasText: 'y' }).waitFor()
  await guest.waitForFunction((element) => element?.isConnected === false, first)
  await heard.waitFor()
  assert.deepEqual(seen.complaints, [])
})

test('a task is named without its subtasks, a list keeps its numbers, and an editor gives the focus back to its section', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const focused = () =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText')

  await press(page, 'Edit: Risks')
  await page.getByLabel('New text').press('Escape')
  const closed = await focused()
  await press(page, 'Propose a change')
  await page.getByLabel('New text').press('Escape')
  const whole = await focused()
  await page.getByRole('checkbox', { name: 'ship', exact: true }).press('Space')
  await page.locator('.notice', { hasText: 'Version 2: Done: ship Undo' }).waitFor()

  assert.deepEqual([closed, whole], ['Edit: Risks', 'Propose a change'])
  assert.equal(await page.locator('#document ol').getAttribute('start'), '3')
  assert.deepEqual(seen.complaints, [])
})

test('a proposal for a section that is no more is opened in the editor by its Rebase; a file that is missing is said with what to do', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const ada = await server.join('ada')
  const change = { base_version: 1, target: 'section:Plan/Risks', content: '## Risks\n\nrain\n' }
  await as(server, ada.token)('/workspace/propose', { ...change, summary: 'Rain' })
  await page.locator('#document .inline').waitFor()

  await saveByHand(seen, PLAN.replace('## Risks', '## Dangers'))
  await page.locator('#proposals details > summary').click()
  await press(page, 'Rebase: Rain')
  await page.locator('.notice', { hasText: 'The text is in the editor' }).waitFor()
  await press(page, 'Add it to the whole document')
  await page.getByRole('heading', { name: 'Change: The whole document' }).waitFor()
  const text = await page.getByLabel('New text').inputValue()
  await rm(server.file)
  await page.locator('.paper [role="status"]', { hasText: 'The file is missing' }).waitFor()
  const { participant_id: to } = await server.join('bob')
  const you = (await page.evaluate(
    'fetch("/workspace/status").then((answer) => answer.json()).then(({ you }) => you.participant_id)',
  )) as string
  const bob = as(server, ada.token)
  await bob('/workspace/handoff', { title: 'For bob', objective: 'All.', to })
  await bob('/workspace/handoff', { title: 'For you', objective: 'All.', to: you })
  await page.getByRole('link', { name: '1 thing waits' }).waitFor()

  assert.match(text, /## Dangers\n\nnone known\n\n## Risks\n\nrain\n$/)
  assert.deepEqual(seen.complaints, [])
})
