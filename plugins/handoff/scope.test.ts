import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inScope } from './domain/path-pattern.ts'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'

const RUN = { type: 'test', claim: 'tests pass', ref: 'npm test', result: 'ok' }

/** A project of which `src/callback.ts`, `README.md` and `Makefile` are committed, and a record with this scope. */
async function scopedTo(t: TestContext, scope: readonly string[]) {
  const project = await openTestProject(t, { repository: true })
  commit(project, 'Makefile', 'all:\n')
  const { id } = await project.call('handoff_create', { ...SMALL, scope, evidence: [RUN] })
  return { project, fresh: () => project.call('handoff_freshness', { id }) }
}

function commit(project: TestProject, path: string, text: string): void {
  project.write(path, text)
  project.git('add', '--', path)
  project.git('commit', '-q', '-m', path)
}

for (const scope of [['src'], ['src', 'README.md'], ['Makefile', 'src'], ['./src'], ['src/'], ['.']]) {
  test(`the scope ${scope.join(' ')} has what is below src`, async (t) => {
    const { project, fresh } = await scopedTo(t, scope)
    commit(project, 'src/callback.ts', 'changed\n')

    const { changed_in_scope, relevant, gate, claims } = await fresh()

    assert.deepEqual(
      [changed_in_scope, relevant, gate, claims[0].verdict],
      [['src/callback.ts'], true, 'care', 'stale'],
    )
  })
}

test('a bare name alone is a place, also after a change removed it: nothing else is in scope', async (t) => {
  const { project, fresh } = await scopedTo(t, ['src'])
  commit(project, 'README.md', '# Changed\n')
  commit(project, 'lib/src/other.ts', 'x\n')
  const elsewhere = await fresh()

  project.git('rm', '-q', '-r', 'src')
  project.git('commit', '-q', '-m', 'removed')
  const removed = await fresh()

  assert.deepEqual([elsewhere.changed_in_scope, elsewhere.gate], [[], 'go'])
  assert.deepEqual([removed.changed_in_scope, removed.gate], [['src/callback.ts'], 'care'])
})

test('a bare name of a file is that file', async (t) => {
  const { project, fresh } = await scopedTo(t, ['Makefile'])
  commit(project, 'README.md', '# Changed\n')
  assert.deepEqual((await fresh()).changed_in_scope, [])

  commit(project, 'Makefile', 'all: src\n')

  assert.deepEqual((await fresh()).changed_in_scope, ['Makefile'])
})

for (const scope of [
  ['the payment flow'],
  ['payments'],
  ['SRC'],
  ['..'],
  ['src of it'],
  ['https://example.org/src'],
]) {
  test(`"${scope}" names no place: the record is about the whole project`, async (t) => {
    const { project, fresh } = await scopedTo(t, scope)
    commit(project, 'README.md', '# Changed\n')

    assert.deepEqual((await fresh()).changed_in_scope, ['README.md'])
  })
}

test('a pattern is the same with and without the present folder and slashes at its end', () => {
  for (const pattern of ['src', './src', 'src/', './src//', 'src/.', 'src/**']) {
    assert.ok(inScope(pattern, 'src/deep/x.ts'), pattern)
    assert.equal(inScope(pattern, 'srcs/x.ts'), false, pattern)
  }
  for (const all of ['.', './', './.']) assert.ok(inScope(all, 'src/x.ts'), all)
})

test('a path from a folder of a monorepo is named with the path that was meant', async (t) => {
  const project = await openTestProject(t, { repository: true })
  commit(project, 'packages/api/lib/cart.ts', 'x\n')
  const warningsOf = async (scope: readonly string[]) =>
    (await project.call('handoff_create', { ...SMALL, scope, artifacts: [] })).warnings

  const meant = await warningsOf(['lib/cart.ts'])
  const others = await warningsOf([
    'packages/api/lib/cart.ts',
    'lib/new.ts',
    'lib/*.ts',
    '../cart.ts',
    'the cart',
  ])

  assert.deepEqual(meant, [
    'There is no lib/cart.ts in this project; paths are from its root. Did you mean packages/api/lib/cart.ts?',
  ])
  assert.deepEqual(others, [])
})
