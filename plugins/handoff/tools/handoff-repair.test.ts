import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handoff } from '../domain/record.ts'
import { openTestProject, SMALL, type TestProject } from '../testing/fixture.ts'

type Edit = (record: Handoff & Record<string, unknown>) => void

/** A record that two branches change, merged by git without a driver: `git merge` fails and leaves markers. */
async function inConflict(
  project: TestProject,
  ours: Edit,
  theirs: Edit,
): Promise<{ path: string; id: string }> {
  const { path, id } = await project.call('handoff_create', {
    ...SMALL,
    completed: ['helper'],
    open_items: [{ description: 'Add the fixture', suggested_action: 'Write it' }],
  })
  const edit = (change: Edit) => {
    const record = JSON.parse(project.read(path))
    change(record)
    project.write(path, `${JSON.stringify(record, null, 2)}\n`)
    project.git('commit', '-qam', 'edit the record')
  }
  project.git('add', '-f', path)
  project.git('commit', '-qm', 'add the record')
  project.git('switch', '-qc', 'other')
  edit(theirs)
  project.git('switch', '-q', 'main')
  edit(ours)
  assert.throws(() => project.git('merge', '-q', 'other'))
  assert.match(project.read(path), /^<{7} /m)
  return { path, id }
}

const later: Edit = (record) => {
  record.status = 'resumed'
  record.updated_at = '2026-11-21T12:00:00.000Z'
  record.summary.completed.push('ours')
}
const earlier: Edit = (record) => {
  record.updated_at = '2026-11-21T11:00:00.000Z'
  record.summary.completed.push('theirs')
}

for (const committed of [false, true]) {
  test(`a record with conflict markers is merged from its parents, ${committed ? 'after' : 'before'} the merge is committed`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    const { path, id } = await inConflict(project, later, earlier)
    const damaged = project.read(path)
    if (committed) project.git('commit', '-qam', 'merge with markers')

    project.advance(3 * 3600) // past the times in the record
    const before = await project.call('handoff_doctor')
    const repaired = await project.call('handoff_repair')
    const after = await project.call('handoff_doctor')
    const again = await project.call('handoff_repair')

    assert.equal(before.problems[0].kind, 'damaged_record')
    assert.match(before.problems[0].next, /doctor --fix/)
    assert.deepEqual(repaired.results, [
      { path, outcome: 'repaired', detail: 'merged from its parents in git' },
    ])
    const record: Handoff = JSON.parse(project.read(path))
    assert.deepEqual(record.summary.completed, ['helper', 'ours', 'theirs'])
    assert.deepEqual([record.status, record.updated_at], ['resumed', '2026-11-21T12:00:00.000Z'])
    assert.deepEqual([after.total, again.results], [0, []])
    const [kept] = project.files().filter((file) => file.includes(`.local/damaged/${id}`))
    assert.equal(project.read(kept ?? ''), damaged)
  })
}

test('without git the two sides in the file are merged; what both changed is flagged', async (t) => {
  const from = await openTestProject(t, { repository: true })
  const { path, id } = await inConflict(
    from,
    (record) => {
      record.work.title = 'Ours'
    },
    (record) => {
      record.work.title = 'Theirs'
    },
  )
  const project = await openTestProject(t)
  project.write(path, from.read(path))

  const { results } = await project.call('handoff_repair')

  assert.equal(results[0].outcome, 'conflicted')
  assert.match(results[0].detail, /title.*the two sides in the file/)
  const record: Handoff = JSON.parse(project.read(path))
  assert.equal(record.id, id)
  assert.equal(record.work.title, 'Ours')
  assert.ok(record.flags.includes('conflicted'))
})

test('markers that came after a merge are not resolved by the parents of that merge', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { path } = await inConflict(project, later, earlier)
  await project.call('handoff_repair')
  project.git('commit', '-qam', 'merge')
  const merged = project.read(path)
  const newer = merged.replace('"ours"', '"from a stash"')
  project.write(path, `<<<<<<< a\n${merged}=======\n${newer}>>>>>>> b\n`)

  const { results } = await project.call('handoff_repair')

  assert.match(results[0].detail, /the two sides in the file/)
  assert.match(project.read(path), /from a stash/)
})

test('other damage is left as it is, byte by byte', async (t) => {
  const project = await openTestProject(t)
  const { path, id } = await project.call('handoff_create', SMALL)
  const sound = project.read(path)
  const other = sound.replaceAll(id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)
  const damages = [
    sound.slice(0, -20),
    '',
    `<<<<<<< a\n${sound}=======\nnot a record\n>>>>>>> b\n`,
    `<<<<<<< a\n${other}=======\n${other}>>>>>>> b\n`,
    `<<<<<<< a\n${sound}`,
    '{"kind": "handoff"}',
  ]
  for (const damage of damages) {
    project.write(path, damage)
    const { results } = await project.call('handoff_repair')
    assert.deepEqual([results.length, results[0]?.outcome], [1, 'left'], damage.slice(0, 60))
    assert.equal(project.read(path), damage)
  }
  const empty = await openTestProject(t)
  assert.deepEqual((await empty.call('handoff_repair')).results, [])
})

test('a damaged parent is one problem: its children do not say that it is missing', async (t) => {
  const project = await openTestProject(t)
  const { path, id } = await project.call('handoff_create', SMALL)
  await project.call('handoff_create', { ...SMALL, parent: id })
  project.write(path, project.read(path).slice(0, 200))

  const { problems } = await (await openTestProject(t, { root: project.root })).call('handoff_doctor')

  assert.deepEqual(
    problems.map(({ kind }: { kind: string }) => kind),
    ['damaged_record'],
  )
})

test('doctor says once at which place a file is not JSON', async (t) => {
  const project = await openTestProject(t)
  const { path } = await project.call('handoff_create', SMALL)
  project.write(path, '{\n  "id": oh\n}\n')

  const { problems } = await project.call('handoff_doctor')

  assert.deepEqual(
    problems.map(({ detail }: { detail: string }) => detail),
    ['bad_json: is not JSON at line 2, column 9'],
  )
})
