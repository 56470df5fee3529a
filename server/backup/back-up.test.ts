import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { constants, mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { openHost, temporaryFolder } from '../../test/harness/index.ts'
import { type BackupStore, definePlugin } from '../plugin.ts'
import { backUp } from './back-up.ts'

const FILES = ['first', 'second', 'third']
const NEVER = new AbortController().signal

function pluginWith(store: BackupStore) {
  return definePlugin({
    name: 'numbers',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({ stores: async () => [store] }),
  })
}

/** A store of files that always get the same number, in order, and its backup. */
async function openStore(t: TestContext) {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'store')
  await mkdir(path)
  const write = async (n: number): Promise<void> => {
    for (const name of FILES) {
      // In place, as a journal: the size stays, and no reader sees an empty file.
      const file = await open(join(path, name), constants.O_WRONLY | constants.O_CREAT)
      await file.write(String(n).padStart(8), 0)
      await file.close()
    }
  }
  await write(0)
  const { host } = await openHost(t, {
    plugins: [pluginWith({ name: 'all', parts: [{ name: 'files', path }] })],
  })
  const copied = async (name: string): Promise<readonly number[]> => {
    await backUp(host, { folder: join(folder, name), satchel: '1', signal: NEVER })
    const read = (file: string) => readFile(join(folder, name, 'numbers/all/files', file), 'utf8')
    return (await Promise.all(FILES.map(read))).map(Number)
  }
  return { folder, host, path, write, copied }
}

/** Whether the files are as they were at one moment: each has the number of the one before it, or the last one. */
function isOneMoment([first = 0, second = 0, third = 0]: readonly number[]): boolean {
  return first - third <= 1 && first >= second && second >= third
}

describe('a backup of a store that is written meanwhile', () => {
  it('is the store at one moment', async (t) => {
    const { write, copied } = await openStore(t)
    let writing = true
    await write(1)
    const writer = (async () => {
      for (let n = 2; writing; n++) {
        await write(n)
        if (n % 20 === 0) await pause(50)
      }
    })()
    const seen: (readonly number[])[] = []
    for (let n = 0; n < 5; n++) seen.push(await copied(`backup-${n}`))
    writing = false
    await writer

    assert.deepEqual(
      seen.filter((numbers) => !isOneMoment(numbers)),
      [],
    )
    assert.ok(seen.some(([first = 0]) => first > 0))
  })

  it('would not be, if each file were read once: the check bites', () => {
    assert.ok(isOneMoment([5, 5, 4]))
    assert.ok(!isOneMoment([5, 6, 6]))
    assert.ok(!isOneMoment([7, 6, 4]))
  })

  it('notices content that changes while size and time stay', async (t) => {
    const { path, copied, folder, host } = await openStore(t)
    assert.deepEqual(await copied('before'), [0, 0, 0])
    await writeFile(join(path, 'second'), String(9).padStart(8))

    assert.deepEqual(await copied('after'), [0, 9, 0])
    await assert.rejects(backUp(host, { folder: join(folder, 'after'), satchel: '1', signal: NEVER }), {
      reason: 'backup_folder_used',
    })
  })

  it('ends with a sentence if the store never holds still, and leaves the folder empty', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'restless')
    let looks = 0
    const store = {
      name: 'all',
      get parts() {
        writeFileSync(file, String(looks++)) // each look finds it changed
        return [{ name: 'file', path: file }]
      },
    }
    const { host } = await openHost(t, { plugins: [pluginWith(store)] })

    await assert.rejects(
      backUp(host, { folder: join(folder, 'backup'), satchel: '1', signal: NEVER, limitMs: 50 }),
      { code: 'unavailable', reason: 'store_changing' },
    )
    assert.ok(looks > 1)
    assert.deepEqual(await readdir(join(folder, 'backup')), [])
  })
})
