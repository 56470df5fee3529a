import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { FROM_SOURCES } from '../../../test/from-sources.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { parseModuleFile } from './parse-file.ts'
import type { Reference } from './reference.ts'

const { openReference } = await import('./reference.lazy.ts')

/** A parser of our own in the package's place; hangs on texts that hold `hang`, dies on `die`. */
function openStandIn(t: TestContext, options: { killMs?: number; idleMs?: number } = {}): Reference {
  const folder = temporaryFolderSync(t)
  const entry = join(folder, 'parser.cjs')
  writeFileSync(
    entry,
    `exports.parse = async (name, text) => {
      if (text.includes('hang')) for (;;) {}
      if (text.includes('die')) process.exit(3)
      if (text.includes('refuse')) throw new Error('module.tf:1,2-3: no')
      return { length: text.length, thread: require('node:worker_threads').threadId }
    }`,
  )
  const reference = openReference({ entry, ...options })
  t.after(() => reference.close())
  return reference
}

test('the reference reads HCL and says where a text is wrong', async (t) => {
  const reference = openReference()
  t.after(() => reference.close())

  const [read, failed] = await Promise.all([reference.ask('a = 1\n'), reference.ask('a = \n')])

  assert.deepEqual(read, { kind: 'read', value: { a: 1 } })
  assert.equal(failed.kind, 'failed')
  assert.match(failed.kind === 'failed' ? failed.message : '', /line 1, column 5/)
})

test('a text that hangs the reference costs only itself: our result is kept, the next text is read', async (t) => {
  const reference = openStandIn(t, { killMs: 2000 }) // the next text has as long, on a busy machine
  const source = 'variable "a" {\n  type = string\n}\nvariable "hang" {\n'

  const facts = await parseModuleFile('main.tf', Buffer.from(source), reference)
  const next = await reference.ask('fine')

  assert.deepEqual(
    facts.variables.map(({ name }) => name),
    ['a', 'hang'],
  )
  assert.deepEqual(
    facts.diagnostics.map(({ code, line }) => [code, line]),
    [
      ['parse_error', 4],
      ['reference_unavailable', undefined],
    ],
  )
  assert.equal(facts.referenceReads, 1)
  assert.equal(next.kind, 'read')
})

test('a reference that dies answers unavailable and is started again', async (t) => {
  const reference = openStandIn(t)

  const died = await reference.ask('die')
  const next = await reference.ask('fine')

  assert.equal(died.kind, 'unavailable')
  assert.equal(next.kind, 'read')
})

test('a closed reference answers unavailable, also to waiting callers, and starts nothing', async (t) => {
  const reference = openStandIn(t)

  const waiting = [reference.ask('hang'), reference.ask('fine')]
  await new Promise((resolve) => setTimeout(resolve, 20))
  await reference.close()

  for (const answer of await Promise.all(waiting)) assert.equal(answer.kind, 'unavailable')
})

test('a missing package answers unavailable', async (t) => {
  const reference = openReference({ entry: join(tmpdir(), 'satchel-no-such-parser.cjs') })
  t.after(() => reference.close())

  assert.equal((await reference.ask('a = 1\n')).kind, 'unavailable')
})

test('an idle reference ends, and answers again from a new thread', async (t) => {
  const reference = openStandIn(t, { idleMs: 1 })
  const first = await reference.ask('fine')
  await new Promise((resolve) => setTimeout(resolve, 40))

  const second = await reference.ask('fine')

  assert.ok(first.kind === 'read' && second.kind === 'read')
  assert.notEqual(second.value['thread'], first.value['thread'])
})

test('an open reference keeps no process alive', () => {
  // The thread itself would end after an hour: a process that it kept alive is killed long before.
  const script = `
    const { openReference } = await import('./reference.lazy.ts')
    const answer = await openReference({ idleMs: 3_600_000 }).ask('a = 1\\n')
    process.on('exit', () => process.stdout.write(answer.kind))`

  const printed = execFileSync(process.execPath, [...FROM_SOURCES, '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    timeout: 300_000,
    encoding: 'utf8',
  })

  assert.equal(printed, 'read')
})

test('files that a cap refuses are not shown to the reference', async () => {
  const asked: string[] = []
  const reference: Reference = {
    ask: async (text) => {
      asked.push(text)
      return { kind: 'failed', message: 'no' }
    },
    close: async () => undefined,
  }
  const codes = async (name: string, text: string | Buffer): Promise<string[]> =>
    (await parseModuleFile(name, Buffer.from(text), reference)).diagnostics.map(({ code }) => code)

  assert.deepEqual(await codes('a.tf', Buffer.alloc(1024 * 1024 + 1, 32)), ['file_too_large'])
  assert.deepEqual(await codes('a.tf', 'a = \u0000'), ['binary_file'])
  assert.deepEqual(await codes('a.tf', `a = ${'['.repeat(600)}`), ['too_deep'])
  assert.deepEqual(await codes('a.tf.json', '{"a": '), ['parse_error'])
  assert.deepEqual(await codes('a.tf.json', '[['.repeat(200)), ['too_deep'])
  assert.deepEqual(asked, [])
  assert.deepEqual(await codes('a.tf', 'a = '), ['parse_error'])
  assert.equal(asked.length, 1)
})
