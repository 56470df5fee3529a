import assert from 'node:assert/strict'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { openRoomServer, type RoomServer, type ServerOptions } from './workspace-server-fixture.ts'

/** The folder in which each look at a page leaves a picture; absent: none is taken. */
const SHOTS = process.env['SCREENSHOTS']

/** Finds what people with a screen reader or keyboard trip over; contrast is measured by `FAINT`. */
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const SERIOUS = `(async () => {
  const { violations } = await axe.run(document, { rules: { 'color-contrast': { enabled: false } } })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | '))
})()`

/** What axe calls serious or critical in the page as it is. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(`${AXE}; undefined`)
  return (await page.evaluate(SERIOUS)) as string[]
}

/** Text whose contrast with its ground is below 4.5 (WCAG 2.2, AA), as the browser computes both. */
export const FAINT = `(() => {
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0)
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor)
      if (color[3] !== 0) return color
    }
    return [255, 255, 255]
  }
  const faint = []
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (!own || element.closest('script, style, noscript') || element.offsetParent === null) continue
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(groundOf(element))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) faint.push(element.textContent.trim().slice(0, 40) + ' ' + ratio.toFixed(2))
  }
  return faint
})()`

export interface Seen {
  readonly page: Page
  readonly server: RoomServer
  readonly foreign: string[]
  readonly complaints: string[]
  shot(name: string): Promise<void>
  /** `lookAt` of this page. */
  look(name: string): Promise<void>
}

/** The owner page of a fresh room in a real browser; undefined where none is installed. */
export async function openPage(
  t: TestContext,
  options: Pick<ServerOptions, 'text' | 'plugins' | 'file' | 'nowMicros'> & {
    width?: number
    dark?: boolean
  } = {},
): Promise<Seen | undefined> {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
  })
  t.after(() => context.close())
  const { text, plugins, file, nowMicros } = options
  const server = await openRoomServer(t, {
    ...(text !== undefined && { text }),
    ...(plugins && { plugins }),
    ...(file !== undefined && { file }),
    ...(nowMicros && { nowMicros }),
  })
  const page = await context.newPage()
  const foreign: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(server.owner) && !request.url().startsWith('data:'))
      foreign.push(request.url())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', (event) => { throw new Error('CSP ' + event.violatedDirective) })`,
  })
  await page.goto(`${server.owner}/#k=${server.key}`)
  await page.waitForSelector('[data-state="live"]')
  return {
    page,
    server,
    foreign,
    complaints,
    shot: (name) => shotOf(page, name),
    look: (name) => lookAt(page, name),
  }
}

async function shotOf(page: Page, name: string): Promise<void> {
  if (!SHOTS) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

/** Shoots a page in light and dark, narrow and wide; nothing may run out of it, all text must have contrast, and axe must find nothing serious. */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1280]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize({ width, height: 900 })
      await shotOf(page, `${name}-${colorScheme}-${width}`)
      const at = `${name}, ${colorScheme}, ${width}`
      const across = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(across <= width, `${at}: ${across} pixels wide`)
      assert.deepEqual(await page.evaluate(FAINT), [], at)
      if ((colorScheme === 'dark') === (width === 390)) assert.deepEqual(await seriousFindings(page), [], at)
    }
  }
}

/** Posts to the ingress as the session of a token. */
export const as = (server: RoomServer, token: string) => (path: string, body: object) =>
  server.ask(server.ingress, 'POST', path, { token, body })

/** Presses the first button of this name by keyboard. */
export const press = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true }).first().press('Enter')

/** As most editors save: a file that is emptied first and then written may be seen empty. */
export async function saveByHand({ server }: Pick<Seen, 'server'>, text: string): Promise<void> {
  await writeFile(`${server.file}.new`, text)
  await rename(`${server.file}.new`, server.file)
}

/** Waits until the document's file has a text that is right. */
export async function fileIs({ file }: RoomServer, isRight: (text: string) => boolean): Promise<void> {
  const late = performance.now() + 30_000
  for (let text = await readFile(file, 'utf8'); !isRight(text); text = await readFile(file, 'utf8')) {
    assert.ok(performance.now() < late, text)
    await pause(25)
  }
}

/** The link for a person to an invitation that is made on the page, for this role if one is named. */
export async function inviteOnPage(page: Page, role?: string): Promise<string> {
  await page.locator('#invites > summary').click()
  if (role !== undefined) await page.getByLabel('Role').selectOption(role)
  await press(page, 'Invite')
  const link = await page.getByLabel('Link for a person', { exact: true }).inputValue()
  await press(page, 'Close')
  return link
}

/** The page of Eve, a guest who joined in a browser context of her own by a link. */
export async function joinAsEve(t: TestContext, page: Page, link: string): Promise<Page> {
  const context = await page.context().browser()?.newContext()
  t.after(() => context?.close())
  const guest = await context?.newPage()
  if (!guest) throw new Error('there was a browser before')
  await guest.goto(link)
  await guest.getByLabel('Your name').fill('Eve')
  await press(guest, 'Join')
  return guest
}

/** The secret in the URI of an invitation, with which the page joins. */
export function secretOf(uri: unknown): string {
  const ticket = Buffer.from(String(uri).split('join/')[1] ?? '', 'base64url').toString()
  return (JSON.parse(ticket) as { secret: string }).secret
}
