import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadVersions } from '../catalog/load-versions.ts'
import { diffModules } from '../domain/diff.ts'
import { loadIndex } from '../output/index-file.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld, type World } from '../testing/ingest-world.ts'

const NESTED = 'resource "aws_sqs_queue" "this" {\n  name = "a"\n}\n'

/** A root module with a nested one, then a change of the nested one, of a template, and of a comment. */
async function makeRemote(world: World): Promise<string> {
  const root = `${MAIN}\nmodule "queue" {\n  source = "./modules/queue"\n}\n\nlocals {\n  text = file("\${path.module}/text.tpl")\n}\n`
  return await buildRemote(join(world.dir, 'a.git'), [
    { files: { 'main.tf': root, 'modules/queue/main.tf': NESTED, 'text.tpl': 'a' }, tags: ['v1.0.0'] },
    { files: { 'modules/queue/main.tf': NESTED.replace('"a"', 'var.b') }, tags: ['v1.1.0'] },
    { files: { 'text.tpl': 'b' }, tags: ['v1.2.0'] },
    { files: { 'main.tf': `# A comment\n${root}` }, tags: ['v1.3.0'] },
    { files: { 'NOTES.txt': 'no code' }, tags: ['v1.4.0'] },
  ])
}

async function verdicts(world: World): Promise<string[]> {
  const index = await loadIndex(world.outputDir)
  const records = (index?.records ?? []).filter(({ path }) => path === '.')
  const versions = await loadVersions(
    world.outputDir,
    records.sort((a, b) => (a.ref < b.ref ? -1 : 1)),
  )
  return versions.slice(1).flatMap((after, at) => {
    const before = versions[at]
    if (before === undefined) return []
    const { changes } = diffModules(before, after)
    return changes.map((change) => `${after.summary.ref} ${change.class} ${change.code} ${change.subject}`)
  })
}

const EXPECTED = [
  'v1.1.0 review block_changed modules/queue: aws_sqs_queue.this',
  'v1.2.0 review used_file_changed text.tpl',
  'v1.3.0 patch format_changed module',
]

test('what a module uses beside its own files is part of its code, read or not', async (t) => {
  const world = await openWorld(t)
  const url = await makeRemote(world)

  await world.run([{ url, include_tags: true, max_tags: 0 }])

  assert.deepEqual(await verdicts(world), EXPECTED)
})

test('refs are read again when their code is not stored, and not when it is', async (t) => {
  const world = await openWorld(t)
  const entry = { url: await makeRemote(world), include_tags: true, max_tags: 0 }
  await world.run([entry])
  assert.equal((await world.run([entry])).refs.unchanged, 5)

  await rm(join(world.outputDir, '.satchel', 'code-1'), { recursive: true })
  const { refs } = await world.run([entry])

  assert.equal(refs.processed, 5)
  assert.deepEqual(await verdicts(world), EXPECTED)
})

test('a line that a killed run left half written is ignored', async (t) => {
  const world = await openWorld(t)
  const url = await makeRemote(world)
  await world.run([{ url, include_tags: true, max_tags: 2 }])
  const folder = join(world.outputDir, '.satchel', 'code-1')
  const { readdir, appendFile } = await import('node:fs/promises')
  const [file = ''] = await readdir(folder)
  await appendFile(join(folder, file), '{"key":"file:0')

  await world.run([{ url, include_tags: true, max_tags: 0 }])

  assert.deepEqual(await verdicts(world), EXPECTED)
})
