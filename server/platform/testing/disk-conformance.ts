import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Disk } from '../disk.ts'

/** A disk and a directory on it that exists and is empty. */
type GiveDisk = (t: TestContext) => Promise<{ readonly disk: Disk; readonly folder: string }>

/** What every disk must do, so that what is shown on a simulated one is true of the real one. */
export function testDiskConformance(name: string, give: GiveDisk): void {
  test(`${name}: a name has one winner, by create and by link`, async (t) => {
    const { disk, folder } = await give(t)
    const [a, b] = [join(folder, 'a'), join(folder, 'b')]
    await disk.create(a, 'one')
    await disk.link(a, b)

    await assert.rejects(disk.create(a, 'two'), { code: 'EEXIST' })
    await assert.rejects(disk.link(a, b), { code: 'EEXIST' })
    assert.throws(() => disk.createSync(b, 'two'), { code: 'EEXIST' })

    assert.equal((await disk.readFile(b)).toString(), 'one')
    assert.equal(disk.statSync(a)?.inode, disk.statSync(b)?.inode)
  })

  test(`${name}: a file has the bytes of its pieces, one after the other, however many they are`, async (t) => {
    const { disk, folder } = await give(t)
    const large = Buffer.alloc(2 * 1024 * 1024, 'x')
    await disk.create(join(folder, 'small'), [Buffer.from('a'), Buffer.from('bc')])
    await disk.create(join(folder, 'large'), [Buffer.from('a'), large, Buffer.alloc(0), Buffer.from('bc')])
    disk.createSync(join(folder, 'none'), [])

    const read = (file: string): string => disk.readFileSync(join(folder, file)).toString()
    assert.equal(read('small'), 'abc')
    assert.equal(read('large'), `a${large.toString()}bc`)
    assert.equal(read('none'), '')
  })

  test(`${name}: a rename replaces a file, and its former name is free`, async (t) => {
    const { disk, folder } = await give(t)
    await disk.create(join(folder, 'a'), 'one')
    await disk.create(join(folder, 'b'), 'two')

    await disk.rename(join(folder, 'a'), join(folder, 'b'))

    assert.deepEqual(await disk.list(folder), ['b'])
    assert.equal(disk.readFileSync(join(folder, 'b')).toString(), 'one')
  })

  test(`${name}: a stamp is five whole numbers, and a write, a replacement and a new name change it`, async (t) => {
    const { disk, folder } = await give(t)
    const [a, b] = [join(folder, 'a'), join(folder, 'b')]
    await disk.create(a, 'one')
    const stamps = [await disk.stamp(a), await disk.stamp(folder)]
    await wait(20) // the clock of a file system has ticks

    const file = disk.openSync(a)
    disk.writeSync(file, Buffer.from('two'), 0)
    disk.closeSync(file)
    stamps.push(await disk.stamp(a))
    await disk.create(b, 'two')
    stamps.push(await disk.stamp(folder))
    await disk.rename(b, a)
    stamps.push(await disk.stamp(a))

    for (const stamp of stamps) assert.match(stamp ?? '', /^\d+ \d+ \d+ \d+ \d+$/)
    assert.equal(new Set(stamps).size, stamps.length)
    assert.equal(await disk.stamp(b), undefined)
  })

  test(`${name}: a missing file has no facts, and each other call gives ENOENT`, async (t) => {
    const { disk, folder } = await give(t)
    const missing = join(folder, 'a')

    assert.equal(disk.statSync(missing), undefined)
    assert.equal(await disk.stat(missing), undefined)
    assert.throws(() => disk.readFileSync(missing), { code: 'ENOENT' })
    assert.throws(() => disk.openSync(missing), { code: 'ENOENT' })
    await assert.rejects(disk.unlink(missing), { code: 'ENOENT' })
    await assert.rejects(disk.rename(missing, join(folder, 'b')), { code: 'ENOENT' })
    await assert.rejects(disk.link(missing, join(folder, 'b')), { code: 'ENOENT' })
    await assert.rejects(disk.create(join(missing, 'b'), ''), { code: 'ENOENT' })
  })
}
