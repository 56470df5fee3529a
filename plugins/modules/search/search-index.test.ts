import assert from 'node:assert/strict'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSimulatedDisk, type Image } from '../../../server/platform/testing/simulated-disk.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { ModuleSummary } from '../domain/summary.ts'
import { recordOf } from '../ingest/summary-output.ts'
import { type IndexRecord, type ModuleIndex, moduleId } from '../output/module-index.ts'
import { DamagedFile } from '../segments/section-file.ts'
import { CURRENT, openSegmentSet } from '../segments/segment-set.ts'
import { indexChanges, statesAfter } from '../testing/index-steps.ts'
import { OWN_QUERIES, OWN_SUMMARIES } from '../testing/own-corpus.ts'
import { rankByWords } from './hybrid-ranking.ts'
import { loadLexicon } from './lexicon-file.ts'
import { type SearchIndex, searchIndexOf } from './search-index.ts'
import {
  keptSearchIndex,
  openSearchIndex,
  replaceSearchIndex,
  saveSearchIndex,
  searchIndexFolder,
} from './search-index-file.ts'

const lexicon = await loadLexicon(undefined)
const OUT = '/out'
const FOLDER = searchIndexFolder(OUT)
const QUERIES = OWN_QUERIES.slice(0, 6).map(({ query }) => query)

interface World {
  readonly index: ModuleIndex
  readonly summaries: ReadonlyMap<string, ModuleSummary>
}

/** Our modules at these refs; `words` are put into the descriptions of some. */
function worldOf(refs: readonly string[], words: Readonly<Record<number, string>> = {}): World {
  const summaries = new Map<string, ModuleSummary>()
  const records = OWN_SUMMARIES.slice(0, 20).flatMap((sample, at) =>
    refs.map((ref): IndexRecord => {
      const description = `${sample.description} ${words[at] ?? ''}`
      const summary = { ...sample, ref, description }
      const id = moduleId(summary.repository, ref, summary.path)
      summaries.set(id, summary)
      const written = { summary_file: `${id}.json`, options_digest: '', embedded: false }
      const last_updated = '2026-01-01T00:00:00.000Z'
      return recordOf(id, summary, { ...written, last_updated, summary_sha256: `${at} ${words[at]}` })
    }),
  )
  return { summaries, index: indexOf(records) }
}

function indexOf(records: IndexRecord[]): ModuleIndex {
  return {
    format: 1,
    parser_version: '',
    finished_at: null,
    repositories: [],
    records,
    leftovers: [],
    stale_vectors: [],
    had_vectors: false,
  }
}

/** A disk with an output directory, and how many summaries each update read. */
function stageOf() {
  const simulated = createSimulatedDisk(
    new Map([
      ['/', 'directory'],
      [OUT, 'directory'],
    ]),
    { below: () => 0 },
  )
  const read = { summaries: 0 }
  const save = ({ index, summaries }: World, earlier?: ModuleIndex): Promise<void> => {
    read.summaries = 0
    const load = async ({ id }: IndexRecord): Promise<ModuleSummary> => {
      read.summaries++
      return summaries.get(id) ?? assert.fail(`no summary of ${id}`)
    }
    return saveSearchIndex(OUT, { index, earlier, lexicon, load }, simulated.disk)
  }
  const open = (): SearchIndex => openSearchIndex(OUT, lexicon, simulated.disk) ?? assert.fail('no index')
  return { ...simulated, save, open, read }
}

async function answersOf(index: SearchIndex): Promise<unknown> {
  const answers: unknown[] = []
  for (const query of QUERIES) {
    const { rows } = await rankByWords(index, { query, filter: {}, limit: 50, examples: 'alike' })
    answers.push(rows.map(({ row, score, words }) => [index.record(row), score, words, index.refs(row)]))
  }
  return answers
}

async function freshAnswers(world: World): Promise<unknown> {
  const stage = stageOf()
  await stage.save(world)
  return await answersOf(stage.open())
}

test('updates in place read only what changed, and answer as an index that is built from nothing', async () => {
  const stage = stageOf()
  await stage.save(worldOf(['v1.0.0']))
  const worlds = [
    worldOf(['v1.0.0'], { 3: 'quantum lattice' }),
    worldOf(['v1.0.0', 'v1.1.0'], { 3: 'quantum lattice' }),
    worldOf(['v1.1.0', 'v1.0.0'], { 3: 'quantum network', 7: 'private subnets' }),
    worldOf(['v1.1.0']),
  ]
  for (const world of worlds) {
    await stage.save(world)
    assert.deepEqual(await answersOf(stage.open()), await freshAnswers(world))
  }
  const small = worldOf(['v1.1.0'], { 5: 'one word' })
  await stage.save(small)
  assert.ok(stage.read.summaries <= 2, `${stage.read.summaries} summaries were read`)
  await stage.save({ ...small, index: indexOf([...small.index.records].reverse()) })
  assert.equal(stage.read.summaries, 0, 'another order of the records is the same index')
})

test('versions with equal words share their text, and the latest are found before others are looked at', async () => {
  const stage = stageOf()
  await stage.save(worldOf(['v1.0.0', 'v2.0.0', 'v1.5.0'], { 2: 'zeppelin' }))
  const index = stage.open()

  assert.equal(index.records, 60)
  const { averageLengths, bound, fields, lengths } = index.keyword('latest').texts
  const means = averageLengths.map((_, field) => {
    let sum = 0
    for (let text = 0; text < bound; text++) sum += lengths[text * fields + field] ?? 0
    return sum / bound
  })
  assert.deepEqual(averageLengths, means, 'what the writer summed up')
  assert.equal(index.keyword('all').texts.bound, 20)
  const { rows } = await rankByWords(index, { query: 'zeppelin', filter: {}, limit: 5, examples: 'alike' })
  const [best] = rows
  assert.equal(index.record(best?.row ?? 0).ref, 'v2.0.0')
  assert.deepEqual(index.refs(best?.row ?? 0), ['v2.0.0', 'v1.5.0', 'v1.0.0'])
  const terms = [...index.keyword('latest').texts.startingWith('zepp')]
  assert.deepEqual(
    terms.map(({ term, texts }) => [term, texts]),
    [['zeppelin', 1]],
  )
})

test('every configured name of a repository is searched, and a new one is found after an update', async () => {
  const stage = stageOf()
  const world = worldOf(['v1.0.0'])
  const named = (names: Pick<IndexRecord, 'name' | 'other_names'>) =>
    indexOf(world.index.records.map((record, at) => (at === 4 ? { ...record, ...names } : record)))
  const found = async (query: string): Promise<string[]> => {
    const index = stage.open()
    const { rows } = await rankByWords(index, { query, filter: {}, limit: 5, examples: 'alike' })
    return rows.map(({ row }) => index.record(row).id)
  }
  const wanted = [world.index.records[4]?.id]

  await stage.save(world)
  assert.deepEqual(await found('zeppelin hangar'), [])
  await stage.save({ ...world, index: named({ name: 'zeppelin-hangar' }) })
  assert.deepEqual(await found('zeppelin hangar'), wanted)
  const other = { name: 'quagga', summary_file: 'other.json', summary_sha256: 'other' }
  await stage.save({ ...world, index: named({ name: 'zeppelin-hangar', other_names: [other] }) })
  assert.deepEqual(await found('quagga'), wanted)
})

/** A changed bit, and an end, at many places. */
function* damagesOf(bytes: Buffer): Generator<{ readonly at: number; readonly content: Buffer }> {
  for (let at = 3; at < bytes.length; at += Math.ceil(bytes.length / 40)) {
    const content = Buffer.from(bytes)
    content[at] = (content[at] ?? 0) ^ 0x10
    yield { at, content }
    yield { at, content: bytes.subarray(0, at) }
  }
}

/** Undefined: the damage was noticed. */
async function damagedAnswers(image: Image): Promise<unknown> {
  try {
    const index = openSearchIndex(OUT, lexicon, createSimulatedDisk(image, { below: () => 0 }).disk)
    return index && (await answersOf(index))
  } catch (thrown) {
    if (thrown instanceof DamagedFile) return undefined
    throw thrown
  }
}

test('damage anywhere in the index is noticed or changes no answer', async () => {
  const world = worldOf(['v1.0.0'])
  const stage = stageOf()
  await stage.save(world)
  const whole = await answersOf(stage.open())
  const names = await stage.disk.list(FOLDER)
  let noticed = 0
  for (const name of names) {
    const path = `${FOLDER}/${name}`
    for (const { at, content } of damagesOf(stage.disk.readFileSync(path))) {
      const found = await damagedAnswers(new Map(stage.image()).set(path, content))
      if (found === undefined) noticed++
      else assert.deepEqual(found, whole, `${name} at ${at}`)
    }
  }
  assert.ok(noticed > 100, `${noticed} of the damages were noticed`)
})

test('an index of a newer version, or of another lexicon, is not used; the next update rebuilds it', async () => {
  const stage = stageOf()
  const world = worldOf(['v1.0.0'])
  await stage.save(world)
  const current = `${FOLDER}/current`
  const bytes = Buffer.from(stage.disk.readFileSync(current))
  bytes.writeUInt32LE(99, 8)
  const { disk } = createSimulatedDisk(new Map(stage.image()).set(current, bytes), { below: () => 0 })

  assert.equal(openSearchIndex(OUT, lexicon, disk), undefined)
  assert.equal(openSearchIndex(OUT, { ...lexicon, version: 'other' }, stage.disk), undefined)
  const load = async ({ id }: IndexRecord) => world.summaries.get(id) ?? assert.fail(id)
  await saveSearchIndex(OUT, { index: world.index, lexicon, load }, disk)
  assert.ok(openSearchIndex(OUT, lexicon, disk))
})

test('a disk that fills during an update leaves the index as it was', async () => {
  const world = worldOf(['v1.0.0'])
  for (let nth = 1; nth <= 4; nth++) {
    for (const call of ['write', 'flush', 'rename'] as const) {
      const stage = stageOf()
      await stage.save(world)
      const before = await answersOf(stage.open())
      stage.fail({ call, nth: stage.calls(call) + nth, code: 'ENOSPC', how: 'partial' })
      const updated = worldOf(['v1.0.0'], { 1: 'zeppelin' })
      const isFull = await stage.save(updated).then(
        () => false,
        () => true,
      )
      const after = openSegmentSet(FOLDER, stage.disk) ?? assert.fail('no index')
      const found = JSON.stringify(await answersOf(searchIndexOf(after, lexicon)))
      const old = isFull && found === JSON.stringify(before)
      assert.ok(old || found === JSON.stringify(await freshAnswers(updated)), `${call} ${nth}`)
      stage.fail(undefined)
      await stage.save(updated)
      assert.deepEqual(await answersOf(stage.open()), await freshAnswers(updated))
    }
  }
})

/** A search that has to make an index of `world` on this disk. */
async function searching({ index, summaries }: World, { disk }: Pick<ReturnType<typeof stageOf>, 'disk'>) {
  const load = async ({ id }: IndexRecord) => summaries.get(id) ?? assert.fail(id)
  const before = openSearchIndex(OUT, lexicon, disk)
  const warned: unknown[] = []
  const log = { warn: (_: string, fields?: object) => warned.push(fields) }
  const made = await keptSearchIndex({ ...FOUND, log, disk }, before, { index, lexicon, load })
  return { answers: await answersOf(made), warned }
}

const FOUND = { outputDir: OUT, content: '', log: { warn() {} } }

test('a disk that refuses costs a search only its own rebuild, and leaves the old index or the new one', async () => {
  const world = worldOf(['v1.0.0'], { 1: 'zeppelin' })
  const wanted = await freshAnswers(world)
  let kept = 0
  for (let nth = 1; nth <= 8; nth++) {
    for (const call of ['write', 'flush', 'rename'] as const) {
      const stage = stageOf()
      await stage.save(worldOf(['v1.0.0']))
      const before = await answersOf(stage.open())
      stage.fail({ call, nth: stage.calls(call) + nth, code: 'EACCES', how: 'partial' })

      const { answers, warned } = await searching(world, stage)

      assert.deepEqual(answers, wanted, `${call} ${nth}`)
      const found = await answersOf(stage.open())
      const isNew = JSON.stringify(found) === JSON.stringify(wanted)
      if (isNew) kept++
      else assert.deepEqual(found, before, `${call} ${nth}`)
      assert.ok(isNew || warned.length === 1, `${call} ${nth}`)
      stage.fail(undefined)
      assert.deepEqual(await searching(world, stage), { answers: wanted, warned: [] })
      assert.deepEqual(await answersOf(stage.open()), wanted, `${call} ${nth}`)
    }
  }
  assert.ok(kept > 0 && kept < 24, `${kept} of 24 were kept`)
})

/** What is on a disk but for locks. */
function filesOf({ image }: Pick<ReturnType<typeof stageOf>, 'image'>) {
  return new Map([...image()].filter(([path]) => !path.includes('/.locks') && !path.endsWith('.lock')))
}

test('a search keeps no index of modules that changed, of parts that were removed, or in place of a newer one', async () => {
  const world = worldOf(['v1.0.0'])
  const load = async ({ id }: IndexRecord) => world.summaries.get(id) ?? assert.fail(id)
  const source = { index: world.index, lexicon, load }
  const wanted = await freshAnswers(world)
  for (const what of ['changed', 'removed', 'newer'] as const) {
    const stage = stageOf()
    await stage.save(worldOf(['v1.0.0'], { 1: 'zeppelin' }))
    const before = what === 'removed' ? stage.open() : undefined
    const version = what === 'newer' ? '9999' : lexicon.version
    const fewer = indexOf(world.index.records.slice(1))
    await replaceSearchIndex(OUT, { ...source, index: fewer, lexicon: { ...lexicon, version } }, stage.disk)
    const files = filesOf(stage)

    const folder = { ...FOUND, content: what === 'changed' ? 'other' : '', disk: stage.disk }
    const made = await keptSearchIndex(folder, before, source)

    assert.deepEqual(await answersOf(made), wanted, what)
    assert.deepEqual(filesOf(stage), files, what)
  }
})

test('an update that looks at what changed leaves the very files of one that looks at everything', async () => {
  await fc.assert(
    fc.asyncProperty(indexChanges, fc.nat(40), async (runs, others) => {
      const [stepped, whole] = [stageOf(), stageOf()]
      const base = worldOf(['v0.1.0'])
      let earlier: ModuleIndex | undefined
      for (const { index, summaries } of statesAfter(runs)) {
        const records = [...index.records, ...base.index.records.slice(0, others)]
        const world = {
          index: { ...index, records },
          summaries: new Map([...summaries, ...base.summaries]),
        }
        await stepped.save(world, earlier)
        await whole.save({ ...world, index: structuredClone(world.index) })
        assert.deepEqual(stepped.image(), whole.image())
        earlier = world.index
      }
    }),
    { numRuns: 60 },
  )
})

test('a folder in the place of a file of the index is damage', async () => {
  await withScratchFolder('satchel-index-', async (dir) => {
    const current = join(searchIndexFolder(dir), CURRENT)
    await mkdir(current, { recursive: true })
    assert.equal(openSearchIndex(dir, lexicon), undefined)

    await rm(current, { recursive: true })
    const { index, summaries } = worldOf(['v1.0.0'])
    const load = async ({ id }: IndexRecord) => summaries.get(id) ?? assert.fail(id)
    await replaceSearchIndex(dir, { index, lexicon, load })
    for (const name of await readdir(searchIndexFolder(dir))) {
      if (name === CURRENT) continue
      await rm(join(searchIndexFolder(dir), name))
      await mkdir(join(searchIndexFolder(dir), name))
    }
    assert.equal(openSearchIndex(dir, lexicon), undefined)
  })
})
