import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { copyAssets } from '../scripts/assets.ts'
import { openDoor } from '../server/http/testing/open-door.ts'
import { openBrowser } from './browser.ts'

/** A page that was opened, with everything it asked for and complained of. */
async function look(t: TestContext, path: string, ready: string, packaged: boolean) {
  const browser = await openBrowser(t)
  if (browser === undefined) return undefined
  const page = await browser.newPage()
  t.after(() => page.close())
  const folder = await mkdtemp(join(tmpdir(), 'satchel-assets-'))
  t.after(() => rm(folder, { recursive: true }))
  if (packaged) await copyAssets(folder)
  const { door } = await openDoor(t, {}, packaged ? { assetPath: (name) => join(folder, name) } : {})
  const requested: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) =>
      console.error('CSP ' + event.violatedDirective + ' ' + event.blockedURI))`,
  })
  await page.goto(`${door.address}${path}`)
  await page.waitForSelector(ready)
  await page.waitForLoadState('networkidle')
  const screenshot = process.env['SCREENSHOTS']
  if (screenshot) await page.screenshot({ path: join(screenshot, `${path.slice(1)}.png`) })
  const foreign = requested.filter((url) => !url.startsWith(door.address) && !/^(data|blob):/.test(url))
  return { page, foreign, complaints, door }
}

describe('docs pages in a browser', () => {
  it('/docs shows the tools, can call one, and asks no other host for anything', async (t) => {
    const seen = await look(t, '/docs', '.opblock', true)
    if (seen === undefined) return
    const { page, foreign, complaints } = seen
    const operation = '#operations-sample-note_get'

    await page.click(`${operation} .opblock-summary-control`)
    await page.click(`${operation} .try-out__btn`)
    await page.fill(`${operation} [placeholder=id]`, 'first')
    await page.click(`${operation} .execute`)
    const answer = await page.textContent(`${operation} .live-responses-table .highlight-code`)

    assert.match(answer ?? '', /"version":\s*7/)
    assert.deepEqual([foreign, complaints], [[], []])
  })

  for (const [what, packaged] of [
    ['packaged', true],
    ['the development tree’s', false],
  ] as const) {
    it(`/redoc shows the tools from ${what} files and asks no other host for anything`, async (t) => {
      const seen = await look(t, '/redoc', 'h2:has-text("Get a note")', packaged)
      if (seen === undefined) return

      assert.deepEqual([seen.foreign, seen.complaints], [[], []])
    })
  }
})
