import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FIGURES } from '../scripts/pictures/figures.ts'
import { barPlot } from '../scripts/pictures/plots.ts'
import { recordSession } from '../scripts/pictures/session.ts'
import { sessionPicture } from '../scripts/pictures/terminal-svg.ts'
import { temporaryFolder } from './harness/index.ts'
import { runSatchel } from './satchel-process.ts'
import { lendsTerminals } from './terminal.ts'

const PICTURE = join(import.meta.dirname, '../docs/pictures/session.svg')

/** A picture without what differs from run to run: ids, marks and the age of a record. */
const constant = (svg: string): string =>
  svg.replaceAll(/\b[0-9a-f]{4,}(-[0-9a-f]{4,})*\b/g, 'ID').replaceAll(/\d+ min old/g, '0 min old')

test('the session in README is what the program prints today', async (t) => {
  if (!lendsTerminals()) {
    t.skip('NOT RUN: this system has no terminal (script of util-linux)')
    return
  }

  const picture = sessionPicture(await recordSession(await temporaryFolder(t)))

  assert.equal(constant(picture), constant(readFileSync(PICTURE, 'utf8')), 'npm run pictures draws it again')
})

test('a picture shows what was said, typed and printed, and changes with it', () => {
  const steps = [{ said: 'A step.', typed: 'cat <file>', shown: ['  one & two', ''] }]

  const picture = sessionPicture(steps)

  assert.match(picture, />cat &lt;file&gt;<|>\$ cat &lt;file&gt;</)
  assert.match(picture, /x="32" [^>]*textLength="72"[^>]*>one &amp; two</)
  assert.notEqual(constant(picture), constant(sessionPicture([{ ...steps[0], shown: ['two'] }])))
})

test('the plot of the ranking in docs/search.md is what the measurement prints today', async (t) => {
  const figure = FIGURES['retrieval.svg']
  assert.ok(figure)
  const { out } = await runSatchel(await temporaryFolder(t), figure.words)

  const drawn = barPlot(figure.plot(JSON.parse(out)))

  assert.equal(
    drawn,
    readFileSync(join(PICTURE, '../retrieval.svg'), 'utf8'),
    'npm run pictures draws it again',
  )
})

test('a plot shows its values and changes with them', () => {
  const plot = { title: 'T', unit: 'percent', labels: ['a', 'b'], series: { kept: [12, 97.5] }, max: 100 }

  const svg = barPlot(plot)

  assert.equal(svg, barPlot(plot))
  for (const shown of ['<title>T</title>', '>percent<', '>a<', '>b<', '>kept<', '>12<', '>97.5<'])
    assert.ok(svg.includes(shown), shown)
  assert.notEqual(svg, barPlot({ ...plot, series: { kept: [12, 98] } }))
})
