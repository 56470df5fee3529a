import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileIs, inviteOnPage, joinAsEve, openPage, press, saveByHand } from './workspace-page.ts'

/** Ticks and Undo: each sends what it changes, and leaves what others wrote. */

const PLAN = '# Plan\n\n- [ ] ship it\n\n## Goals\n\n- [ ] learn\n\n## Risks\n\nnone known\n'

/** Prose of more than `bytes`. */
const prose = (bytes: number) => 'What is to be done, and by when.\n\n'.repeat(Math.ceil(bytes / 34))

for (const [size, filler] of [
  ['a short document', ''],
  ['a document of 400 KB', prose(400_000)],
] as const) {
  test(`ticks of a guest in two sections of ${size} are two proposals, and both can be committed`, async (t) => {
    const text = `${PLAN}\n# Annex\n\n${filler}`
    const seen = await openPage(t, { text })
    if (!seen) return
    const { page, server } = seen
    const link = await inviteOnPage(page, 'agent')
    const guest = await joinAsEve(t, page, link)

    for (const task of ['ship it', 'learn']) {
      await guest.getByRole('checkbox', { name: task }).press('Space')
      await page.locator('#proposals .card', { hasText: `Done: ${task}` }).waitFor()
    }
    await press(page, 'Approve and commit: Done: learn')
    await fileIs(server, (now) => now.includes('[x] learn'))
    await page.locator('header', { hasText: 'version 2' }).waitFor()

    assert.equal(await readFile(server.file, 'utf8'), text.replace('[ ] learn', '[x] learn'))
    await page.locator('#proposals .meta', { hasText: 'Plan/Goals' }).waitFor({ state: 'attached' })
    assert.deepEqual(seen.complaints, [])
  })
}

test('ticks of a guest in two sections beside each other do not supersede each other', async (t) => {
  const text = PLAN.replace('none known', '- [ ] rain')
  const seen = await openPage(t, { text })
  if (!seen) return
  const { page, server } = seen
  const link = await inviteOnPage(page, 'agent')
  const guest = await joinAsEve(t, page, link)
  for (const task of ['learn', 'rain']) {
    await guest.getByRole('checkbox', { name: task }).press('Space')
    await page.locator('#proposals .card', { hasText: `Done: ${task}` }).waitFor()
  }

  for (const task of ['learn', 'rain']) {
    await press(page, `Approve and commit: Done: ${task}`)
    await fileIs(server, (now) => now.includes(`[x] ${task}`))
  }

  assert.equal(
    await readFile(server.file, 'utf8'),
    text.replace('[ ] learn', '[x] learn').replace('[ ] rain', '[x] rain'),
  )
  assert.deepEqual(seen.complaints, [])
})

test('a document of 1.5 MB without a section can be ticked by the owner, and the tick undone', async (t) => {
  const text = `- [ ] ship it\n\n${prose(1_500_000)}`
  const seen = await openPage(t, { text })
  if (!seen) return
  const { page, server } = seen

  await page.getByRole('checkbox', { name: 'ship it' }).press('Space')
  await page.locator('.notice', { hasText: 'Version 2: Done: ship it' }).waitFor()
  const ticked = await readFile(server.file, 'utf8')
  await press(page, 'Undo')
  await page.locator('.notice', { hasText: 'Version 3: Undo version 2' }).waitFor()

  assert.equal(ticked, text.replace('[ ]', '[x]'))
  assert.equal(await readFile(server.file, 'utf8'), text)
  assert.deepEqual(seen.complaints, [])
})

test('a commit is undone after another version, which stays', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  await page.getByRole('checkbox', { name: 'ship it' }).press('Space')
  await page.locator('.notice', { hasText: 'Version 2' }).waitFor()
  const edited = PLAN.replace('[ ] ship it', '[x] ship it').replace('none known', 'rain')
  await saveByHand(seen, edited)
  await page.locator('header', { hasText: 'version 3' }).waitFor()

  await press(page, 'Undo')
  await page.locator('.notice', { hasText: 'Version 4: Undo version 2' }).waitFor()

  assert.equal(await readFile(server.file, 'utf8'), PLAN.replace('none known', 'rain'))
  assert.deepEqual(seen.complaints, [])
})

test('an Undo that no longer fits says so in a plain sentence, and changes nothing', async (t) => {
  const seen = await openPage(t, { text: PLAN })
  if (!seen) return
  const { page, server } = seen
  await page.getByRole('checkbox', { name: 'ship it' }).press('Space')
  await page.locator('.notice', { hasText: 'Version 2' }).waitFor()
  const edited = PLAN.replace('[ ] ship it', '[x] ship it in May')
  await saveByHand(seen, edited)
  await page.locator('header', { hasText: 'version 3' }).waitFor()

  await press(page, 'Undo')
  const notice = page.locator('.notice', { hasText: 'Version 2 cannot be undone' })
  await notice.waitFor()

  assert.doesNotMatch(await notice.innerText(), /workspace_/)
  assert.equal(await readFile(server.file, 'utf8'), edited)
  assert.deepEqual(seen.complaints, [])
})
