import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { roomPlace } from '../engine/open-room.ts'
import { createAttachment } from './attachment.ts'
import type { Owner, OwnerAttempt } from './owner.ts'

/** Longer than lost races may go on. */
const SLOW_MS = 2_100

test('a process whose first look took long and was too late looks again', async () => {
  const owner = { rank: 'stdio' } as unknown as Owner // only handed through
  const attempts: OwnerAttempt[] = [{ kind: 'lost' }, { kind: 'owner', owner }]
  const take = async (): Promise<OwnerAttempt> => {
    if (attempts.length === 2) await pause(SLOW_MS)
    return attempts.shift() ?? { kind: 'lost' }
  }
  const attachment = createAttachment(take, () => roomPlace('plan.md', {}))

  const attached = await attachment.attach('stdio')

  assert.deepEqual(attached, { kind: 'here', owner })
})

test('races that are lost again and again end: room_starting', async () => {
  const attachment = createAttachment(
    async () => ({ kind: 'lost' }),
    () => roomPlace('plan.md', {}),
  )

  await assert.rejects(attachment.attach('stdio'), { code: 'unavailable', reason: 'room_starting' })
})
