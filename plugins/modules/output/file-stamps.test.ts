import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { openFileStamps } from './file-stamps.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Folder {
  readonly dir: string
  readonly file: string
  readonly stampFile: string
  /** Whether the file is taken for `text`, by what was saved last. */
  holds(text: string): Promise<boolean>
}

/** An output directory whose `a.json` holds `one`, looked at and saved long after it was written. */
async function openFolder(t: TestContext): Promise<Folder> {
  const dir = await temporaryFolder(t)
  await mkdir(join(dir, '.satchel'))
  const file = join(dir, 'a.json')
  const stampFile = join(dir, '.satchel', 'stamps.json')
  await writeFile(file, 'one')
  await clockToGoOn(dir, file)
  const stamps = await openFileStamps(dir)
  assert.equal(await stamps.isIntact('a.json', sha256('one')), true)
  await stamps.save(['a.json'])
  const later = new Date(Date.now() + 60_000)
  await utimes(stampFile, later, later)
  return {
    dir,
    file,
    stampFile,
    holds: async (text) => (await openFileStamps(dir)).isIntact('a.json', sha256(text)),
  }
}

/** Waits until the clock of the file system has advanced: what is written within one tick of it looks alike. */
async function clockToGoOn(dir: string, file: string): Promise<void> {
  const { ctimeNs } = await stat(file, { bigint: true })
  const probe = join(dir, 'probe')
  do await writeFile(probe, '')
  while ((await stat(probe, { bigint: true })).ctimeNs <= ctimeNs)
  await rm(probe)
}

test('a file that looks as it did is not read again', async (t) => {
  const folder = await openFolder(t)
  const [[name, , stamp] = []] = JSON.parse(await readFile(folder.stampFile, 'utf8')) as string[][]
  await writeFile(folder.stampFile, JSON.stringify([[name, sha256('never read'), stamp]]))
  const later = new Date(Date.now() + 60_000)
  await utimes(folder.stampFile, later, later)

  assert.equal(await folder.holds('never read'), true)
})

const CHANGES: Readonly<Record<string, (folder: Folder) => Promise<void>>> = {
  'written again with the same length': ({ file }) => writeFile(file, 'two'),
  'altered, and given its length and times back': async ({ file }) => {
    const { atime, mtime } = await stat(file)
    await writeFile(file, 'two')
    await utimes(file, atime, mtime)
  },
  'replaced by another of the same length and times': async ({ dir, file }) => {
    const { atime, mtime } = await stat(file)
    await writeFile(join(dir, 'b'), 'two')
    await utimes(join(dir, 'b'), atime, mtime)
    await rename(join(dir, 'b'), file)
  },
  'cut short': ({ file }) => writeFile(file, 'o'),
  removed: ({ file }) => rm(file),
}

for (const [name, change] of Object.entries(CHANGES)) {
  test(`a file that was ${name} is noticed`, async (t) => {
    const folder = await openFolder(t)
    assert.equal(await folder.holds('one'), true)

    await change(folder)

    assert.equal(await folder.holds('one'), false)
  })
}

test('a stamp of the moment in which the stamps were saved proves nothing: the file is read', async (t) => {
  const folder = await openFolder(t)
  const { ctimeNs } = await stat(folder.file, { bigint: true })
  const rows = JSON.stringify([['a.json', sha256('never read'), await realDisk.stamp(folder.file)]])
  const savedAt = async (ns: bigint): Promise<void> => {
    await writeFile(folder.stampFile, rows)
    await utimes(folder.stampFile, Number(ns) / 1e9, Number(ns) / 1e9)
  }

  await savedAt(ctimeNs + 1_000_000n)
  const afterwards = await folder.holds('never read')
  await savedAt(ctimeNs - 1_000_000n)
  const before = await folder.holds('never read')

  assert.deepEqual([afterwards, before], [true, false])
})

for (const torn of ['', '{', 'null', '[null]', '[["a.json"]]', '[["a.json","x","not a stamp"]]']) {
  test(`stamps that read ${JSON.stringify(torn)} cost a reading of the files, nothing else`, async (t) => {
    const folder = await openFolder(t)
    await writeFile(folder.stampFile, torn)

    assert.deepEqual([await folder.holds('one'), await folder.holds('two')], [true, false])
  })
}
