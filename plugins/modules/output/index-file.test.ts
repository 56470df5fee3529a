import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSatchelError, withScratchFolder } from '../../../server/plugin.ts'
import { contentOf } from './index-content.ts'
import { loadIndex, loadIndexHead, loadIndexToUpdate, saveIndex } from './index-file.ts'
import {
  emptyIndex,
  type IndexRecord,
  indexFile,
  indexRecord,
  isIndexRecord,
  isRepositoryRow,
  type ModuleIndex,
  moduleId,
} from './module-index.ts'
import { storageFailure } from './summary-files.ts'

function recordOf(number: number, description: string): IndexRecord {
  const repository = `https://example.test/acme/terraform-${number % 7}`
  const ref = `v${number}.0.0`
  return {
    ...{ id: moduleId(repository, ref, '.'), repository, name: `terraform-${number % 7}`, ref },
    ...{ ref_kind: 'tag', path: '.', kind: 'root', commit: '', options_digest: '' },
    ...{ summary_file: `${number}.json`, summary_sha256: '', description, provider: 'aws' },
    ...{ providers: [], tags: [], counts: { variables: 0, required: 0, outputs: 0, resources: 0 } },
    ...{ last_updated: '2026-01-01T00:00:00.000Z', embedded: false },
  }
}

function indexOf(records: readonly IndexRecord[]): ModuleIndex {
  return { ...emptyIndex(), records: [...records] }
}

const fileOf = (dir: string): string => join(dir, '.satchel', 'index.json')
const numbers = fc.uniqueArray(fc.nat(60), { maxLength: 12 })

test('an index that was loaded, changed and saved has the bytes that it has when all of it is printed', async () => {
  await withScratchFolder('index', async (dir) => {
    const cases = fc.record({
      ...{ first: numbers, changed: fc.uniqueArray(fc.nat(60)), removed: numbers, added: numbers },
      text: fc.string({ unit: 'grapheme' }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ first, changed, removed, added, text }) => {
        await saveIndex(dir, indexOf(first.map((number) => recordOf(number, text))))
        const before = await loadIndexToUpdate(dir)
        assert.ok(before)
        const removedIds = new Set(removed.map((number) => recordOf(number, '').id))
        const kept = before.records.filter(({ id }) => !removedIds.has(id))
        const changedIds = new Set(changed.map((number) => recordOf(number, '').id))
        const next = kept.map((record) =>
          changedIds.has(record.id) ? { ...record, embedded: true } : record,
        )
        const known = new Set(next.map(({ id }) => id))
        const fresh = added.map((number) => recordOf(number, 'new')).filter(({ id }) => !known.has(id))
        const index = indexOf([...next, ...fresh])

        await saveIndex(dir, index, { before })
        const quick = await readFile(fileOf(dir), 'utf8')
        await saveIndex(dir, indexOf(index.records))

        assert.equal(quick, await readFile(fileOf(dir), 'utf8'))
      }),
    )
  })
})

test('a file that an editor wrote in another way is read, and its records are printed again when it is saved', async () => {
  await withScratchFolder('index', async (dir) => {
    const index = indexOf([recordOf(1, 'one'), recordOf(2, 'two'), recordOf(3, 'three')])
    await saveIndex(dir, index)
    const whole = await readFile(fileOf(dir), 'utf8')
    const edits: readonly ((text: string) => string)[] = [
      (text) => text.replaceAll('\n', '\r\n'),
      (text) => JSON.stringify(JSON.parse(text)),
      (text) => JSON.stringify(JSON.parse(text), null, 2),
      (text) => text.replaceAll(',\n', '\n,'),
      (text) => text.replace(',\n', ','),
      (text) => `${text}\n`,
    ]
    for (const edit of edits) {
      await writeFile(fileOf(dir), edit(whole))
      const before = await loadIndexToUpdate(dir)
      assert.deepEqual(before, await loadIndex(dir))
      assert.ok(before)
      const [first, ...others] = before.records
      assert.ok(first)
      await saveIndex(dir, { ...before, records: [{ ...first, embedded: true }, ...others] }, { before })
      const saved = await readFile(fileOf(dir), 'utf8')
      const [start, ...rest] = index.records
      assert.ok(start)
      await saveIndex(dir, indexOf([{ ...start, embedded: true }, ...rest]))

      assert.equal(saved, await readFile(fileOf(dir), 'utf8'))
    }
  })
})

test('a record is taken as it is just where its schema would leave it as it is', () => {
  const whole = {
    ...recordOf(1, 'one'),
    document_mark: 'x',
    other_names: [{ name: 'b', summary_file: 'b.json' }],
  }
  const keys = [...Object.keys(whole), 'counts.variables', 'providers.0', 'new']
  const values = fc.oneof(
    fc.constantFrom(
      undefined,
      null,
      1,
      1.5,
      2 ** 60,
      'text',
      true,
      [],
      ['a'],
      [1],
      {},
      'tag',
      'root',
      'delete',
    ),
    fc.constant([{ name: 'b', summary_file: 'b.json', summary_sha256: '' }]),
    fc.constant({ variables: 1, required: 0, outputs: 0, resources: 0 }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...keys), values, fc.boolean(), (path, value, isWhole) => {
      const [key = '', part] = path.split('.')
      const { document_mark: _, other_names: __, ...least } = whole
      const record: Record<string, unknown> = structuredClone(isWhole ? { ...whole, other_names: [] } : least)
      if (part !== undefined) record[key] = { ...(record[key] as object), [part]: value }
      else if (value === 'delete') delete record[key]
      else record[key] = value
      const text = JSON.stringify(record) // a file has no undefined
      const parsed = indexRecord.safeParse(JSON.parse(text))
      const isSame = parsed.success && JSON.stringify(parsed.data).length === text.length
      assert.equal(isIndexRecord(JSON.parse(text)), isSame, text)
    }),
    { numRuns: 2000 },
  )
})

test('a repository is taken as it is just where its schema would leave it as it is', () => {
  const reading = {
    ref: 'v1',
    ref_kind: 'tag',
    path: '.',
    commit: '',
    options_digest: '',
    directories: ['.'],
  }
  const whole = { repository: 'a', name: 'b', default_branch: null, readings: [reading, reading] }
  const keys = [
    ...Object.keys(whole),
    'new',
    ...[...Object.keys(reading), 'new'].map((key) => `reading.${key}`),
  ]
  const values = fc.constantFrom(undefined, null, 1, 'text', 'branch', true, [], ['a'], [1], {}, [reading])
  fc.assert(
    fc.property(fc.constantFrom(...keys), values, (path, value) => {
      const [key = '', part] = path.split('.')
      const changed = part === undefined ? { ...whole, [key]: value } : whole
      const readings = part === undefined ? changed.readings : [reading, { ...reading, [part]: value }]
      const text = JSON.stringify({ ...changed, ...(path !== 'readings' && { readings }) })
      const parsed = indexFile.shape.repositories.element.safeParse(JSON.parse(text))
      const isSame = parsed.success && JSON.stringify(parsed.data).length === text.length
      assert.equal(isRepositoryRow(JSON.parse(text)), isSame, text)
    }),
    { numRuns: 1000 },
  )
})

test('the content of a file is taken from its head, but not from a file that something changed', async () => {
  await withScratchFolder('index', async (dir) => {
    const index = indexOf([recordOf(1, 'one'), recordOf(2, 'two')])
    await saveIndex(dir, index)
    const held = await loadIndexToUpdate(dir)
    assert.ok(held)
    assert.equal(contentOf(held), contentOf(index))

    const text = await readFile(fileOf(dir), 'utf8')
    for (const edit of [
      text.replace('2026-01-01', '2027-01-01'),
      text.replace(/"content":"."/, '"content":"0'),
      text.replace(contentOf(index), '0'.repeat(64)),
    ]) {
      await writeFile(fileOf(dir), edit)
      const edited = await loadIndexToUpdate(dir)
      assert.ok(edited)
      assert.equal(contentOf(edited), contentOf(structuredClone(edited)))
    }
  })
})

test('a folder in the place of the index is damage, and a summary or an index is not written over one', async () => {
  await withScratchFolder('satchel-index-', async (dir) => {
    await mkdir(fileOf(dir), { recursive: true })
    const damaged = { code: 'conflict', reason: 'index_damaged' }

    await assert.rejects(loadIndex(dir), damaged)
    await assert.rejects(async () => loadIndexHead(dir), damaged)
    const thrown = await saveIndex(dir, indexOf([])).catch(storageFailure)
    assert.ok(isSatchelError(thrown))
    assert.equal(thrown.reason, 'storage_failed')
    assert.match(thrown.message, /folder.*index\.json/)
  })
})
