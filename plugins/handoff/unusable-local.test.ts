import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Disk, realDisk } from '../../server/plugin.ts'
import { createRecord } from './actions/create-record.ts'
import { handoffConfig } from './config.ts'
import { createHandoffs } from './project.ts'
import { contextOf, openTestProject, SMALL, type TestProject, testHost } from './testing/fixture.ts'

/** What may be where claims and sessions are kept. */
const OBSTACLES: Readonly<Record<string, (project: TestProject) => void>> = {
  'a file for the claims': (project) => project.write('.handoffs/.local/claims', 'not a folder'),
  'a file for the local folder': (project) => project.write('.handoffs/.local', 'not a folder'),
  'a loop of links for the claims': (project) => {
    mkdirSync(join(project.root, '.handoffs/.local'), { recursive: true })
    symlinkSync('claims', join(project.root, '.handoffs/.local/claims'))
  },
  'garbage in the claims and the sessions': (project) => {
    project.write('.handoffs/.local/claims/x.json', '\u0000{"by":')
    project.write('.handoffs/.local/claims/y.json', '{"by":[],"expires_at":1,"processes":"z"}')
    project.write('.handoffs/.local/sessions.json', '{"a":'.repeat(500))
  },
}

for (const [what, put] of Object.entries(OBSTACLES)) {
  test(`records are written, resumed and released with ${what}`, async (t) => {
    const { project, id } = await released(t)
    rmSync(join(project.root, '.handoffs/.local'), { recursive: true, force: true })
    put(project)

    const { warnings } = await project.call('handoff_resume', { id, claim: { by: 'ada' } })
    const child = await project.call('handoff_create', { ...SMALL, parent: id })
    await project.call('handoff_update', {
      id: child.id,
      if_match: child.etag,
      append: { completed: ['Half of it'] },
    })
    await project.call('handoff_transition', { id: child.id, to: 'validated', accept_warnings: 'a test' })

    assert.equal((await project.call('handoff_get', { id, format: 'json' })).record.status, 'resumed')
    assert.equal((await project.call('handoff_list', {})).total, 2)
    const { problems } = await project.call('handoff_doctor', {})
    const kinds: readonly string[] = problems.map(({ kind }: { kind: string }) => kind)
    const isUsable = what.startsWith('garbage')
    assert.equal(kinds.includes('unusable_local'), !isUsable, String(kinds))
    assert.equal(
      warnings.some((text: string) => text.startsWith('No claim could be kept')),
      !isUsable,
    )
  })
}

test('a folder of claims that only another user may read does not keep a record from being written', async (t) => {
  const { project } = await released(t)
  const closed = (path: string) => path.includes('claims')
  const refuse = () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
  const disk: Disk = {
    ...realDisk,
    list: (path) => (closed(path) ? refuse() : realDisk.list(path)),
    readFile: (path) => (closed(path) ? refuse() : realDisk.readFile(path)),
    stat: (path) => (closed(path) ? refuse() : realDisk.stat(path)),
  }
  const handoffs = createHandoffs(testHost(project.root, project.now), handoffConfig.parse({}), { disk })
  const opened = await handoffs.project(contextOf(project.root), undefined)

  const { id } = await createRecord(contextOf(project.root), opened, {
    authored: SMALL,
    parent: undefined,
    options: { captureGit: false, hashArtifacts: false, autoArtifacts: 'none', dryRun: false },
    idempotencyKey: undefined,
  })

  assert.equal((await project.call('handoff_get', { id, format: 'json' })).record.status, 'draft')
})

async function released(t: TestContext) {
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', {
    ...SMALL,
    definition_of_done: ['done'],
    open_items: [{ description: 'x', suggested_action: 'y' }],
  })
  await project.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  return { project, id }
}

test('a folder of the store that is none is named', async (t) => {
  const { project } = await released(t)
  rmSync(join(project.root, '.handoffs/.cache'), { recursive: true, force: true })
  project.write('.handoffs/.cache', 'not a folder')

  const refused = { reason: 'store_unwritable', message: /The folder \.cache of the handoff store/ }
  const later = await openTestProject(t, { root: project.root })
  await assert.rejects(later.call('handoff_note', { kind: 'done', text: 'x' }), refused)
})
