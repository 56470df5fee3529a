import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordSession } from '../scripts/pictures/session.ts'
import { sessionPicture } from '../scripts/pictures/terminal-svg.ts'
import { temporaryFolder } from './harness/index.ts'
import { lendsTerminals } from './terminal.ts'

const PICTURE = join(import.meta.dirname, '../docs/pictures/session.svg')

/** A picture without what differs from run to run: ids, marks and the age of a record. */
const constant = (svg: string): string =>
  svg.replaceAll(/\b[0-9a-f]{4,}(-[0-9a-f]{4,})*\b/g, 'ID').replaceAll(/\d+ min old/g, '0 min old')

test('the session in README is what the program prints today', async (t) => {
  if (!lendsTerminals()) {
    t.skip('NOT RUN: this system lends no terminal (script of util-linux)')
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
