import type { Page } from 'playwright-core'
import type { Journal } from './journal.ts'

const PATIENCE_MS = 180_000
const STEP_MS = 3000
const REVIEWS_A_TURN = 6

/** A person at the page, who reviews what waits and writes in a section. */
export interface Person {
  readonly page: Page
  readonly section: string
  readonly journal: Journal
}

/** Reviews, writes and sends in turns while `writes`; then only reviews while `reviews`. */
export async function workAtPage(
  person: Person,
  goesOn: { writes(): boolean; reviews(): boolean },
): Promise<void> {
  for (let turn = 0; goesOn.reviews(); turn += 1) {
    await reviewWhatWaits(person, turn)
    if (goesOn.writes()) await writeAndSend(person, turn)
    else await person.page.waitForTimeout(100)
  }
}

/** Decides on what waits: approves, approves and commits, or rejects with a reason. */
async function reviewWhatWaits({ page, journal }: Person, turn: number): Promise<void> {
  for (let at = 0; at < REVIEWS_A_TURN; at += 1) {
    const cards = page.locator('#proposals .card', { has: page.getByRole('button', { name: /^Approve:/ }) })
    if ((await cards.count()) === 0) return
    const card = cards.first()
    const wish = (turn + at) % 4
    await journal
      .timed('a review on the page', async () => {
        if (wish === 3) {
          await card.getByRole('button', { name: /^Reject:/ }).click({ timeout: STEP_MS })
          await card.locator('[data-comment]').fill('Not this time', { timeout: STEP_MS })
          await card.getByRole('button', { name: /^Reject:/ }).click({ timeout: STEP_MS })
        } else {
          const name = wish === 1 ? /^Approve and commit:/ : /^Approve:/
          await card.getByRole('button', { name }).click({ timeout: STEP_MS })
        }
      })
      .catch(() => undefined) // another one was quicker, or the room is away
    await page.waitForTimeout(150)
  }
}

const INTERRUPTIONS = ['none', 'Escape', 'reload', 'others'] as const

/** Types a text into the own section, is interrupted, and sends it. */
async function writeAndSend(person: Person, turn: number): Promise<void> {
  const { page, section, journal } = person
  const typed = `${section} wrote ${turn}`
  journal.typed.add(typed)
  await openEditor(person)
  const field = page.getByLabel('New text').first()
  await field.press('Control+End')
  await field.pressSequentially(`${typed}.\n`, { delay: 15 })
  if (!(await hasTyped(person, typed))) return
  await interrupt(person, INTERRUPTIONS[turn % INTERRUPTIONS.length] ?? 'none')
  if (!(await hasTyped(person, typed))) return
  await journal.timed('from the first Propose until it is taken', () => send(person, typed, turn))
}

async function openEditor({ page, section }: Person): Promise<void> {
  await stubborn(`open the editor of ${section}`, async () => {
    if (await page.getByLabel('New text').first().isVisible()) return true
    const edit = page.getByRole('button', { name: `Edit: ${section}`, exact: true }).first()
    await edit.press('Enter', { timeout: STEP_MS })
    await page.getByLabel('New text').first().waitFor({ timeout: STEP_MS })
    return true
  })
}

async function interrupt(person: Person, interruption: (typeof INTERRUPTIONS)[number]): Promise<void> {
  const { page } = person
  if (interruption === 'Escape') await page.getByLabel('New text').first().press('Escape')
  if (interruption === 'others') await page.waitForTimeout(1500)
  if (interruption === 'reload')
    await stubborn('reload', async () => {
      await page.reload({ timeout: 10_000 })
      await page.waitForSelector('[data-state="live"]', { timeout: STEP_MS })
      return true
    })
  await openEditor(person)
}

/** Sends until the page took it: merges what changed meanwhile, and tries again after the room was away. */
async function send(person: Person, typed: string, turn: number): Promise<void> {
  const { page, section } = person
  await stubborn(`send ${typed}`, async () => {
    await merge(person)
    if (!(await hasTyped(person, typed))) return true
    await page.getByLabel('Why', { exact: true }).first().fill(typed, { timeout: STEP_MS })
    const name = section === 'Owner' && turn % 3 === 2 ? 'Commit now' : 'Propose'
    await page.getByRole('button', { name, exact: true }).first().click({ timeout: STEP_MS })
    await page.getByLabel('New text').first().waitFor({ state: 'hidden', timeout: STEP_MS })
    return true
  })
}

async function merge({ page }: Person): Promise<void> {
  for (const name of ['Add it to the whole document', 'Merge into my text', 'Use the merged text']) {
    const button = page.getByRole('button', { name, exact: true }).first()
    if (await button.isVisible()) await button.click({ timeout: STEP_MS })
  }
}

/** True if the text is still in the editor; otherwise it is lost, which ends the run as a failure. */
async function hasTyped({ page, journal }: Person, typed: string): Promise<boolean> {
  const text = await page.getByLabel('New text').first().inputValue()
  if (text.includes(typed)) return true
  journal.lost.push(`${typed}: ${JSON.stringify(text.slice(-300))}`)
  return false
}

/** Tries again until it works: the room may be away for a while. */
async function stubborn(what: string, attempt: () => Promise<boolean>): Promise<void> {
  const late = performance.now() + PATIENCE_MS
  let last: unknown
  while (performance.now() < late) {
    try {
      if (await attempt()) return
    } catch (thrown) {
      last = thrown
    }
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error(`a person could not ${what}`, { cause: last })
}
