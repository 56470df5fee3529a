import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startPostgres } from '../../test/postgres-server.ts'
import { openTestProject, SMALL } from './testing/fixture.ts'
import { migratedDatabase } from './testing/migrated-database.ts'

/** A project whose records were files, and one record more in a database, which is what the host reads now. */
async function withBoth(t: TestContext) {
  const server = await startPostgres(t)
  if (!server) return undefined
  const url = await migratedDatabase(server, 'moved')
  const before = await openTestProject(t, { repository: true })
  const { id } = await before.call('handoff_create', SMALL)
  return { id, project: await openTestProject(t, { root: before.root, database: url }) }
}

test('with a database, records that are files alone are told of by every call that does not give them', async (t) => {
  const both = await withBoth(t)
  if (!both) return
  const { id, project } = both
  const told =
    /1 record of this project is in files of \.handoffs\/records and not in the database: satchel storage import/

  for (const asked of ['latest', id])
    await assert.rejects(project.call('handoff_resume', { id: asked }), {
      reason: 'record_not_found',
      message: /\.handoffs\/records has 1 that it lacks\./,
    })
  const doctor = await project.call('handoff_doctor')
  const list = await project.call('handoff_list', {})
  await project.call('handoff_create', SMALL)
  const resumed = await project.call('handoff_resume', {})

  for (const { warnings } of [doctor, list, resumed]) assert.match(warnings.join('\n'), told)
  assert.equal(resumed.warnings.filter((line: string) => told.test(line)).length, 1)
})

test('in files, and once they are in the database, nothing is said of files', async (t) => {
  const both = await withBoth(t)
  if (!both) return
  const { id, project } = both
  const files = await openTestProject(t, { root: project.root })
  await project.call('handoff_import', { content: project.read(`.handoffs/records/${id}.json`) })

  for (const place of [files, project]) {
    const { warnings, total } = await place.call('handoff_list', {})
    assert.deepEqual([warnings, total], [[], 1])
    assert.deepEqual((await place.call('handoff_doctor')).warnings, [])
  }
})
