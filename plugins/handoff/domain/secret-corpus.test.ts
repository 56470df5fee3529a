import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { SECRET_FORMATS } from '../../../generated/secret-formats.ts'
import { findSecrets } from './secrets.ts'
import { TOKEN_FORMATS } from './token-formats.ts'

const ROOT = join(import.meta.dirname, '../../..')
const SEED = 20260101
const FORMATS = [...SECRET_FORMATS, ...TOKEN_FORMATS]

/** Values of a form; long repetitions are kept as they are. */
function samplesOf(form: string, seed: number): readonly string[] {
  const bare = form
    .replaceAll('\\b', '')
    .replace(/\(\?:\^\|/g, '(?:')
    .replace(/\|\$\)/g, ')')
    .replace('(?:$|', '(?:')
  const whole = new RegExp(`^(?:${bare})$`)
  return fc.sample(fc.stringMatching(whole), { numRuns: 4, seed })
}

for (const [whose, formats, atLeast] of [
  ['the rule set', SECRET_FORMATS, 150],
  ['our own', TOKEN_FORMATS, 120],
] as const) {
  test(`each kind of token of ${whose} is found, alone in a sentence or assigned to a name`, (t) => {
    let total = 0
    const missed: string[] = []
    for (const [at, [name, words, form, named]] of formats.entries()) {
      for (const sample of samplesOf(form, SEED + at)) {
        const word = words[0] ?? ''
        const before = named === 1 || !sample.toLowerCase().includes(word) ? `${word}_token = ` : 'it was '
        const text = `before ${before}"${sample.trim()}" after`
        total++
        if (findSecrets({ text }).length === 0) missed.push(`${name}: ${text}`)
      }
    }

    t.diagnostic(`${total - missed.length} of ${total} values of ${formats.length} kinds`)
    assert.ok(formats.length >= atLeast)
    assert.ok(missed.length <= total * 0.03, missed.slice(0, 40).join('\n'))
  })
}

test('a value that is cut in the middle, or only the word, is not a token of a kind', () => {
  for (const [at, [name, words, form]] of FORMATS.entries()) {
    for (const word of words) {
      assert.deepEqual(findSecrets({ text: `We use ${word} here, and the ${word} key is set.` }), [], name)
    }
    const [sample = ''] = samplesOf(form, SEED + at)
    if (!/^[\w.-]+$/.test(sample) || sample.length < 16) continue
    const cut = sample.slice(0, 8)
    assert.deepEqual(findSecrets({ text: `It begins with ${cut}.` }), [], `${name}: ${cut}`)
  }
})

/** Prose, code, configuration and lock files of this project: real text without a secret. */
const INNOCENT = [
  'README.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'CONTRIBUTING.md',
  'docs/configuration.md',
  'docs/errors.md',
  'docs/tools.md',
  'docs/handoffs.md',
  'docs/workspace.md',
  'docs/modules.md',
  'docs/mcp.md',
  'docs/reliability.md',
  'package.json',
  'package-lock.json',
  'compose.yaml',
  'Dockerfile',
  'server/host.ts',
  'server/call.ts',
  'plugins/handoff/domain/secret-kinds.ts',
  'plugins/handoff/reasons.ts',
  'plugins/workspace/reasons.ts',
  'server/platform/process-lock.ts',
  'schemas/config.json',
]

test('lines of prose, code and lock files hold no secret', (t) => {
  let lines = 0
  const wrong: string[] = []
  for (const file of INNOCENT) {
    for (const [number, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
      if (line.trim() === '') continue
      lines++
      const [found] = findSecrets({ line })
      if (found) wrong.push(`${file}:${number + 1} ${found.rule}: ${line.trim().slice(0, 160)}`)
    }
  }

  t.diagnostic(`${wrong.length} of ${lines} lines: ${wrong.join('; ')}`)
  assert.ok(lines >= 2000)
  assert.ok(wrong.length <= lines * 0.001, wrong.join('\n'))
})
