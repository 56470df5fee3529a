import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { textFitOf } from './text-fit.ts'

describe('the width of a text', () => {
  test('of any data is what the tables of Unicode say', async () => {
    const texts = fc.oneof(
      fc.stringMatching(/^[ -~]{0,40}$/),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.stringMatching(/^[a-z\\"]{0,5}[\n\t\u001b][a-z \\u]{0,9}$/),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 4 }), async (given) => {
        const fit = await textFitOf({ given }, undefined)

        for (const text of given) {
          const width = stringWidth(text)
          assert.equal(fit.width(text), width)
          assert.deepEqual(fit.wrap(text, width), wrapAnsi(text, width, { hard: true }).split('\n'))
        }
      }),
    )
  })

  test('for a terminal is wrapped', async () => {
    const fit = await textFitOf({ text: 'plain words' }, 80)

    assert.deepEqual(fit.wrap('plain words', 6), ['plain', 'words'])
  })
})
