import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { handoffConfig } from '../../plugins/handoff/config.ts'
import { createHandoffs } from '../../plugins/handoff/project.ts'
import { testHost } from '../../plugins/handoff/testing/fixture.ts'
import { plant } from './planted.ts'
import { reportRetention } from './report.ts'
import { onStage, type Stage } from './stage.ts'

const report = (stage: Stage, id: string) =>
  reportRetention(
    createHandoffs(testHost(stage.root, stage.now), handoffConfig.parse({})).projectAt(stage.root),
    id,
  )

test('a real session is measured without a model: what it kept, tried again and called before its first edit', async () => {
  await onStage(process.env, async (stage) => {
    const planted = plant('one', { attempts: 40, constraints: 20 })
    const session = await stage.session('A')
    const attempts = planted.input['failed_attempts'] as readonly object[] // as planted
    const cookie = { approach: 'Store the OAuth state in a browser cookie', reason: 'dropped on redirect' }
    await session.data('handoff_create', { ...planted.input, failed_attempts: [cookie, ...attempts] })
    assert.equal(await report(stage, 'A'), undefined)

    await session.hook('pre-compact', { trigger: 'auto' })
    const before = await report(stage, 'A')
    await session.hook('session-start', { source: 'compact' })
    stage.advance(1)
    await session.data('handoff_check_plan', { plan: cookie.approach })
    await session.data('handoff_list')
    stage.advance(1)
    await stage.write({ 'src/edited.ts': 'x\n' })
    await utimes(join(stage.root, 'src/edited.ts'), stage.now(), stage.now())
    stage.advance(1)
    await session.data('handoff_note', { kind: 'failed', text: 'Stored the OAuth state in a browser cookie' })
    const after = await report(stage, 'A')

    assert.equal(before, undefined, 'no compaction followed yet: nothing is lost')
    assert.deepEqual([after?.kept, after?.of, after?.lost], [66, 66, []])
    assert.ok((after?.listed ?? 0) > 0)
    assert.equal(after?.calls_before_first_edit, 2)
    assert.deepEqual([after?.retried.length, after?.warned], [1, 1])
    assert.equal(await report(stage, 'another'), undefined)
  })
})

test('the live meter bites: what the hook did not print is lost', async () => {
  await onStage(process.env, async (stage) => {
    const session = await stage.session('A')
    const { id, etag } = await session.data('handoff_create', plant('one').input)
    await session.hook('pre-compact', { trigger: 'auto' })
    await session.data('handoff_update', {
      id,
      if_match: etag,
      patch: [{ op: 'replace', path: '/work/constraints', value: [] }],
    })
    await session.hook('session-start', { source: 'compact' })

    const told = await report(stage, 'A')

    assert.deepEqual(
      told?.lost.map(({ kind }) => kind),
      ['constraint', 'constraint', 'constraint'],
    )
  })
})
