import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const LOADER = join(ROOT, 'scripts/typescript.mjs')

/** With the first, the hooks run in the thread of the sources, where Node lets them. */
const WAYS: readonly (readonly string[])[] = [['--expose-internals'], []]

interface Tree {
  readonly folder: string
  write(name: string, text: string): void
  /** Runs a file of the tree, here as a program of the sources. */
  run(words: readonly string[], env?: Readonly<Record<string, string>>): { code: number | null; text: string }
}

async function openTree(t: TestContext): Promise<Tree> {
  const folder = await temporaryFolder(t)
  const { NODE_TEST_CONTEXT: _, STRIPPED_SOURCES: __, ...inherited } = process.env
  const environment = { ...inherited, NODE_V8_COVERAGE: '' } // Node would fill it in
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    run(words, env = {}) {
      const args = ['--import', pathToFileURL(LOADER).href, ...words]
      const ran = spawnSync(process.execPath, args, {
        cwd: folder,
        env: { ...environment, ...env },
        encoding: 'utf8',
      })
      return { code: ran.status, text: `${ran.stdout}${ran.stderr}` }
    },
  }
}

for (const way of WAYS) {
  test(`a source that runs has the lines, columns and counts of what is written: ${way.join(' ') || 'no flag'}`, async (t) => {
    const tree = await openTree(t)
    const source = [
      "import type { Stats } from 'node:fs'",
      'interface Sized {',
      "  readonly size: Stats['size'] | 'größer, 更大, 🙂'",
      '}',
      'export function unused(): void {}',
      "export function fails(given: Sized | '🙂'): never { throw new Error(String(given as unknown)) }",
    ].join('\n')
    tree.write('a.ts', source)
    tree.write('b.ts', "import { fails } from './a.ts'\nfails({ size: 1 } satisfies { size: number })\n")
    const counts = join(tree.folder, 'counts')

    const { code, text } = tree.run([...way, 'b.ts'], { NODE_V8_COVERAGE: counts })

    assert.equal(code, 1)
    const thrown = source.split('\n')[5]?.indexOf('new Error') ?? 0
    assert.ok(text.includes(`a.ts:6:${thrown + 1}`), text)
    assert.match(text, /b\.ts:2:1\b/)
    const reports = readdirSync(counts).map((name) => JSON.parse(readFileSync(join(counts, name), 'utf8')))
    const script = reports.flatMap(({ result }) => result).find(({ url }) => url.endsWith('/a.ts'))
    const { ranges } = script.functions.find(
      (given: { functionName: string }) => given.functionName === 'unused',
    )
    assert.equal(ranges[0].count, 0)
    assert.equal(source.slice(ranges[0].startOffset, ranges[0].endOffset), 'function unused(): void {}')
  })
}

test('a file that changed is stripped again, and one that cannot be kept runs as well', async (t) => {
  const tree = await openTree(t)
  const kept = join(tree.folder, 'kept')
  mkdirSync(kept)
  const printed = (folder: string): string => tree.run(['a.ts'], { STRIPPED_SOURCES: folder }).text

  for (const word of ['one', 'two', 'one']) {
    tree.write('a.ts', `const word: string = '${word}'\nprocess.stdout.write(word)\n`)
    assert.equal(printed(kept), word)
    assert.equal(printed(join(tree.folder, 'missing')), word)
  }
  assert.equal(readdirSync(kept).length, 2)
})

for (const way of WAYS) {
  test(`a source that is not TypeScript says which file and where: ${way.join(' ') || 'no flag'}`, async (t) => {
    const tree = await openTree(t)
    tree.write('a.ts', 'export const a: string =\n')

    const { code, text } = tree.run([...way, 'a.ts'])

    assert.notEqual(code, 0)
    assert.match(text, /a\.ts/)
    assert.match(text, /startLine: \d/)
  })
}

test('a run of the tests keeps what it stripped in a folder of its own, which goes with it', async (t) => {
  const tree = await openTree(t)
  const looks = [
    "import assert from 'node:assert/strict'",
    "import { readdirSync } from 'node:fs'",
    "import { test } from 'node:test'",
    "test('looks', () => assert.ok(readdirSync(String(process.env['STRIPPED_SOURCES'])).length > 0))",
  ]
  mkdirSync(join(tree.folder, 'tests'))
  mkdirSync(join(tree.folder, 'tmp'))
  tree.write('tests/a.test.ts', looks.join('\n'))

  const { code, text } = tree.run([join(ROOT, 'scripts/test.ts'), 'tests'], {
    TMPDIR: join(tree.folder, 'tmp'),
  })

  assert.equal(code, 0, text)
  assert.ok(statSync(join(tree.folder, 'reports/junit.xml')).size > 0)
  assert.deepEqual(
    readdirSync(join(tree.folder, 'tmp')).filter((name) => name.includes('stripped')),
    [],
  )
})
