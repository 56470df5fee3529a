import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { pointerOf } from '../domain/json-pointer.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'

interface Case {
  readonly name: string
  readonly valid: boolean
  readonly at?: readonly string[]
  readonly record: unknown
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const CASES_FILE = join(ROOT, 'plugins/handoff/testdata/handoff-cases.json')
const CASES: readonly Case[] = JSON.parse(readFileSync(CASES_FILE, 'utf8'))

test('every case of the specification gets its verdict and its pointer, as a value and as text', async (t) => {
  const project = await openTestProject(t)
  assert.equal(CASES.length, 56)

  for (const { name, valid, at, record } of CASES) {
    for (const given of [record, JSON.stringify(record)]) {
      const verdict = await project.call('handoff_validate', { record: given, level: 'schema' })

      assert.equal(verdict.schema_valid, valid, name)
      assert.equal(verdict.errors_total > 0, !valid, name)
      if (at) {
        const pointers = verdict.errors.map((error: { pointer: string }) => error.pointer)
        assert.ok(pointers.includes(pointerOf(at)), `${name}: ${pointers}`)
      }
    }
  }
  assert.deepEqual(project.files(), [])
})

test('the validator runs alone in a folder without packages', (t) => {
  const folder = temporaryFolderSync(t)
  copyFileSync(join(ROOT, 'generated/handoff-validate.js'), join(folder, 'validate.mjs'))
  copyFileSync(CASES_FILE, join(folder, 'cases.json'))
  writeFileSync(
    join(folder, 'run.mjs'),
    `import { readFileSync } from 'node:fs'
     import { validate } from './validate.mjs'
     const cases = JSON.parse(readFileSync('cases.json', 'utf8'))
     console.log(cases.filter(({ record, valid }) => validate(record) === valid).length)`,
  )

  const right = execFileSync(process.execPath, ['run.mjs'], { cwd: folder, encoding: 'utf8' })

  assert.equal(right.trim(), '56')
})

test('a record that was written validates and is read back by its bytes', async (t) => {
  const project = await openTestProject(t, { repository: true })

  const created = await project.call('handoff_create', SMALL)

  const verdict = await project.call('handoff_validate', { id: created.id })
  assert.equal(verdict.schema_valid, true)
  const record = JSON.parse(project.read(created.path))
  assert.equal(record.status, 'draft')
  assert.equal(record.project.repository.head, project.git('rev-parse', 'HEAD'))
  assert.equal(record.project.repository.dirty, false)
  assert.equal(record.project.repository.branch, 'main')
  assert.equal(record.project.id, `git:${project.git('rev-parse', 'HEAD')}`)
  assert.deepEqual(
    project.files().filter((path) => path.startsWith('.handoffs') && !/\/\.(?:cache|locks|tmp)\//.test(path)),
    ['.handoffs/.gitignore', '.handoffs/config.json', created.path],
  )
})

test('validating a stored record that is a symbolic link says so', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  renameSync(join(project.root, path), join(project.root, 'moved.json'))
  symlinkSync(join(project.root, 'moved.json'), join(project.root, path))

  await assert.rejects(project.call('handoff_validate', { id }), { code: 'invalid', reason: 'not_a_file' })
})

test('a text of many values is refused before its checks begin', async (t) => {
  const project = await openTestProject(t)
  const names = (count: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])))

  const small = await project.call('handoff_validate', { record: names(5_000) })

  assert.equal(small.schema_valid, false)
  for (const given of [{ record: names(50_001) }, { markdown: names(50_001) }])
    await assert.rejects(project.call('handoff_validate', given), {
      code: 'too_large',
      reason: 'too_many_values',
    })
})

test('a name of a file that is not there is no id', async (t) => {
  const project = await openTestProject(t)
  const [verb] = [project.host.registry.tool('handoff_validate')?.tool.cli ?? []].flat()
  const typed = (source: string) =>
    verb?.arrange?.({ source }, { exists: async () => false, readText: async () => '' })

  assert.deepEqual(await typed('record.json'), { path: 'record.json' })
  assert.deepEqual(await typed('0959eff1'), { id: '0959eff1' })
})
