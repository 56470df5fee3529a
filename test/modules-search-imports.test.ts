import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { vectorFolder } from '../plugins/modules/testing/one-module.ts'
import { FROM_SOURCES } from './from-sources.ts'

const MAIN = join(import.meta.dirname, '../server/main.ts')
const RECORDER = join(import.meta.dirname, 'imports-recorder.ts')
const HEAVY =
  /node_modules\/(vectra|minisearch|chromadb|@cdktf\/hcl2json|@huggingface\/transformers)\/|plugins\/modules\/ingest\/read-repository/

test('a search in a new process loads no heavy package and no code of an ingest', async (t) => {
  const root = await vectorFolder(t)

  const ingest = await importsOf(root, ['ingest'])
  const search = await importsOf(root, ['search', 'private network', '--json'])

  assert.ok(ingest.some((url) => HEAVY.test(url)))
  assert.ok(search.length > 20)
  assert.deepEqual(
    search.filter((url) => HEAVY.test(url)),
    [],
  )
})

async function importsOf(cwd: string, args: readonly string[]): Promise<string[]> {
  const file = join(cwd, `imports-${args[0]}`)
  await writeFile(file, '')
  const loaders = [...FROM_SOURCES, '--import', RECORDER]
  const child = spawn(process.execPath, [...loaders, MAIN, ...args], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd, IMPORTS_FILE: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 0, args.join(' '))
  return (await readFile(file, 'utf8')).trim().split('\n')
}
