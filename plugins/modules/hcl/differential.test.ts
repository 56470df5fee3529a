import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { unescapeMarkers } from '../domain/quoted.ts'
import type { Json } from '../domain/summary.ts'
import { withTexts } from './attribute.ts'
import { extractFacts } from './facts.ts'
import { readHcl } from './reader.ts'

const SEED = 7_281_934
const RUNS = 1_500
const { openReference } = await import('./reference.lazy.ts')
const reference = openReference()
after(() => reference.close())

const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''))
const list = (part: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(part, { maxLength }).map((texts) => texts.join(''))
const oneOf = (...texts: string[]) => fc.constantFrom(...texts)

const blank = oneOf('', ' ', '\t', '/* c */')
const lineBreak = oneOf('\n', '\r\n', '\n\n', ' # c\n', '// c\n')
const character = oneOf(
  ...[
    'a',
    ' ',
    '$',
    '%',
    '$$',
    '{',
    '}',
    '$${',
    '%%{',
    '\\n',
    '\\"',
    '\\\\',
    '\\u00e9',
    '#',
    '//',
    '/*',
    '<<E',
    'e\u0301',
    '=',
    '😀',
  ],
)
const expression = oneOf(
  ...[
    'a.b',
    'a[0]',
    'a[*].b',
    'f(1)',
    '!a',
    'a + 1',
    '(1)',
    'a ? b : c',
    'f(a...)',
    'p::f(1)',
    '"x" == y',
    '[for x in y : x]',
  ],
)
const number = oneOf('0', '1', '-1', '- 2', '2.50', '1e3', '1E-2', '0.1', '01', '3.0')

/** Source text of values: valid for the most part, in all the spellings that HCL allows. */
const { value } = fc.letrec<{ value: string; nested: string }>((tie) => {
  const inner = tie('nested')
  const quoted = fc
    .array(
      fc.oneof(
        { weight: 8, arbitrary: character },
        { weight: 1, arbitrary: join(fc.constant('${'), inner, fc.constant('}')) },
      ),
      { maxLength: 5 },
    )
    .map((parts) => `"${parts.join('')}"`)
  const heredocLine = join(
    oneOf('', '  ', '    ', '\t'),
    oneOf('x', 'y z', '$${q}', '${v}', '}', 'E x', '"', '# c', '${\n v\n}', ''),
    oneOf('\n', '\r\n'),
  )
  const heredoc = fc
    .tuple(oneOf('<<', '<<-'), list(heredocLine, 4), oneOf('', '  '))
    .map(([opening, lines, indent]) => `${opening}E\n${lines}${indent}E\n`)
  const sequence = list(join(blank, inner, blank, fc.constant(','), oneOf('', '\n', '# c\n')), 4).map(
    (items) => `[${items}]`,
  )
  const key = oneOf('a', 'b', '"q"', 'a-b', '1', 'null', '"x${y}"', '(k)', 'é', '"$${x}"')
  const entry = join(
    blank,
    key,
    oneOf('', ' '),
    oneOf('=', ':'),
    blank,
    inner,
    fc.oneof(lineBreak, oneOf(',', ', ', ',\n')),
  )
  const object = join(fc.constant('{'), oneOf('', '\n'), list(entry, 4), fc.constant('}'))
  return {
    nested: fc.oneof(
      { depthSize: 'small' },
      number,
      oneOf('true', 'false', 'null'),
      quoted,
      expression,
      sequence,
      object,
    ),
    value: fc.oneof(number, quoted, expression, sequence, object, heredoc),
  }
})

/** What the reference printed, as we print it: markers unescaped, LF. */
function comparable(json: Json): Json {
  return withTexts(json, (text) => unescapeMarkers(text.replaceAll('\r\n', '\n')))
}

test('everything that the reference accepts our reader accepts, with the same literal or as an expression', async (t) => {
  const counts = { accepted: 0, literals: 0, unsure: 0 }
  await fc.assert(
    fc.asyncProperty(value, async (source) => {
      const text = `variable "x" {\n  default = ${source.trimEnd()}\n  type    = string\n}\nvariable "y" {\n}\n`
      const answer = await reference.ask(text)
      if (answer.kind !== 'read') return
      counts.accepted += 1
      const file = readHcl(text)
      const { facts, unsure } = extractFacts(file)

      assert.deepEqual([file.problems, file.doubts], [[], []])
      assert.deepEqual(
        facts.variables.map(({ name, type }) => [name, type]),
        [
          ['x', 'string'],
          ['y', undefined],
        ],
      )
      const stated = facts.variables[0]?.default
      if (unsure.size > 0) counts.unsure += 1
      else if (stated?.expression === undefined) {
        counts.literals += 1
        // the reference prints { variable: { x: [body] } }
        const printed = answer.value as { variable: { x: { default: Json }[] } }
        assert.deepEqual(stated?.value ?? null, comparable(printed.variable.x[0]?.default ?? null))
      }
    }),
    { seed: SEED, numRuns: RUNS },
  )

  t.diagnostic(`seed ${SEED}: ${JSON.stringify(counts)}`)
  assert.ok(counts.accepted > RUNS / 2 && counts.literals > RUNS / 5)
})
