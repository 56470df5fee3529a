import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/harness/index.ts'
import { createCodeCache } from './code-cache.ts'

const CODE = Buffer.from('what V8 made of a file')

test('what was written is read under its name and its key only', async (t) => {
  const folder = await temporaryFolder(t)
  const cache = createCodeCache(folder, 'one')

  assert.equal(cache.read('a'), undefined)
  cache.write('a', CODE)

  assert.deepEqual(cache.read('a'), CODE)
  assert.equal(cache.read('b'), undefined)
  assert.equal(createCodeCache(folder, 'two').read('a'), undefined)
  assert.deepEqual(await readdir(join(folder, 'satchel-one')), ['a.code'])
})

test('a file that is damaged, cut off or of another name is not read', async (t) => {
  const folder = await temporaryFolder(t)
  const cache = createCodeCache(folder, 'one')
  cache.write('a', CODE)
  const path = join(folder, 'satchel-one', 'a.code')
  const whole = await readFile(path)

  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    await writeFile(path, damaged)
    assert.equal(cache.read('a'), undefined, `byte ${at}`)
    await writeFile(path, whole.subarray(0, at))
    assert.equal(cache.read('a'), undefined, `${at} bytes`)
  }
  await writeFile(join(folder, 'satchel-one', 'b.code'), whole)
  assert.equal(cache.read('b'), undefined)
  cache.write('a', CODE)
  assert.deepEqual(cache.read('a'), CODE)
})

test('the caches written to longest ago are removed, of eight and more; what Node keeps is left', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'v22.1.0-x64'))
  for (let at = 0; at < 10; at++) {
    createCodeCache(folder, `${at}`).write('a', CODE)
    await utimes(join(folder, `satchel-${at}`), at, at)
  }

  createCodeCache(folder, '0').removeOldest()

  const left = await readdir(folder)
  assert.deepEqual(left.sort(), [...[0, 3, 4, 5, 6, 7, 8, 9].map((at) => `satchel-${at}`), 'v22.1.0-x64'])
})
