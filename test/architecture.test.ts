import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')

/** Rows of the table below "Where is": a question, its command, the files that the command prints. */
const questions = [...text.matchAll(/^\| (.*\?) \| `(git grep .*?)` \| (.*) \|$/gm)].map(
  ([, question = '', command = '', answer = '']) => ({ question, command, answer: pathsIn(answer) }),
)

function pathsIn(answer: string): readonly string[] {
  return [...answer.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
}

function printed(command: string): readonly string[] {
  return execFileSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n')
}

test('ARCHITECTURE.md answers at least twelve questions', () => {
  assert.ok(questions.length >= 12)
})

for (const { question, command, answer } of questions) {
  test(`where is ${question} One grep prints exactly the answer`, () => {
    assert.deepEqual(printed(command), answer)
  })
}

const MAX_TEST_LINES = 500

function tooLong(sources: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(sources).filter(
    (path) => (sources[path]?.trimEnd().split('\n').length ?? 0) > MAX_TEST_LINES,
  )
}

test('no test file has more than 500 lines', () => {
  const sources = Object.fromEntries(
    printed("git ls-files '*.test.ts'").map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
  )

  assert.ok(Object.keys(sources).length > 300)
  assert.deepEqual(tooLong(sources), [])
  assert.deepEqual(tooLong({ long: 'x\n'.repeat(MAX_TEST_LINES + 1), short: 'x\n'.repeat(MAX_TEST_LINES) }), [
    'long',
  ])
})

/** Files that take the process lock and have no test beside them that runs its conformance suite. */
function lockUsersWithoutSuite(
  sourceOf: (path: string) => string,
  paths: readonly string[],
): readonly string[] {
  return paths.filter((path) => {
    if (path.endsWith('.test.ts') || !/\b(takeLock|waitForLock)[<(]/.test(sourceOf(path))) return false
    const beside = path.replace(/\.ts$/, '.test.ts')
    return !paths.includes(beside) || !sourceOf(beside).includes('testLockConformance({')
  })
}

test('every user of the process lock passes its conformance suite', () => {
  const paths = printed("git ls-files 'server/*.ts' 'plugins/*.ts'")
  const ruled = paths.filter((path) => !/\/testing\/|server\/platform\/process-lock\.ts$/.test(path))
  const sourceOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const planted = {
    'a.ts': 'waitForLock(x, 1)',
    'b.ts': 'takeLock<Owner>(x)',
    'b.test.ts': 'testLockConformance({',
  }

  assert.deepEqual(lockUsersWithoutSuite(sourceOf, ruled), [])
  assert.deepEqual(
    lockUsersWithoutSuite((path) => planted[path as keyof typeof planted], Object.keys(planted)),
    ['a.ts'],
  )
})

/** Paths of the tree: a line that is not indented names a folder, the lines below it what is inside. */
function pathsOfTree(tree: string): readonly string[] {
  let top = ''
  return tree.split('\n').flatMap((line) => {
    const [first = '', ...others] = line.match(/[a-z-]+(\/[a-z-]+)*(\/|\.ts\b)/g) ?? []
    if (first === '') return []
    if (!line.startsWith(' ')) {
      top = first
      return [first]
    }
    const isNested = top === 'plugins/'
    return [top + first, ...others.map((other) => (isNested ? top + first + other : top + other))]
  })
}

test('every path that ARCHITECTURE.md names exists', () => {
  const [block = '', tree = ''] = /```\n(.*?)```/s.exec(text) ?? []
  const named = pathsIn(text.replace(block, '')).filter((path) =>
    /^[a-z]+(\/[a-z.-]+)*(\/|\.(ts|cjs|md|json))$/.test(path),
  )
  const ofRepository = named.filter((path) => !/^(tools|testing)\/|^[^/]+$/.test(path))
  const paths = [...pathsOfTree(tree), ...ofRepository]

  assert.ok(paths.length >= 50, String(paths.length))
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(ROOT, path))),
    [],
  )
})
