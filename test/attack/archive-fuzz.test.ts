import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Import } from '../../plugins/modules/git/import.ts'
import { readPackage } from '../../plugins/modules/registry/import-package.ts'
import { tarOf, zipOf } from '../../plugins/modules/testing/registry-server.ts'
import { isSatchelError } from '../../server/contract/errors.ts'
import { temporaryFolder } from '../harness/index.ts'
import { randomFrom } from './inputs.ts'

/** Archives in `npm run check:long`, where the seed is another one in each run. */
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 1000)
const SEED = Number(process.env['SEED'] ?? 20_261)
/** With a limit slow inputs fail too; only a quiet machine can tell. */
const LIMIT_MS = Number(process.env['FUZZ_LIMIT_MS'] ?? Number.POSITIVE_INFINITY)
const FILES = {
  'main.tf': 'variable "a" {}\n'.repeat(40),
  'modules/b/main.tf': 'output "b" { value = 1 }\n',
  link: '->main.tf',
}
const DIRECTORIES = ['', '*', 'modules', 'modules/*', '*/b', '.', '..', 'a*'.repeat(40)]
const BLOCK = 512
const EDGES = [0, 1, 0x7f, 0x80, 0xff]

/** Makes archives from whole ones by changing, cutting, doubling and joining their bytes. */
function createArchives(seeds: readonly Buffer[], random: () => number) {
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T // not empty
  const changed = (bytes: Buffer): Buffer => {
    const at = below(bytes.length)
    switch (below(5)) {
      case 0:
        return bytes.subarray(0, at)
      case 1:
        return Buffer.concat([bytes.subarray(0, at), pick(seeds).subarray(below(BLOCK))])
      case 2:
        return Buffer.concat([bytes, bytes.subarray(at)])
      default: {
        const copy = Buffer.from(bytes)
        for (let flips = 1 + below(4); flips > 0; flips--)
          copy[below(copy.length)] = below(2) === 0 ? pick(EDGES) : below(256)
        return copy
      }
    }
  }
  return (): Buffer => {
    let bytes = pick(seeds)
    for (let step = below(3); step >= 0 && bytes.length > 0; step--) bytes = changed(bytes)
    if (bytes.subarray(257, 262).toString('latin1') !== 'ustar') return bytes
    const tar = below(2) === 0 ? bytes : withChecksum(bytes, below(Math.ceil(bytes.length / BLOCK)))
    return below(2) === 0 ? tar : gzipSync(tar)
  }
}

/** A tar whose block `number` has the checksum of a header, so that what was changed in it counts. */
function withChecksum(tar: Buffer, number: number): Buffer {
  const copy = Buffer.from(tar)
  const block = copy.subarray(number * BLOCK, (number + 1) * BLOCK)
  if (block.length < BLOCK) return copy
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return copy
}

/** Takes blobs as git does: as many bytes as were announced, or an error. */
const TARGET = {
  async addBlob(size: number, content: AsyncIterable<Uint8Array>): Promise<string> {
    let bytes = 0
    for await (const chunk of content) bytes += chunk.length
    assert.equal(bytes, size, 'a blob has the announced size')
    return ':1'
  },
} as unknown as Import // nothing else is asked of it

test('no bytes make the reader of packages do anything but read or refuse, within bounds', async (t) => {
  const tar = await tarOf(await temporaryFolder(t), FILES)
  const seeds = [tar, gunzipSync(tar), gunzipSync(tar), zipOf(FILES), zipOf(FILES)]
  const random = randomFrom(SEED)
  const next = createArchives(seeds, random)
  const outcomes = { read: 0, refused: 0 }
  let slowest = 0

  for (let made = 0; made < INPUTS; made++) {
    const bytes = next()
    const subdirectory = DIRECTORIES[Math.floor(random() * DIRECTORIES.length)] ?? ''
    const began = performance.now()
    try {
      const { files } = await readPackage({ bytes, host: 'registry.test', subdirectory }, TARGET)
      outcomes.read += 1
      for (const { path } of files) assert.doesNotMatch(path, /^\/|(^|\/)\.\.(\/|$)|\\|\0|(^|\/)\.git(\/|$)/i)
    } catch (thrown) {
      if (!isSatchelError(thrown)) assert.fail(`${thrown} <- ${bytes.toString('base64').slice(0, 4000)}`)
      outcomes.refused += 1
    }
    slowest = Math.max(slowest, performance.now() - began)
  }

  t.diagnostic(`seed ${SEED}, ${JSON.stringify(outcomes)}, slowest ${slowest.toFixed(1)} ms`)
  assert.ok(outcomes.read > 0 && outcomes.refused > 0, JSON.stringify(outcomes))
  assert.ok(slowest <= LIMIT_MS, `${slowest} ms`)
})

test('a directory pattern of many wildcards is matched in linear time', async (t) => {
  const name = 'a'.repeat(90)
  const bytes = await tarOf(await temporaryFolder(t), { [`${name}/main.tf`]: 'variable "a" {}\n' })
  const found = { bytes, host: 'registry.test' }
  const pattern = '*a'.repeat(30)

  const read = await readPackage({ ...found, subdirectory: `${pattern}*` }, TARGET)

  assert.equal(read.files.length, 1)
  await assert.rejects(readPackage({ ...found, subdirectory: `${pattern}*b` }, TARGET), {
    reason: 'archive_refused',
  })
})
