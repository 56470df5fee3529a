import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflictSides } from './conflict-sides.ts'

const lines = (...all: string[]) => all.join('\n')

test('the sides of two conflicts, and the base where the markers show it', () => {
  const text = lines('a', '<<<<<<< HEAD', 'b', '||||||| 1a2b3c', 'c', '=======', 'd', '>>>>>>> other', 'e')

  assert.deepEqual(conflictSides(text), {
    ours: lines('a', 'b', 'e'),
    theirs: lines('a', 'd', 'e'),
    base: lines('a', 'c', 'e'),
  })
  const twice = lines(text, '<<<<<<<\r', '=======\r', 'x\r', '>>>>>>>\r')
  assert.deepEqual(conflictSides(twice), {
    ours: lines('a', 'b', 'e'),
    theirs: lines('a', 'd', 'e', 'x\r'),
    base: undefined,
  })
})

test('markers that do not pair separate nothing', () => {
  for (const text of [
    'no marker',
    lines('<<<<<<< a', 'b'),
    lines('<<<<<<< a', '>>>>>>> b'),
    lines('=======', '>>>>>>> b'),
    lines('<<<<<<< a', '<<<<<<< b', '=======', '>>>>>>> b'),
    lines('<<<<<<< a', '=======', '=======', '>>>>>>> b'),
    '<<<<<< six',
    '  <<<<<<< indented',
  ])
    assert.equal(conflictSides(text), undefined, text)
})
