import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { Host } from '../../../server/plugin.ts'
import { listening } from '../../../test/harness/listening.ts'
import { roomPlace } from '../engine/open-room.ts'
import { createAttachment, HOLD_BACK_MS } from './attachment.ts'
import { createFollower } from './follower.ts'
import type { Owner } from './owner.ts'

/** A timer may fire this much before its time by another clock. */
const CLOCKS_MS = 5

test('calls of a bridge wait too when the owner announces its stop: the process that asked for the room goes first', async (t) => {
  let announced = Number.NaN
  const server = createServer((_, response) => {
    announced = performance.now() // not later than the follower hears of it, however busy the machine is
    for (const type of ['workspace.stopped', 'change.committed'])
      response.write(`data: {"event_id":7,"event_type":"${type}","payload":{}}\n\n`)
  })
  const { url } = await listening(t, server)
  const looked: number[] = []
  const attachment = createAttachment(
    async () => {
      looked.push(performance.now())
      return { kind: 'owner', owner: { rank: 'stdio', keep() {} } as unknown as Owner } // only handed through
    },
    () => roomPlace('plan.md', {}),
  )
  const hints = new EventEmitter()
  const host = {
    log: { debug() {}, info() {}, warn() {}, error() {} },
    resourceChanged: () => void hints.emit('hint'),
  } as unknown as Host
  const follower = createFollower(host, attachment)
  t.after(() => follower.stop())
  const session = { token: 't', session_id: 'ssn_0', participant_id: 'par_0', workspace_id: 'ws_0' }
  const hint = once(hints, 'hint')

  follower.follow({ kind: 'there', address: { url } }, { ...session, capabilities: [], expires_at: '' })
  await hint
  await attachment.attach('stdio') // as a call does when the owner has ended

  assert.equal(looked.length, 1)
  const waited = (looked[0] ?? 0) - announced
  assert.ok(waited >= HOLD_BACK_MS - CLOCKS_MS, `looked after ${waited} ms`)
})
