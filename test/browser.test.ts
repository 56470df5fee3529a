import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { copyAssets } from '../scripts/assets.ts'
import { openDoor } from '../server/http/testing/open-door.ts'
import { openBrowser } from './browser.ts'
import { contrastsOn } from './contrast.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'

const REFERENCE_READY = 'h2:has-text("Get a note")'
/** The least contrast of a text at which WCAG 2 lets a page pass at level AA. */
const READABLE = 4.5

/** A page that was opened, with everything it asked for and complained of. */
async function look(
  t: TestContext,
  path: string,
  ready: string,
  { packaged = true, dark = false }: { readonly packaged?: boolean; readonly dark?: boolean } = {},
) {
  const browser = await openBrowser(t)
  if (browser === undefined) return undefined
  const page = await browser.newPage({ colorScheme: dark ? 'dark' : 'light' })
  t.after(() => page.close())
  const folder = await temporaryFolder(t)
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
    const seen = await look(t, '/docs', '.opblock')
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
      const seen = await look(t, '/redoc', REFERENCE_READY, { packaged })
      if (seen === undefined) return

      assert.deepEqual([seen.foreign, seen.complaints], [[], []])
    })
  }

  for (const [path, ready] of [
    ['/docs', '.opblock'],
    ['/redoc', REFERENCE_READY],
  ] as const) {
    it(`${path} is dark where the reader’s system is, every text readable, and light again when it is`, async (t) => {
      const seen = await look(t, path, ready, { dark: true })
      if (seen === undefined) return
      const { page, foreign, complaints } = seen
      await page.evaluate(
        "document.querySelectorAll('.opblock-summary-control, td button[aria-label*=expand]').forEach((opens) => opens.click())",
      )

      const faint = (await contrastsOn(page)).filter(({ contrast }) => contrast < READABLE)
      const dark = await brightnessOf(page)
      await page.emulateMedia({ colorScheme: 'light' })
      await page.waitForSelector(ready)

      assert.deepEqual(faint, [])
      assert.ok(dark < 60, `the page has the brightness ${dark} of 255`)
      while ((await brightnessOf(page)) < 240) await page.waitForTimeout(20)
      assert.deepEqual([foreign, complaints], [[], []])
    })
  }

  it('texts that cannot be read are found: the reference page without its style', async (t) => {
    const browser = await openBrowser(t)
    if (browser === undefined) return
    const page = await browser.newPage({ colorScheme: 'dark' })
    t.after(() => page.close())
    const { door } = await openDoor(t, {}, {})
    await page.route('**/redoc/style.css', (route) => route.fulfill({ body: '', contentType: 'text/css' }))
    await page.goto(`${door.address}/redoc`)
    await page.waitForSelector(REFERENCE_READY)

    assert.ok((await contrastsOn(page)).filter(({ contrast }) => contrast < READABLE).length > 3)
  })
})

/** The mean of red, green and blue behind the page. */
async function brightnessOf(page: Page): Promise<number> {
  const css = await page.evaluate(
    "[document.body, document.documentElement].map((each) => getComputedStyle(each).backgroundColor).find((each) => each !== 'rgba(0, 0, 0, 0)') ?? 'rgb(255, 255, 255)'",
  )
  const [r = 0, g = 0, b = 0] = (String(css).match(/[\d.]+/g) ?? []).map(Number)
  return (r + g + b) / 3
}
