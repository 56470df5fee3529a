import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { TestHost } from '../../../test/harness/index.ts'
import { loadIndex, loadIndexHead } from '../output/index-file.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { type IndexRecord, stateDir } from '../output/module-index.ts'
import { loadSummary } from '../output/summary-files.ts'
import { DamagedFile } from '../segments/section-file.ts'
import { ingested, type Stage } from '../testing/search-project.ts'
import { loadLexicon } from './lexicon-file.ts'
import type { SearchIndex } from './search-index.ts'
import { openSearchIndex, replaceSearchIndex, searchIndexFolder } from './search-index-file.ts'
import { createSearchSession } from './search-session.ts'

const QUERY = { query: 'private network with subnets' }
const outputOf = ({ root }: Stage): string => join(root, 'out')

/** What a search finds in the way of an index that it can use. */
const SPOILED: Readonly<Record<string, (outputDir: string) => Promise<void> | void>> = {
  'of another lexicon': async (outputDir) => {
    const index = (await loadIndex(outputDir)) ?? assert.fail('no index')
    const load = ({ summary_file }: IndexRecord) => loadSummary(outputDir, summary_file)
    const lexicon = { ...(await loadLexicon(undefined)), version: '0' }
    await replaceSearchIndex(outputDir, { index, load, lexicon })
  },
  'without its parts': (outputDir) => {
    for (const path of segmentsOf(outputDir)) rmSync(path)
  },
  'damaged where a search reads': (outputDir) => {
    for (const path of segmentsOf(outputDir)) {
      const bytes = readFileSync(path)
      const start = 32 + bytes.readUInt32LE(12) + 8
      bytes.writeUInt8(bytes.readUInt8(start) ^ 1, start)
      writeFileSync(path, bytes)
    }
  },
}

function segmentsOf(outputDir: string): string[] {
  const folder = searchIndexFolder(outputDir)
  const names = readdirSync(folder).filter((name) => name.endsWith('.segment'))
  return names.map((name) => join(folder, name))
}

/** Whether the index on disk is of the modules as they are, and its parts have the bytes that their names say. */
async function isUsable(outputDir: string): Promise<boolean> {
  const index = openSearchIndex(outputDir, await loadLexicon(undefined))
  for (const { file } of index?.set.segments ?? []) file.close()
  const isWhole = segmentsOf(outputDir).every((path) =>
    path.includes(createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 32)),
  )
  return isWhole && index !== undefined && index.source === loadIndexHead(outputDir)?.content
}

async function answerOf(host: TestHost): Promise<unknown> {
  return await host.call('search_modules', QUERY)
}

for (const [what, spoil] of Object.entries(SPOILED)) {
  test(`a search index that is ${what} is rebuilt once, by the first search, for all processes`, async (t) => {
    const { host, ...stage } = await ingested(t)
    const outputDir = outputOf(stage)
    const answer = await answerOf(host)
    await spoil(outputDir)

    assert.deepEqual(await answerOf(await stage.open()), answer)

    assert.ok(await isUsable(outputDir))
    const written = statSync(join(searchIndexFolder(outputDir), 'current'))
    assert.deepEqual(await answerOf(await stage.open()), answer)
    assert.equal(statSync(join(searchIndexFolder(outputDir), 'current')).ino, written.ino)
  })
}

test('a folder without a search index, as an earlier version wrote it, stays as it is', async (t) => {
  const { host, ...stage } = await ingested(t)
  const outputDir = outputOf(stage)
  const answer = await answerOf(host)
  rmSync(searchIndexFolder(outputDir), { recursive: true })
  const files = readdirSync(stateDir(outputDir), { recursive: true })

  assert.deepEqual(await answerOf(await stage.open()), answer)

  assert.deepEqual(readdirSync(stateDir(outputDir), { recursive: true }), files)
})

test('while an ingest has the lock a search answers from memory and writes nothing; the next one does', async (t) => {
  const { host, ...stage } = await ingested(t)
  const outputDir = outputOf(stage)
  const answer = await answerOf(host)
  for (const path of segmentsOf(outputDir)) rmSync(path)
  const lock = await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'))

  assert.deepEqual(await answerOf(await stage.open()), answer)
  assert.deepEqual(segmentsOf(outputDir), [])

  await lock.release()
  assert.deepEqual(await answerOf(await stage.open()), answer)
  assert.ok(await isUsable(outputDir))
})

/** A session over an index that searches find damaged, and how often it was made again. */
async function damagedSession(t: TestContext) {
  const { host: _, ...stage } = await ingested(t)
  const outputDir = outputOf(stage)
  const embedding = { ...({} as Parameters<typeof createSearchSession>[1]['embedding']) } // keywords read none of it
  const environment = { workingDirectory: stage.root, env: {}, log: { warn() {} }, now: () => new Date() }
  const session = createSearchSession(environment, { outputDir, embedding, configFile: undefined })
  t.after(session.close)
  let rebuilt = 0
  const search = (look: (index: SearchIndex) => void) =>
    session.withIndex(
      async () => {
        rebuilt++
        return await loadIndex(outputDir)
      },
      async (index) => look(index),
    )
  return { search, rebuilt: () => rebuilt }
}

test('searches that meet the same damage share one rebuild', async (t) => {
  const { search, rebuilt } = await damagedSession(t)
  let damaged: SearchIndex | undefined
  const look = (index: SearchIndex): void => {
    damaged ??= index
    if (index === damaged) throw new DamagedFile('a part of it is damaged')
  }

  await Promise.all(Array.from({ length: 5 }, () => search(look)))

  assert.equal(rebuilt(), 1)
})
