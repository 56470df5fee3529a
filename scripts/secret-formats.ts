/**
 * Writes `generated/secret-formats.ts` from a copy of the rule set of gitleaks (MIT, see NOTICE):
 * `node --import ./scripts/typescript.mjs scripts/secret-formats.ts path/to/gitleaks.toml`. Keeps the facts about each
 * kind of token: the words it is known by, and the form of its value. Rules that need more than that are ours, in `plugins/handoff/domain`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Rules that are ours already, that need the text around, or whose form is that of ordinary text. */
const LEFT_OUT = new Set([
  'atlassian-api-token',
  'curl-auth-header',
  'curl-auth-user',
  'generic-api-key',
  'jwt',
  'jwt-base64',
  'kubernetes-secret-yaml',
  'pkcs12-file',
  'private-key',
  'hashicorp-tf-password',
  'facebook-access-token',
])
/** How the rule set writes "a name with this word, an assignment, the value". */
const NAMED =
  /\(\?:(?<words>(?:[^()]|\([^()]*\))+)\)\(\?:\[ \\t\\w\.-\]\{0,20\}\).*?\{0,5\}(?<value>\(.+\))\(\?:\[\\x60/
const END = /\(\?:(?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?|\[\^[^\]]*\]\|\\z)\)$/

const [, , path = ''] = process.argv
const rules = readFileSync(path, 'utf8').split('[[rules]]').slice(1).flatMap(rowOf)
const lines = rules.map((row) => `  ${JSON.stringify(row)},`)
const text = `// Written by scripts/secret-formats.ts from the rule set of gitleaks (MIT, see NOTICE). Do not edit.

/** A kind of token: its name, the words by which a text is searched for it, and its form; \`named\`: of a value assigned to such a word. */
export type SecretFormat = readonly [name: string, words: readonly string[], form: string, named: 0 | 1]

// biome-ignore format: one line for each kind
export const SECRET_FORMATS: readonly SecretFormat[] = [
${lines.join('\n')}
]
`
writeFileSync(join(import.meta.dirname, '../generated/secret-formats.ts'), text)
process.stdout.write(`${rules.length} formats\n`)

type Row = readonly [string, readonly string[], string, 0 | 1]

function rowOf(block: string): Row[] {
  const id = /^id = "(.+)"$/m.exec(block)?.[1] ?? ''
  const regex = /^regex = '''(.+)'''$/m.exec(block)?.[1]
  const keywords = keywordsIn(block)
  if (regex === undefined || LEFT_OUT.has(id) || keywords.length === 0) return []
  const name = id.replaceAll('-', '_')
  const named = NAMED.exec(regex)?.groups
  if (!named || regex.includes('|\\b(')) {
    const form = plain(regex.replace(END, ''))
    // A keyword that is not part of the token says nothing about where it is.
    const isPart = keywords.some((word) => form.toLowerCase().replaceAll('\\', '').includes(word))
    const start = /^\(?([A-Za-z0-9_-]{3,})/.exec(form)?.[1]?.toLowerCase()
    return [[name, isPart || start === undefined ? keywords : [start], form, 0]]
  }
  const words = (named['words'] ?? '')
    .replace(/\(\?-i:|\(\?:|\)/g, '')
    .replace(/\[[A-Z]?([a-z])[A-Z]?\]/gi, '$1')
  return [[name, wordsIn(words, keywords), plain(named['value'] ?? ''), 1]]
}

function keywordsIn(block: string): string[] {
  const list = /^keywords = \[([^\]]*)\]/m.exec(block)?.[1] ?? ''
  return [...list.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word.toLowerCase())
}

/** The words themselves where they are plain, else the keywords of the rule. */
function wordsIn(words: string, keywords: readonly string[]): readonly string[] {
  const list = [...new Set(words.toLowerCase().split('|'))]
  return list.every((word) => /^[a-z0-9_.-]{2,}$/.test(word)) ? list : keywords
}

/** A form in the syntax of JavaScript, without regard to case, on one line. */
function plain(form: string): string {
  return form
    .replace(/\(\?-?i\)/g, '')
    .replace(/\(\?-?i:/g, '(?:')
    .replaceAll('[[:alnum:]]', '[a-z0-9]')
    .replaceAll('\\z', '$')
    .replace(/\[(?:[^\]\\]|\\.)*\]/g, (set) => set.replaceAll('\\s', ' \\t'))
    .replace(/\\s(?![^[]*\])/g, '[ \\t]')
    .replace(/^\\b/, '')
    .replace(/\\b$/, '')
}
