import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSatchelError } from '../../../server/plugin.ts'
import type { Attached, Attachment } from './attachment.ts'
import { LinkLost } from './link.ts'
import type { Owner } from './owner.ts'
import { createReplicaAccess } from './replica-access.ts'
import { newPass, type PassKey } from './replica-pass.ts'

const NOW_MS = 1_800_000_000_000
const passKey: PassKey = { key: Buffer.alloc(32, 1), fence: 'a', nowMs: () => NOW_MS }

function attachmentTo(first: Attached) {
  let current: Attached | undefined = first
  const links: Attached[] = []
  const attachment: Attachment = {
    attach: async () => {
      current ??= links.shift()
      return current ?? assert.fail('no link is left')
    },
    get current() {
      return current
    },
    detach(attached) {
      if (current === attached) current = undefined
    },
    letGo: async () => {},
    holdBack() {},
    end: async () => {},
  }
  const become = (next: Attached): void => {
    current = next
  }
  return { attachment, become, links }
}

const owner = { passKey, touch() {} } as unknown as Owner // only what a server itself needs
const here: Attached = { kind: 'here', owner }
const at = (url: string): Attached => ({ kind: 'there', address: { url, pass: () => '' } })

test('a caller whom another server sent here is not sent on, also where the room moved meanwhile', async () => {
  const { attachment, become } = attachmentTo(here)
  const access = createReplicaAccess(attachment, () => {})
  const credentials = { transport: 'http', listener: 'api', bearer: newPass(passKey) } as const
  const { principal } = (await access.authenticate(credentials)) ?? {}
  let sent = 0
  const run = async (): Promise<void> => {
    sent += 1
  }

  become(at('http://10.0.0.9'))
  const refused = await access.elsewhere(principal, { run }).catch((thrown: unknown) => thrown)
  const own = await access.elsewhere(undefined, { run })

  assert.ok(isSatchelError(refused) && refused.reason === 'room_moved')
  assert.deepEqual([sent, own], [1, { value: undefined }])
})

test('the time of a pass counts when its request comes, not again while its stream is open', async () => {
  let nowMs = NOW_MS
  const timed: Owner = { ...owner, passKey: { ...passKey, nowMs: () => nowMs } }
  const { attachment } = attachmentTo({ kind: 'here', owner: timed })
  const access = createReplicaAccess(attachment, () => {})
  const credentials = { transport: 'http', listener: 'api', bearer: newPass(passKey) } as const

  await access.authenticate(credentials)
  nowMs += 600_000
  const again = await access.authenticate(credentials)

  assert.equal(again?.principal?.id, 'session:ssn_looking')
  await assert.rejects(access.authenticate({ ...credentials }), { reason: 'pass_refused' })
})

test('work that was lost is done at the next owner, but for what must not happen twice', async () => {
  const { attachment, links } = attachmentTo(at('http://10.0.0.8'))
  links.push(at('http://10.0.0.9'), at('http://10.0.0.9'))
  const access = createReplicaAccess(attachment, () => {})
  const asked: string[] = []
  const run = async ({ url }: { readonly url: string }): Promise<string> => {
    asked.push(url)
    if (asked.length === 1) throw new LinkLost()
    return url
  }
  const lose = async (): Promise<never> => {
    asked.push('once')
    throw new LinkLost()
  }

  const found = await access.elsewhere(undefined, { run })
  const once = access.elsewhere(undefined, { run: lose, once: true })

  assert.equal(found?.value, 'http://10.0.0.9')
  await assert.rejects(once, { code: 'unavailable', reason: 'room_owner_lost' })
  assert.deepEqual(asked, ['http://10.0.0.8', 'http://10.0.0.9', 'once'])
})
