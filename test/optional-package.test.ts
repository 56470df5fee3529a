import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildRemote } from '../plugins/modules/testing/build-remote.ts'
import { FROM_SOURCES } from './from-sources.ts'
import { endedProcess } from './harness/ended-process.ts'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')

/** Runs a program as on a machine where these packages were not installed. */
async function runWithout(packages: string, args: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, REQUIRE_PEERS: _2, REQUIRE_CHROMA: _3, ...env } = process.env
  const child = spawn(
    process.execPath,
    [...FROM_SOURCES, '--import', join(import.meta.dirname, 'fixtures/without-packages.mjs'), ...args],
    { cwd: ROOT, env: { ...env, SATCHEL_TEST_WITHOUT: packages }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  return endedProcess(child)
}

const NEEDING: readonly [name: string, file: string, pattern: string, tests: number][] = [
  ['@huggingface/transformers', 'plugins/modules/search/embedders.test.ts', '/^a (?:local )?model /', 3],
  ['chromadb', 'plugins/modules/search/chroma.test.ts', '/./', 4],
  [
    'chromadb',
    'plugins/modules/search/stores.test.ts',
    '/^(?:a real ChromaDB|a server that is not there)/',
    2,
  ],
]

for (const [name, file, pattern, tests] of NEEDING) {
  test(`what ${file} tests of ${name} is skipped loudly where that is not installed`, async () => {
    const args = ['--test-reporter=tap', `--test-name-pattern=${pattern}`, file]

    const { code, out, err } = await runWithout(name, args)

    const skipped = out.match(/^ok .* # SKIP SKIPPED: the optional package .*$/gm) ?? []
    assert.deepEqual([code, skipped.length], [0, tests], out + err)
    assert.ok(skipped.every((line) => line.includes(name)))
    assert.equal(err.split(`SKIPPED: the optional package ${name} cannot be loaded`).length - 1, tests)
  })
}

const WITHOUT_PACKAGE: readonly [name: string, embedding: string, reason: string][] = [
  ['@huggingface/transformers', 'strategy: local-transformers', 'transformers_missing'],
  ['chromadb', 'vectordb_host: 127.0.0.1', 'chroma_client_missing'],
]

for (const [name, embedding, reason] of WITHOUT_PACKAGE) {
  test(`an ingest that needs ${name} says how to install it, and exits 7`, async (t) => {
    const folder = await temporaryFolder(t)
    const url = await buildRemote(join(folder, 'network.git'), [
      { files: { 'main.tf': 'variable "name" {}\n' } },
    ])
    const config = join(folder, 'satchel.yaml')
    const lines = [
      `repositories: [{ url: ${url} }]`,
      `output_dir: ${join(folder, 'out')}`,
      `clone_dir: ${join(folder, 'clones')}`,
      `embedding: { enabled: true, ${embedding}, vectordb_path: ${join(folder, 'vectors')} }`,
    ]
    await writeFile(config, lines.join('\n'))

    const { code, out } = await runWithout(name, ['server/main.ts', 'ingest', config, '--json'])

    const { error } = JSON.parse(out)
    assert.deepEqual([code, error.code, error.reason], [7, 'unavailable', reason])
    assert.ok(error.message.includes(`npm install ${name}`))
  })
}

test('a database whose client is missing says where and how to install it, and exits 7', async (t) => {
  const folder = await temporaryFolder(t)
  const storage = ['--storage', 'postgres://app@127.0.0.1:1/none', '--project', folder]

  const { code, out, err } = await runWithout('pg', [
    'server/main.ts',
    'handoff',
    'list',
    '--json',
    ...storage,
  ])

  assert.equal(code, 7, out + err)
  const { error } = JSON.parse(out)
  assert.equal(error.reason, 'storage_client_missing')
  assert.ok(error.message.includes(`pg in ${join(ROOT, 'node_modules')}, where satchel is: npm install pg`))
})
