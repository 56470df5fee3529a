import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { startAgent, type WorkingAgent } from './together/agent.ts'
import { type Auditor, createAuditor } from './together/auditor.ts'
import { faultsOf, lateness } from './together/faults.ts'
import { INCIDENTS } from './together/incidents.ts'
import { createJournal, type Journal, spread } from './together/journal.ts'
import { workAtPage } from './together/person.ts'
import { openTogetherRoom, type TogetherRoom } from './together/room.ts'
import { BUILT, spawnRoomProcess } from './workspace-process.ts'

/** The long proofs raise it to ten minutes. At least every kind of incident happens once. */
const SECONDS = Number(process.env['TOGETHER_S'] ?? 20)
const BETWEEN_INCIDENTS_MS = SECONDS > 60 ? 4000 : 500
const AGENTS = 4
const LATE_MS = 60_000

async function openPages(
  t: TestContext,
  browser: Browser,
  room: TogetherRoom,
  journal: Journal,
): Promise<Page[]> {
  const open = async (address: string): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    t.after(() => context.close())
    const page = await context.newPage()
    page.on('pageerror', (error) => journal.lost.push(`an error in the page: ${error}`))
    await page.goto(address)
    return page
  }
  const owner = await open(room.link)
  await owner.waitForSelector('[data-state="live"]')
  await owner.locator('#invites > summary').click()
  await owner.getByLabel('Role').selectOption('reviewer')
  await owner.getByRole('button', { name: 'Invite', exact: true }).first().click()
  const link = await owner.getByLabel('Link for a person', { exact: true }).inputValue()
  await owner.getByRole('button', { name: 'Close', exact: true }).first().click()
  const guest = await open(link)
  await guest.getByLabel('Your name').fill('Guest')
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.waitForSelector('[data-state="live"]')
  return [owner, guest]
}

interface Team {
  replaceOne(): Promise<void>
  stop(): Promise<void>
}

function startTeam(t: TestContext, room: TogetherRoom, journal: Journal): Team {
  const starting = (at: number, life: number): WorkingAgent =>
    startAgent(t, room, { section: `Agent ${at + 1}`, mark: `agent ${at + 1}.${life}`, journal })
  const team = Array.from({ length: AGENTS }, (_, at) => starting(at, 1))
  const over: Promise<void>[] = []
  let lives = 1
  return {
    async replaceOne() {
      lives += 1
      const at = lives % AGENTS
      team[at]?.process.child.kill('SIGKILL')
      over.push(team[at]?.stopped ?? Promise.resolve())
      team[at] = starting(at, lives)
      await pause(500)
    },
    async stop() {
      for (const { stop } of team) stop()
      await Promise.all([...over, ...team.map(({ stopped }) => stopped)])
    },
  }
}

test(`two people at their pages and four agents for ${SECONDS} s, with kills, stops, edits of the file and git: nothing typed or acknowledged is lost or doubled, everyone who waits is woken`, async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const journal = createJournal()
  const room = await openTogetherRoom(t)
  const [ownerPage, guestPage] = (await openPages(t, browser, room, journal)) as [Page, Page]
  const watcher = spawnRoomProcess(t, {
    name: 'auditor',
    args: ['--room', room.file, '--as', 'owner', '--profile', 'full'],
    program: BUILT,
  })
  const auditor = createAuditor(watcher)
  const team = startTeam(t, room, journal)
  let isOver = false
  let mayEnd = false
  const goesOn = { writes: () => !isOver, reviews: () => !mayEnd }
  const atWork = Promise.all([
    workAtPage({ page: ownerPage, section: 'Owner', journal }, goesOn),
    workAtPage({ page: guestPage, section: 'Guest', journal }, goesOn),
    (async () => {
      while (!mayEnd) await auditor.look().then(() => pause(300))
    })(),
  ])

  const happened = await Promise.race([
    happenAll({ room, auditor, replaceAgent: team.replaceOne }),
    atWork.then(() => Promise.reject(new Error('the people ended before the run'))),
  ])
  isOver = true
  await Promise.race([team.stop(), atWork])
  mayEnd = true
  await atWork
  await auditor.look()

  t.diagnostic(`${happened} incidents; refusals: ${JSON.stringify([...journal.refusals])}`)
  for (const line of journal.times()) t.diagnostic(line)
  t.diagnostic(`woken after the review: ${spread(lateness(journal, auditor))}`)
  t.diagnostic(
    `${journal.typed.size} texts typed, ${journal.proposed.size} proposals and ${journal.committed.size} commits of agents acknowledged, ${auditor.texts.size} versions, ${auditor.events.length} events`,
  )
  assert.deepEqual(faultsOf(journal, auditor), [])
  assert.ok(journal.typed.size > 1 && journal.committed.size > 0 && journal.woken.length > 0, 'it was busy')
})

async function happenAll(run: {
  readonly room: TogetherRoom
  readonly auditor: Auditor
  replaceAgent(): Promise<void>
}): Promise<number> {
  const end = performance.now() + SECONDS * 1000
  const isVersion = async (text: string): Promise<void> => {
    const late = performance.now() + LATE_MS
    while (![...run.auditor.texts.values()].some((version) => version.includes(text))) {
      assert.ok(performance.now() < late, `no version has “${text}”, which the file had`)
      await pause(50)
    }
  }
  let turn = 0
  for (; turn < Object.keys(INCIDENTS).length || performance.now() < end; turn += 1) {
    const [, happen] = Object.entries(INCIDENTS)[turn % Object.keys(INCIDENTS).length] ?? []
    await happen?.({ ...run, isVersion }, turn)
    await pause(BETWEEN_INCIDENTS_MS)
  }
  return turn
}
