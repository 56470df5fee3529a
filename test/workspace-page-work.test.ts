import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { until } from './harness/until.ts'
import { as, fileIs, openPage, press, type Seen, saveByHand } from './workspace-page.ts'

const PLAN = '# Plan\n\n## Goals\n\n- [ ] ship it in May\n- [x] learn\n\n## Risks\n\nnone known\n'

const fileHas = ({ server }: Seen, part: string) => fileIs(server, (text) => text.includes(part))

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
    await until(async () => (await page.locator('#events li').count()) > before || (await more.count()) === 0)
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

test('the second click of a double click on Approve does not press the Commit that came in its place', async (t) => {
  const seen = await openPage(t, { text: '# Plan\n\n- [ ] one\n' })
  if (!seen) return
  const { page, server } = seen
  const ada = as(server, (await server.join('ada')).token)
  await ada('/workspace/propose', { base_version: 1, summary: 'Two', content: '# Plan\n\n- [ ] two\n' })
  const secondClickOn = async (place: Locator) => {
    await place.hover()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
  }
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (/commit|read$/.test(pathname)) asked.push(pathname)
  })

  await page.getByRole('button', { name: 'Approve: Two', exact: true }).click()
  const commit = page.getByRole('button', { name: 'Commit: Two', exact: true })
  await secondClickOn(commit)
  await secondClickOn(page.locator('#document input'))
  await ada('/workspace/handoff', { title: 'Later', objective: 'Shown after what the clicks did.' })
  await page.locator('#handoffs .card', { hasText: 'Later' }).waitFor()
  const askedBySecond = [...asked]
  await commit.click()
  await page.locator('#document', { hasText: 'two' }).waitFor()

  assert.deepEqual(askedBySecond, [])
  assert.deepEqual(seen.complaints, [])
})
