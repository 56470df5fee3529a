import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type Answer, openTestProject, SMALL } from './testing/fixture.ts'

const LINES = [':2', ':2-5', ':2:7', '#L2', '#L2-L5']

test('file evidence may name lines: its file is hashed, judged and validated', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const evidence = ['', ...LINES].map((lines) => ({
    type: 'file',
    claim: 'it is exported',
    ref: `src/callback.ts${lines}`,
  }))
  const { id, path } = await project.call('handoff_create', { ...SMALL, scope: ['docs/**'], evidence })
  const items = JSON.parse(project.read(path)).evidence
  const before = await project.call('handoff_freshness', { id })
  const { validation } = await project.call('handoff_validate', { id })
  project.write('src/callback.ts', 'replaced\n')
  const replaced = await project.call('handoff_freshness', { id })
  project.git('rm', '-q', '-f', 'src/callback.ts')
  const removed = await project.call('handoff_freshness', { id })

  assert.match(items[0].digest, /^sha256:/)
  for (const [index, { ref, digest }] of items.entries()) {
    assert.deepEqual([ref, digest], [evidence[index]?.ref, items[0].digest])
    const verdicts = [before, replaced, removed].map(({ claims }) => claims[index].verdict)
    assert.deepEqual(verdicts, ['holds', 'stale', 'contradicted'], ref)
  }
  assert.equal(validation.checks.find(({ name }: { name: string }) => name === 'evidence').status, 'pass')
})

test('without a digest, commits that change the file make lines in it stale', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', { ...SMALL, scope: ['docs/**'] })
  const { etag } = await project.call('handoff_get', { id })
  const head = project.git('rev-parse', 'HEAD')
  const item = { type: 'file', claim: 'it is exported', ref: 'src/callback.ts:1', head }
  await project.call('handoff_update', { id, if_match: etag, append: { evidence: [item] } })
  const before = await project.call('handoff_freshness', { id })

  project.write('src/callback.ts', 'replaced\n')
  project.git('commit', '-q', '-a', '-m', 'replaced')
  const after = await project.call('handoff_freshness', { id })

  assert.deepEqual([before.claims[0].verdict, after.claims[0].verdict], ['holds', 'stale'])
})

test('a file whose name ends like lines is itself', async (t) => {
  const project = await openTestProject(t, { repository: true })
  project.write('src/callback.ts:2', 'another\n')
  const evidence = [{ type: 'file', claim: 'it is there', ref: 'src/callback.ts:2' }]
  const { id } = await project.call('handoff_create', { ...SMALL, evidence })

  project.write('src/callback.ts', 'replaced\n')
  assert.equal((await project.call('handoff_freshness', { id })).claims[0].verdict, 'holds')

  project.write('src/callback.ts:2', 'replaced\n')
  assert.equal((await project.call('handoff_freshness', { id })).claims[0].verdict, 'stale')
})

test('a file in whose place a clone without git-lfs has a pointer is the same file', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const content = 'weights\n'
  const oid = createHash('sha256').update(content).digest('hex')
  const pointer = (id: string) => `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize 8\n`
  const evidence = [{ type: 'file', claim: 'the model', ref: 'model.bin' }]
  const artifacts = [{ path: 'model.bin', role: 'created' }]
  const captured = async (text: string) => {
    project.write('model.bin', text)
    return project.call('handoff_create', { ...SMALL, evidence, artifacts, parent: 'none' })
  }
  const seen = async ({ id }: Answer, text: string) => {
    project.write('model.bin', text)
    const { claims, artifacts } = await project.call('handoff_freshness', { id })
    return [claims[0].verdict, artifacts[0].status]
  }

  const ofContent = await captured(content)
  const ofPointer = await captured(pointer(oid))

  assert.deepEqual(await seen(ofContent, pointer(oid)), ['holds', 'same'])
  assert.deepEqual(await seen(ofPointer, content), ['holds', 'same'])
  assert.deepEqual(await seen(ofContent, pointer('a'.repeat(64))), ['stale', 'changed'])
})
