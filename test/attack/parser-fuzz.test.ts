import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomFrom } from './inputs.ts'
import { PARSERS, type Parser } from './parsers.ts'

/** Inputs of each parser; as many as 100,000 in `npm run check:long`, where the seed is another one in each run. */
const INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 0)
const INPUTS_OF_A_TEST = 4000
const SEED = Number(process.env['SEED'] ?? 20_261)
/** With a limit slow inputs fail too; only a quiet machine can tell. */
const LIMIT_MS = Number(process.env['FUZZ_LIMIT_MS'] ?? Number.POSITIVE_INFINITY)
const LONGEST = 4000
const RARE_LONGEST = 100_000

/** What programs forget in any format. */
const TOKENS = [
  '\0',
  '\r\n',
  '\r',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\u202e',
  '💥',
  'é',
  '__proto__',
  'constructor',
  '9'.repeat(40),
  ' '.repeat(40),
  '\n\n\n',
]

/** Texts made from the seeds of a parser by inserting, repeating, cutting, doubling and joining parts. */
function createTexts({ seeds, tokens }: Pick<Parser, 'seeds' | 'tokens'>, random: () => number) {
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T // not empty
  const token = (): string => (below(6) === 0 ? pick(TOKENS) : pick(tokens))
  const cut = (text: string): readonly [string, string] => {
    const at = below(text.length + 1)
    return [text.slice(0, at), text.slice(at)]
  }
  const changed = (text: string): string => {
    const [head, tail] = cut(text)
    switch (below(7)) {
      case 0:
        return head + tail.slice(below(20))
      case 1:
        return head + tail.slice(0, below(40)).repeat(1 + below(30)) + tail
      case 2:
        return head + token().repeat(2 ** below(below(20) === 0 ? 13 : 6)) + tail
      case 3:
        return head + cut(pick(seeds))[below(2)] + tail
      case 4:
        return head
      default:
        return head + token() + tail
    }
  }
  return (): string => {
    let text = below(8) === 0 ? '' : pick(seeds)
    for (let step = below(8); step >= 0; step--) text = changed(text)
    return text.slice(0, below(200) === 0 ? RARE_LONGEST : LONGEST)
  }
}

interface Found {
  readonly faults: readonly string[]
  readonly slowest: { readonly ms: number; readonly text: string }
}

function fuzz(parser: Parser): Found {
  const next = createTexts(parser, randomFrom(SEED))
  const faults: string[] = []
  let slowest = { ms: 0, text: '' }
  let other = parser.seeds[0] ?? ''
  const count = INPUTS > 0 ? INPUTS : INPUTS_OF_A_TEST * (parser.share ?? 1)
  for (let made = 0; made < count && faults.length < 3; made++) {
    const text = next()
    const started = performance.now()
    try {
      parser.check(text, other)
    } catch (thrown) {
      faults.push(`${(thrown as Error).stack?.slice(0, 800)} <- ${JSON.stringify(text).slice(0, 3000)}`)
    }
    const ms = performance.now() - started
    if (ms > slowest.ms) slowest = { ms, text }
    other = text
  }
  return { faults, slowest }
}

for (const parser of PARSERS) {
  test(`no text makes the reader of ${parser.name} throw anything but a refusal, or break its laws`, (t) => {
    for (const seed of parser.seeds) parser.check(seed, '')

    const { faults, slowest } = fuzz(parser)

    const { ms, text } = slowest
    t.diagnostic(`seed ${SEED}, slowest ${ms.toFixed(1)} ms: ${JSON.stringify(text).slice(0, 100)}`)
    assert.deepEqual(faults, [])
    assert.ok(ms <= LIMIT_MS, `${ms} ms: ${JSON.stringify(text)}`)
  })
}

test('planted faults are found: a throw for a rare token, and a law that a repetition breaks', () => {
  const planted = (check: Parser['check']) =>
    fuzz({ name: 'planted', seeds: ['a = [1]\n'], tokens: ['[', '=', '${'], check })

  const thrown = planted((text) => {
    if (text.includes('${[')) throw new TypeError('planted')
  })
  const broken = planted((text) => assert.ok(!/={16}/.test(text), 'planted'))

  assert.match(thrown.faults[0] ?? '', /TypeError: planted/)
  assert.match(broken.faults[0] ?? '', /planted/)
})
