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
