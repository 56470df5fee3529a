import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keeps } from '../figure.ts'
import { type AnswerSizes, answerFigures, sizesTable } from './answer-sizes.ts'

const SMALL: AnswerSizes = {
  name: 'acme/network',
  required: [120],
  type: [3000, 900],
  outputs: [800],
  compact: [3990, 1200],
  outputsFirst: [41, 41],
}

test('a page over the limit and an output that the first page lacks miss the goal and the gate', () => {
  const verdicts = (sizes: AnswerSizes) =>
    answerFigures([SMALL, sizes]).map((figure) => keeps(figure, 'goal'))

  assert.deepEqual(verdicts(SMALL), [true, true])
  assert.deepEqual(verdicts({ ...SMALL, type: [3000, 4001] }), [false, true])
  assert.deepEqual(verdicts({ ...SMALL, outputsFirst: [40, 41] }), [true, false])
  assert.equal(keeps(answerFigures([{ ...SMALL, required: [4001] }])[0] ?? assert.fail(), 'gate'), false)
})

test('the table has a line for each module, with a size for each page', () => {
  assert.match(
    sizesTable([SMALL]),
    /^module.*\nacme\/network +120 +3000 \+ 900 +800 +3990 \+ 1200 +41 of 41$/,
  )
})
