import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestProject, SMALL } from '../plugins/handoff/testing/fixture.ts'
import { sampleId, sampleRecord } from '../plugins/handoff/testing/sample-record.ts'
import { EVENTS, finishes, inputFor } from './hook-process.ts'

/** What a hook may say of its records: nothing where it saw them all, else how many it did not see. */
const SEEN =
  /^(?:satchel handoff hook [a-z-]+: (?:1 record was|[0-9]+ records were) not (?:read|checked for changes) in time.*\n)?$/

test('a hook finishes within its limit in a store of 10,000 records, with an index and without', async (t) => {
  const project = await openTestProject(t, { repository: true })
  for (let n = 0; n < 10_000; n++) {
    project.write(`.handoffs/records/${sampleId(n)}.json`, JSON.stringify(sampleRecord(n, 1300)))
  }
  const { id } = await project.call('handoff_create', SMALL)
  const cache = join(project.root, '.handoffs/.cache')

  for (const event of EVENTS) {
    rmSync(cache, { recursive: true, force: true })
    const { stdout, stderr } = await finishes(project, event, inputFor(project))
    t.diagnostic(`${event} without an index: ${stderr.trim() || 'all records'}`)
    assert.equal(stdout === '', event !== 'session-start', `${event}: ${stderr}`)
    assert.match(stderr, SEEN)
  }
  rmSync(cache, { recursive: true, force: true })
  const other = { session_id: 'two' }
  const { stdout } = await finishes(project, 'session-start', inputFor(project, other))
  assert.match(JSON.parse(stdout).hookSpecificOutput.additionalContext, new RegExp(`${id.slice(-8)}`))

  await project.call('handoff_list')
  assert.ok(existsSync(join(cache, 'index.json')))
  for (const event of EVENTS) {
    const { stdout, stderr } = await finishes(project, event, inputFor(project))
    t.diagnostic(`${event} with an index: ${stderr.trim() || 'all records'}`)
    assert.equal(stdout === '', event !== 'session-start', `${event}: ${stderr}`)
    assert.match(stderr, SEEN)
  }
})
