import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchesGlob } from './path-glob.ts'

const matches = (pattern: string, path: string): boolean => matchesGlob(pattern.split('/'), path.split('/'))

describe('a glob of paths', () => {
  const rows: readonly (readonly [pattern: string, path: string, expected: boolean])[] = [
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**', 'src', true],
    ['src/**', 'src/deep/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['**/test/**/x?.tf', 'a/test/b/c/x1.tf', true],
    ['**/test/**/x?.tf', 'a/test/b/c/x.tf', false],
    ['*', '', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['{a,b}', 'a', false],
  ]
  for (const [pattern, path, expected] of rows) {
    it(`${pattern} ${expected ? 'matches' : 'does not match'} "${path}"`, () => {
      assert.equal(matches(pattern, path), expected)
    })
  }

  it('answers a pattern made to explode', () => {
    assert.equal(matches('*a'.repeat(200), 'a'.repeat(2000).concat('b')), false)
    assert.equal(matches('**/a/'.repeat(60).concat('b'), 'a/'.repeat(400).concat('c')), false)
  })
})
