import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { as, inviteOnPage, openPage, press } from './workspace-page.ts'
import { openRoomServer, type RoomServer } from './workspace-server-fixture.ts'

/** A tab of one room, whose address serves another one later. */

const portOf = (address: string) => Number(new URL(address).port)

/** Another room at the addresses of one that has stopped. */
const openInPlace = (t: Parameters<typeof openRoomServer>[0], { owner, ingress }: RoomServer) =>
  openRoomServer(t, { text: '# Other\n', ownerPort: portOf(owner), ingressPort: portOf(ingress) })

test('an old tab of the owner writes nothing into another room at its address, says so and keeps what was typed', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const { page, server } = seen
  await page.locator('#document h1').waitFor()
  await press(page, 'Propose a change')
  await page.getByLabel('New text').fill('# Plan\n\nof the first room\n')
  await page.getByLabel('Why', { exact: true }).fill('Because')
  await server.stop()
  await page.waitForSelector('[data-state="offline"]')

  const other = await openInPlace(t, server)
  const tab = await page.context().newPage()
  await tab.goto(`${other.owner}/#k=${other.key}`)
  await tab.waitForSelector('[data-state="live"]')
  await press(page, 'Commit now')
  await page.locator('.editor .failed', { hasText: 'This address now serves another room' }).waitFor()
  await page.waitForSelector('[data-state="elsewhere"]')
  await seen.shot('other-room')

  assert.equal(await readFile(other.file, 'utf8'), '# Other\n')
  assert.equal(await page.getByLabel('New text').inputValue(), '# Plan\n\nof the first room\n')
  const { json } = await other.ask(other.ingress, 'GET', '/workspace/proposals', {
    token: (await other.join('ada')).token,
  })
  assert.deepEqual(json['proposals'], [])
  await tab.locator('#document h1', { hasText: 'Other' }).waitFor()
  assert.equal(await page.locator('#document h1').innerText(), 'Plan')
})

test('an old tab of a guest stays with its own room after the guest joined another one at its address', async (t) => {
  const seen = await openPage(t)
  if (!seen) return
  const context = await seen.page.context().browser()?.newContext()
  t.after(() => context?.close())
  const join = async (link: string) => {
    const tab = await context?.newPage()
    if (!tab) throw new Error('there was a browser before')
    await tab.goto(link)
    await tab.getByLabel('Your name').fill('Eve')
    await press(tab, 'Join')
    await tab.waitForSelector('[data-state="live"]')
    return tab
  }
  const old = await join(await inviteOnPage(seen.page))
  await press(old, 'Edit: Goals')
  await old.getByLabel('New text').fill('## Goals\nof the first room\n')
  await old.getByLabel('Why', { exact: true }).fill('Because')
  await seen.server.stop()

  const other = await openInPlace(t, seen.server)
  const invited = await other.ask(other.socket, 'POST', '/local/invite', { body: {} })
  const secret = JSON.parse(
    Buffer.from(String(invited.json['uri']).split('join/')[1] ?? '', 'base64url').toString(),
  ).secret
  await old.waitForSelector('[data-state="offline"]')
  const tab = await join(`${other.ingress}/workspace/page#i=${secret}`)
  await press(old, 'Propose')
  await old.locator('.editor .failed', { hasText: 'another room' }).waitFor()
  await old.waitForSelector('[data-state="elsewhere"]')

  const { json } = await other.ask(other.ingress, 'GET', '/workspace/proposals', {
    token: (await other.join('ada')).token,
  })
  assert.deepEqual(json['proposals'], [])
  assert.equal(await tab.locator('#document h1').innerText(), 'Other')
  assert.match(await old.getByLabel('New text').inputValue(), /of the first room/)
})

test('the server refuses a request of a page that shows another room, before it looks at the session', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const { cookie } = await server.claim()
  const body = { base_version: 1, summary: 's', content: '# New\n' }
  const page = { 'x-satchel-request': '1', origin: server.owner }
  const ask = async (expects: string) => [
    await server.ask(server.ingress, 'POST', '/workspace/propose', {
      token,
      body,
      headers: { 'x-satchel-expects': expects },
    }),
    await server.ask(server.owner, 'POST', '/workspace/commit', {
      cookie,
      body,
      headers: { ...page, 'x-satchel-expects': expects },
    }),
    await server.ask(server.owner, 'GET', `/workspace/observe?expects=${expects}&since_event_id=0`, {
      cookie,
      headers: { 'last-event-id': 'none' },
    }),
  ]

  const wrong = await ask('ws_0000000000000000')
  const right = await ask(server.workspaceId)

  for (const answer of wrong) assert.deepEqual([answer.status, answer.json['reason']], [409, 'other_room'])
  // The stream is refused for its cursor then, without which it would not end.
  assert.deepEqual(
    right.map(({ status }) => status),
    [200, 200, 400],
  )
  assert.equal((await as(server, token)('/workspace/propose', { ...body, base_version: 2 })).status, 409)
})
