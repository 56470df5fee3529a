import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

/**
 * Words that have a plainer one: no one or "without …", the one that, any, removed or ended, again, is, immediately; "is
 * not a token" for "is no token", and "by the participant who" for "by who".
 */
const WORDS =
  /\b(nobody|somebody|everybody|whoever|whatever|whichever|gone|lends?|lent|mend(s|ed|ing)?|anew|stands?|stood|at once|for ever|in vain|all the same|(by|for|from|only|than|to) who|(?<!\bthere )(is|are|was|were) no (?!longer\b|larger\b|more\b|one\b|reason\b|risk\b))\b/i

/** Written by others or by a tool, or the very table of the words. */
const EXCEPT = /(^|\/)(generated|testdata|node_modules)\/|^test\/plain-words\.test\.ts$/
const QUOTED = ['{"error":"Gone"}'] // the phrase of HTTP status 410

/** Lines of a text that hold one of the words, by number, and the word. */
function hitsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line, index) => `${index + 1}: ${line.trim()}`)
    .filter((line) => WORDS.test(QUOTED.reduce((left, quoted) => left.replace(quoted, ''), line)))
}

test('documents, help, refusals, test titles and comments use plain words', () => {
  const listed = execFileSync(
    'git',
    [
      'ls-files',
      ...'*.ts *.js *.mjs *.cjs *.md *.html *.css *.yaml *.yml llms.txt schemas test/*.json'.split(' '),
    ],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
  const files = listed.split('\n').filter((path) => path !== '' && !EXCEPT.test(path))
  const hits = files.flatMap((path) =>
    hitsIn(readFileSync(join(ROOT, path), 'utf8')).map((hit) => `${path}:${hit}`),
  )

  assert.ok(files.length > 900, `${files.length} files`)
  assert.deepEqual(hits, [])
})

test('each of the words is found, and longer words are not', () => {
  const planted = [
    '// Nobody waits.',
    "message: 'The room is gone.'",
    '| x | two at once |',
    '/** Whatever it is. */',
    "message: 'This is no token.'",
    '// Kept for who asks.',
  ]

  for (const line of planted) assert.equal(hitsIn(`fine\n${line}\nfine`).length, 1, line)
  assert.deepEqual(
    hitsIn(
      "understands, bygone, 'address_gone', at one, recommend\nThere is no token, which is no longer\n  ['server', 410, '{\"error\":\"Gone\"}']",
    ),
    [],
  )
})
