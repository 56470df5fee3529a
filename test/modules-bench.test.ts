import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { buildRemote } from '../plugins/modules/bench/build-remote.ts'
import { writeManyRecords } from '../plugins/modules/bench/many-records.ts'
import { measureServer } from '../plugins/modules/bench/search-server.ts'
import { temporaryFolder } from './harness/index.ts'
import { SATCHEL } from './satchel-process.ts'

test('the bench asks a real server and measures every search and how long it was deaf', async (t) => {
  const dir = join(await temporaryFolder(t), 'many')
  await writeManyRecords(dir, 50, 3)
  const env = { ...process.env, SERVICE_CONFIG: join(dir, 'satchel.yaml') }

  const times = await measureServer(SATCHEL, env, new AbortController().signal)

  for (const [name, value] of Object.entries(times))
    assert.ok(value > 0 && value < 10_000, `${name}: ${value}`)
  assert.ok(times.search >= times.ping)
})

test('searching, rebuilding and measuring open no socket', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-x-net.git'), [
    { files: { 'main.tf': 'variable "private_network" {}\n' }, tags: ['v1.0.0'] },
  ])
  const config = { repositories: [{ url }], output_dir: './out', clone_dir: './clones' }
  const embedding = { enabled: true, vectordb_path: './vectors' }
  await writeFile(join(root, 'satchel.yaml'), JSON.stringify({ ...config, embedding }))
  const blocker = join(root, 'no-sockets.cjs')
  await writeFile(
    blocker,
    `const { appendFileSync } = require('node:fs')
const refuse = (what) => () => { appendFileSync(${JSON.stringify(join(root, 'sockets'))}, what + '\\n'); throw new Error('a socket was opened') }
const { Socket } = require('node:net')
const { connect } = Socket.prototype
Socket.prototype.connect = function (...args) {
  const [target] = args.flat()
  if (typeof target === 'string' || target.path !== undefined) return connect.apply(this, args) // the loader's own pipe
  return refuse('tcp')()
}
require('node:dgram').createSocket = refuse('udp')
require('node:dns').lookup = refuse('dns')
`,
  )
  await writeFile(join(root, 'sockets'), '')
  const cases = [{ query: 'private network', kind: 'lexical', relevant: ['net//.'] }]
  await writeFile(join(root, 'cases.json'), JSON.stringify(cases))

  for (const args of [
    ['ingest'],
    ['search', 'private network', '--json'],
    ['modules', 'rebuild'],
    ['bench', 'retrieval', '--cases', 'cases.json', '--output-dir', 'out'],
  ]) {
    const { code, out } = await program(root, ['--require', blocker], args)
    assert.equal(code, 0, `${args.join(' ')}\n${out}`)
  }
  assert.equal(await readFile(join(root, 'sockets'), 'utf8'), '')

  const bite = "require('node:net').connect(1, '127.0.0.1')"
  const biting = spawn(process.execPath, ['--require', blocker, '-e', bite], { stdio: 'ignore' })
  assert.notDeepEqual(await once(biting, 'close'), [0, null])
  assert.equal(await readFile(join(root, 'sockets'), 'utf8'), 'tcp\n')
})

test('the search is measured on judged queries with the ladder, by kind and with its interval', async (t) => {
  const root = await temporaryFolder(t)

  const { code, out } = await program(root, [], ['bench', 'retrieval', '--json'])
  const shown = await program(root, [], ['bench', 'retrieval'])
  const half = await program(root, [], ['bench', 'retrieval', '--cases', 'x.json'])

  assert.equal(code, 0)
  const { arms, queries, modules } = JSON.parse(out)
  assert.deepEqual([queries, modules], [40, 42])
  assert.deepEqual(
    arms.map(({ arm }: { arm: string }) => arm),
    ['keyword', 'keyword + concepts', 'vector', 'hybrid', 'hybrid without lexicon'],
  )
  const hybrid = arms[3]
  assert.deepEqual(Object.keys(hybrid.kinds), ['cross-cloud', 'lexical', 'paraphrase', 'variable'])
  assert.ok(hybrid.difference.low > 0 && hybrid.difference.low <= hybrid.difference.mean)
  assert.match(shown.out, /hybrid +nDCG@10 0\.\d{3} {2}MRR 0\.\d{3} {2}R5 0\.\d{3} .*beside keyword/)
  assert.equal(half.code, 3)
})

async function program(cwd: string, node: readonly string[], args: readonly string[]) {
  const [command, ...words] = SATCHEL
  const child = spawn(command, [...node, ...words, ...args], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number, out: `${out}${code === 0 ? '' : errors}` }
}
