import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestProject, SMALL } from './testing/fixture.ts'

const OPEN = { open_items: [{ priority: 'high', description: 'x', suggested_action: 'y' }] }

test('every tool takes latest for the record from which its own session continues', async (t) => {
  const monday = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'monday' } })
  const old = await monday.call('handoff_create', { ...SMALL, ...OPEN })
  await monday.call('handoff_transition', { id: old.id, to: 'ready', accept_warnings: 'a test' })
  const before = monday.read(old.path)
  const { call } = await openTestProject(t, { root: monday.root, env: { SATCHEL_SESSION: 'tuesday' } })
  const own = await call('handoff_note', { kind: 'failed', text: 'Store the state in a cookie' })
  const id = 'latest'

  const { etag, id: read } = await call('handoff_get', { id })
  const updated = await call('handoff_update', { id, if_match: etag, append: { completed: ['a'] } })
  const [validated, ofOwn, ofOld] = await Promise.all(
    [id, own.id, old.id].map((one) => call('handoff_validate', { id: one })),
  )
  const redacted = await call('handoff_redact', { id })
  const lineage = await call('handoff_lineage', { id })
  const fresh = await call('handoff_freshness', { id })
  const moved = await call('handoff_transition', { id, to: 'validated' })
  const checked = await call('handoff_check_plan', { plan: 'Store the state in a cookie' })
  const exported = await call('handoff_export', { ids: [id], format: 'json' })
  const differing = await call('handoff_diff', { a: id, b: own.id })
  const continued = await call('handoff_branch', { id, mode: 'continue' }).catch((thrown) => thrown)

  const ids = [read, updated.id, fresh.id, moved.id, checked.id]
  assert.deepEqual(ids, Array(ids.length).fill(own.id))
  assert.deepEqual([checked.verdict, checked.compared], ['repeat', 1])
  assert.deepEqual(validated, ofOwn)
  assert.notDeepEqual(validated, ofOld)
  assert.equal(redacted.etag, updated.etag)
  assert.ok(JSON.stringify(lineage).includes(own.id) && !JSON.stringify(lineage).includes(old.id))
  assert.ok(JSON.stringify(exported).includes(own.id))
  assert.ok(!JSON.stringify(differing).includes(old.id))
  assert.notEqual(continued.parents?.[0] ?? continued.lineage?.parents?.[0], old.id)
  assert.equal(monday.read(old.path), before)
  assert.equal((await monday.call('handoff_get', { id })).id, old.id)
})
