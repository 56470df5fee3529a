import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook } from './testing/run-hook.ts'

const STEP = { open_items: [{ priority: 'high', description: 'x', suggested_action: 'Go on' }] }
const PEERING = 'Peer the two networks'

/** A released record that sessions go on from beside each other. */
async function sessions(t: TestContext) {
  const project = await openTestProject(t, { repository: true, env: { SATCHEL_SESSION: 'first' } })
  const { id } = await project.call('handoff_create', { ...SMALL, ...STEP })
  await release(project, id)
  const session = (name: string) => openTestProject(t, { root: project.root, env: { SATCHEL_SESSION: name } })
  return { id, session }
}

const release = (project: TestProject, id: string) =>
  project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })

async function start(project: TestProject, source: string): Promise<string> {
  const { stdout } = await runHook(project, 'session-start', { cwd: project.root, source })
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

const end = (project: TestProject) => runHook(project, 'session-end', { cwd: project.root })

for (const isRefused of [false, true]) {
  test(`notes that were taken beside a release are named, and the next record takes them up${isRefused ? ': also of a session whose resume was refused' : ''}`, async (t) => {
    const { id, session } = await sessions(t)
    const [one, other] = [await session('second'), await session('third')]
    await one.call('handoff_resume', { id })
    if (isRefused) await assert.rejects(other.call('handoff_resume'), { reason: 'claimed' })
    else await start(other, 'compact')
    const note = await other.call('handoff_note', { kind: 'failed', text: PEERING })
    const own = await one.call('handoff_note', { kind: 'decision', text: 'Route by a gateway' })
    await release(one, own.id)
    for (const session of [one, other]) await end(session)
    const next = await session('fourth')

    const [line, brief] = [await start(next, 'startup'), await start(next, 'compact')]
    const { warnings } = await next.call('handoff_resume')
    const made = await next.call('handoff_create', { ...SMALL, ...STEP })

    const named = `A draft of an ended session continues what this superseded and is not in it: ${note.id}, 1 note; the next record takes them up, handoff_get {"id":"${note.id}"} shows them.`
    for (const text of [line, brief, warnings.join()]) assert.ok(text.includes(named), text)
    const { record } = await next.call('handoff_get', { id: made.id })
    assert.deepEqual(record.lineage.parents, [own.id])
    assert.deepEqual(
      record.failed_attempts.map(({ approach }: { approach: string }) => approach),
      [PEERING],
    )
    assert.equal((await next.call('handoff_get', { id: note.id })).record.status, 'archived')
  })
}

test('a release names other drafts of its session, and those of ended sessions beside it, and no others', async (t) => {
  const { id, session } = await sessions(t)
  const [one, other, living] = [await session('second'), await session('third'), await session('fourth')]
  for (const each of [one, other, living]) await start(each, 'compact')
  const work = await one.call('handoff_create', { ...SMALL, ...STEP, parent: id })
  const apart = await one.call('handoff_create', { ...SMALL, ...STEP, parent: 'none' })
  await living.call('handoff_note', { kind: 'decision', text: 'Keep one network' })
  const beside = await other.call('handoff_note', { kind: 'failed', text: PEERING })
  await end(other)

  const { warnings } = await release(one, work.id)
  const later = await release(one, apart.id)

  assert.deepEqual(warnings, [
    `Another draft of this session is not in this release: ${apart.id}, a record of its own; handoff_resume {"id":"${apart.id}"} goes on with it.`,
    `A draft of an ended session continues what this superseded and is not in it: ${beside.id}, 1 note; the next record takes them up, handoff_get {"id":"${beside.id}"} shows them.`,
  ])
  assert.deepEqual(later.warnings, [])
})
