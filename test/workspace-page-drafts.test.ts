import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { as, fileIs, openPage, press, type Seen, saveByHand } from './workspace-page.ts'

/** What a draft or a form keeps of a person's text and of what others wrote meanwhile. */

const PLAN = '# Plan\n\n## Goals\n\none\ntwo\nthree\n\n## Risks\n\nnone known\n'

const text = (page: Page) => page.getByLabel('New text')

/** An editor of the whole document in which line two conflicts with what was saved. */
async function openConflict(seen: Seen): Promise<void> {
  const { page } = seen
  await press(page, 'Propose a change')
  await text(page).fill(PLAN.replace('two', 'mine'))
  await saveByHand(seen, PLAN.replace('two', 'theirs'))
  await press(page, 'Merge into my text')
  await page.getByRole('radio', { name: 'Yours' }).check()
}

test('a merge is finished with the version that was shown: what another wrote after it is merged again, not removed', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await openConflict(seen)
  const later = PLAN.replace('two', 'theirs').replace('none known', 'rain, says another')
  await saveByHand(seen, later)
  await page.locator('header', { hasText: 'version 3' }).waitFor()
  await page.locator('#document', { hasText: 'rain, says another' }).waitFor()

  await press(page, 'Use the merged text')
  await page.getByText('Version 3 changed this text').waitFor()
  await press(page, 'Merge into my text')
  await page.getByLabel('Why', { exact: true }).fill('Mine')
  await press(page, 'Commit now')
  await fileIs(seen.server, (now) => now.includes('mine'))

  assert.equal(
    await readFile(seen.server.file, 'utf8'),
    PLAN.replace('two', 'mine').replace('none known', 'rain, says another'),
  )
  assert.deepEqual(seen.complaints, [])
})

test('what is typed while a merge is open is in the merged text, and a new conflict is asked about', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await openConflict(seen)
  await text(page).fill(PLAN.replace('two', 'mine').replace('none known', 'typed meanwhile'))
  await press(page, 'Use the merged text')
  const merged = await text(page).inputValue()
  await press(page, 'Undo the merge')
  await press(page, 'Merge into my text')
  await text(page).fill(PLAN.replace('two', 'mine, once more'))
  await press(page, 'Use the merged text')
  await page.getByText('Your text changed while you chose').waitFor()
  await page.getByRole('radio', { name: 'Yours' }).check()
  await press(page, 'Use the merged text')

  assert.equal(merged, PLAN.replace('two', 'mine').replace('none known', 'typed meanwhile'))
  assert.equal(await text(page).inputValue(), PLAN.replace('two', 'mine, once more'))
  assert.deepEqual(seen.complaints, [])
})

test('a merge can be undone until something is typed; why stays as it was typed', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const undo = page.getByRole('button', { name: 'Undo the merge' })
  await openConflict(seen)
  await press(page, 'Use the merged text')
  await undo.waitFor()
  await page.getByLabel('Why', { exact: true }).fill('Because')
  await press(page, 'Undo the merge')
  const back = [await text(page).inputValue(), await page.getByLabel('Why', { exact: true }).inputValue()]
  await press(page, 'Merge into my text')
  await page.getByRole('radio', { name: 'Yours' }).check()
  await press(page, 'Use the merged text')
  await undo.waitFor()
  await text(page).fill(`${PLAN}typed after it\n`)

  await undo.waitFor({ state: 'detached' })
  assert.deepEqual(back, [PLAN.replace('two', 'mine'), 'Because'])
  assert.deepEqual(seen.complaints, [])
})

test('a comment stays when the decision is refused, and a result when its review is not confirmed', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const post = as(server, (await server.join('ada')).token)
  const content = '## Risks\n\nrain\n'
  await post('/workspace/propose', {
    base_version: 1,
    target: 'section:Plan/Risks',
    summary: 'Rain',
    content,
  })
  const { json } = await post('/workspace/handoff', { title: 'Check', objective: 'All dates.' })
  const boss = as(server, (await server.join('boss', ['*'])).token)
  await boss('/workspace/handoff/accept', { handoff_id: json['handoff_id'] })
  await boss('/workspace/handoff/result', { handoff_id: json['handoff_id'], summary: 'Done.' })
  await press(page, 'Show the changes of: Rain')
  const comment = page.locator('[data-comment]')
  await comment.fill('A careful reason')
  const review = page.locator('#handoffs .card').getByLabel('Comment')
  await review.fill('Not all of them')

  await page.route('**/workspace/proposal/review', (route) => route.abort())
  for (const name of ['Approve: Rain', 'Reject: Rain', 'Approve and commit: Rain']) {
    await press(page, name)
    await page.locator('.notice', { hasText: 'could not be reached' }).waitFor()
    await press(page, 'Dismiss')
    assert.equal(await comment.inputValue(), 'A careful reason', name)
  }
  await press(page, 'Reject the result of: Check')
  await press(page, 'Keep')
  const kept = await review.inputValue()
  await page.unroute('**/workspace/proposal/review')
  await press(page, 'Reject: Rain')
  await page.locator('#proposals details > summary').click()

  await page.locator('#proposals .card', { hasText: 'Reason: A careful reason' }).waitFor()
  assert.equal(kept, 'Not all of them')
  assert.deepEqual(seen.complaints, [])
})

test('Continue opens the draft that was clicked, and one that is open in another tab is named, not copied or discarded', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  const second = await page.context().newPage()
  await second.goto(server.owner)
  await second.waitForSelector('[data-state="live"]')
  for (const [tab, typed] of [
    [page, 'older'],
    [second, 'newer'],
  ] as const) {
    await press(tab, 'Edit: Risks')
    await text(tab).fill(`## Risks\n\n${typed}\n`)
    await tab.getByLabel('Why', { exact: true }).fill(typed)
  }
  await press(page, 'Close')
  const row = (why: string) => page.locator('.drafts li', { hasText: why })

  await row('newer').getByRole('button', { name: 'Continue' }).click()
  await page.locator('.notice', { hasText: 'open in another tab' }).waitFor()
  await press(page, 'Dismiss')
  await row('newer').getByRole('button', { name: 'Discard' }).click()
  await page.locator('.notice', { hasText: 'open in another tab' }).waitFor()
  await press(second, 'Close')
  await row('older').getByRole('button', { name: 'Continue' }).click()
  const opened = await text(page).inputValue()
  await press(page, 'Close')
  await row('newer').getByRole('button', { name: 'Continue' }).click()

  assert.equal(opened, '## Risks\n\nolder\n')
  assert.equal(await text(page).inputValue(), '## Risks\n\nnewer\n')
  assert.deepEqual(seen.complaints, [])
})

/** Leaves not one character in the storage of the browser. */
const FILL_STORAGE = `(() => {
  for (let length = 2 ** 21, at = 0; length >= 1; length /= 2) {
    try {
      for (;;) localStorage.setItem('full ' + at++, 'x'.repeat(length))
    } catch {}
  }
})()`

test('an editor whose text the browser cannot keep is closed by Discard alone, which Undo takes back, and a tab that is closed asks first', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await press(page, 'Edit: Goals')
  await text(page).fill('## Goals\n\none\n')
  await page.evaluate(FILL_STORAGE)
  await text(page).fill('## Goals\n\none, and what does not fit\n')
  await page.getByText('This browser cannot keep the draft').waitFor()

  await text(page).press('Escape')
  await press(page, 'Close')
  const kept = await text(page).inputValue()
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = (await asked).type()
  await press(page, 'Discard')
  await page.locator('form.editor').waitFor({ state: 'detached' })
  await press(page, 'Undo')
  const restored = await text(page).inputValue()

  assert.equal(kept, '## Goals\n\none, and what does not fit\n')
  assert.equal(question, 'beforeunload')
  assert.equal(restored, kept)
})

test('another target that cannot be read is said so, and the editor stays as it was', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  await press(page, 'Edit: Goals')
  await text(page).fill('## Goals\n\nmine\n')
  await page.route('**/workspace/read?*', (route) => route.abort())

  await page.getByLabel('What to change').selectOption('section:Plan/Risks')
  await page.locator('.notice', { hasText: 'The room could not be reached.' }).waitFor()

  assert.equal(await text(page).inputValue(), '## Goals\n\nmine\n')
  assert.equal(await page.getByLabel('What to change').inputValue(), 'section:Plan/Goals')
  assert.deepEqual(seen.complaints, [])
})

test('a second click on Edit before the editor is there opens no other, and Escape of an input method does not close it', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page } = seen
  const held: (() => void)[] = []
  let reads = 0
  // The first of two reads is answered with the second.
  await page.route('**/workspace/read?*', async (route) => {
    reads += 1
    if (reads === 1) await new Promise<void>((go) => held.push(go))
    for (const go of held) go()
    await route.continue()
  })

  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Edit: Goals' }).click()
  await text(page).first().waitFor()
  await page.waitForTimeout(300)
  const opened = await text(page).count()
  await text(page).first().dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  const stayed = await text(page).count()

  assert.deepEqual([opened, stayed], [1, 1])
  assert.deepEqual(seen.complaints, [])
})
