import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost } from '../../test/harness/index.ts'
import { openRoomServer } from '../../test/workspace-server-fixture.ts'
import { plugin as workspace } from './index.ts'

/** The kind of evidence in a program of its own, with this room configured, or with none. */
async function kindAt(t: TestContext, file?: string) {
  const settings = file === undefined ? {} : { file }
  const { host, projectRoot } = await openHost(t, { plugins: [{ plugin: workspace, settings }] })
  const kind = host.registry.evidence.find(({ kind }) => kind.name === 'room_decision')?.kind
  assert.ok(kind)
  const place = { root: projectRoot, signal: new AbortController().signal }
  return {
    capture: (named: unknown) => kind.capture(named, place),
    verify: async (facts: Record<string, unknown>) => {
      const { verdict, reason } = await kind.verify(facts, place)
      return `${verdict}: ${reason}`
    },
  }
}

/** A room with an approved handoff and one that was not accepted. */
async function openDecided(t: TestContext) {
  const server = await openRoomServer(t)
  const ada = await server.join('ada', ['*'])
  const bob = await server.join('bob', ['*'])
  const post = async (path: string, { token }: { readonly token: string }, body: object) =>
    (await server.ask(server.ingress, 'POST', `/workspace/${path}`, { token, body })).json
  const task = { title: 'Choose a region', objective: 'One region for all' }
  const { handoff_id } = await post('handoff', ada, task)
  const { handoff_id: open } = await post('handoff', ada, task)
  await post('handoff/accept', bob, { handoff_id })
  await post('handoff/result', bob, { handoff_id, summary: 'eu-north-1', result: 'eu-north-1' })
  await post('handoff/review', ada, { handoff_id, approve: true })
  return { server, id: String(handoff_id), open: String(open) }
}

test('a decision of the room holds while the room runs and when it is closed; a claim of another one is contradicted', async (t) => {
  const { server, id, open } = await openDecided(t)
  const { capture, verify } = await kindAt(t, server.file)

  const { facts, verdict } = await capture({ handoff_id: id })
  const undecided = await capture(open)
  const running = await verify(facts)
  await server.stop()
  await server.ended
  const closed = await verify(facts)
  const wrong = await verify({ ...facts, decision: 'rejected' })
  const early = await verify({ ...facts, handoff_id: open })

  assert.equal(verdict, 'holds')
  assert.deepEqual([facts['decision'], facts['title']], ['approved', 'Choose a region'])
  assert.match(
    `${undecided.verdict}: ${undecided.reason}`,
    /^unverifiable: the room has not decided: it is created$/,
  )
  assert.deepEqual([running, closed], Array(2).fill('holds: the room approved it'))
  assert.equal(wrong, 'contradicted: in the room it is approved')
  assert.equal(early, 'contradicted: in the room it is created')
})

test('a room that was deleted, is another one or is not configured tells nothing', async (t) => {
  const { server, id } = await openDecided(t)
  const { capture, verify } = await kindAt(t, server.file)
  const { facts } = await capture(id)

  await server.stop()
  await server.ended
  const another = await openRoomServer(t)
  const elsewhere = await (await kindAt(t, another.file)).verify(facts)
  const nowhere = await (await kindAt(t)).verify(facts)
  await rm(join(dirname(server.file), '.plan.md.satchel'), { recursive: true })
  const deleted = await verify(facts)
  await rm(server.file)
  const removed = await verify(facts)
  await writeFile(server.file, '# Plan\n')

  assert.equal(elsewhere, 'unverifiable: the room here has no such handoff')
  assert.equal(nowhere, 'unverifiable: no room is configured here')
  assert.equal(deleted, 'unverifiable: the room was deleted, or never was here')
  assert.equal(removed, 'unverifiable: the room was deleted, or never was here')
  for (const bad of [{}, { handoff_id: 1, decision: 'approved' }, { handoff_id: id, decision: 'perhaps' }]) {
    assert.equal(await verify(bad), 'unverifiable: it names no decision of a room')
  }
})

test('what names no handoff of the room cannot be claimed', async (t) => {
  const { server } = await openDecided(t)
  const { capture } = await kindAt(t, server.file)

  for (const named of [undefined, 7, {}, 'ho_0000000000000000', '../x']) {
    await assert.rejects(capture(named), { code: 'not_found', reason: 'handoff_not_found' })
  }
})
