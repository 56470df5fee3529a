import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { REASONS } from './reasons.ts'

/** Reasons that are not the room's own: of the doors, and of the measurements. */
const SHARED: ReadonlySet<string> = new Set([
  'invalid_arguments',
  'origin_not_allowed',
  'media_type',
  'resource_not_found',
  'no_proc',
  'stopping',
])

test('every reason that the room gives is explained with its code, and every reason explained is a reason', async () => {
  const folder = import.meta.dirname
  const sources = (await readdir(folder, { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test.') && !name.includes('torture'),
  )
  const texts = sources
    .filter((name) => name !== 'reasons.ts')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const used = new Map<string, string | undefined>()
  for (const text of texts) {
    for (const [, reason = ''] of text.matchAll(/refusal\(\s*'([a-z_]+)'/g)) used.set(reason, undefined)
    for (const [, code, reason = ''] of text.matchAll(/SatchelError\(\s*'([a-z_]+)',\s*'([a-z_]+)'/g)) {
      if (!SHARED.has(reason)) used.set(reason, code)
    }
  }

  for (const [reason, code] of used) {
    assert.ok(reason in REASONS, reason)
    if (code !== undefined && reason !== 'limit_exceeded') assert.equal(REASONS[reason]?.[0], code, reason)
  }
  for (const reason of Object.keys(REASONS))
    assert.ok(
      texts.some((text) => text.includes(`'${reason}'`)),
      reason,
    )
  assert.ok(used.size > 25, `${used.size}`)
})
