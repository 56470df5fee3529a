import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ModuleSummary, Variable } from '../domain/summary.ts'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { createSummaryPrinter, printSummary } from './summary-printer.ts'

const anyText = fc.string({ unit: 'binary' })

/** Rows as refs share them: some the very same objects, some equal, some other. */
const row: fc.Arbitrary<Variable> = fc.record(
  {
    name: anyText,
    type: anyText,
    description: anyText,
    default: fc.jsonValue() as fc.Arbitrary<Variable['default']>,
    required: fc.boolean(),
    position: fc.record({ file: anyText, line: fc.nat() }),
  },
  { requiredKeys: ['name', 'type', 'description', 'default', 'required'] },
)

function summaryOf(parts: Partial<ModuleSummary>): ModuleSummary {
  return { ...EMPTY_SUMMARY, ...parts }
}

function textOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString()
}

test('summaries that share rows and texts are printed byte for byte as each by itself', () => {
  const history = fc.array(row, { minLength: 1, maxLength: 6 }).chain((rows) =>
    fc.array(
      fc.record({
        ref: anyText,
        path: fc.constantFrom('.', 'modules/a'),
        description: anyText,
        variables: fc.subarray(rows),
        copied: fc.boolean(),
        readme_content: fc.oneof(fc.constant('# Title\n'), anyText),
        files: fc.array(anyText, { maxLength: 3 }),
        readme_truncated: fc.constantFrom(true as const, undefined),
      }),
      { maxLength: 8 },
    ),
  )
  fc.assert(
    fc.property(history, (states) => {
      const { print } = createSummaryPrinter()
      for (const { copied, readme_truncated, ...parts } of states) {
        const variables = copied ? structuredClone(parts.variables) : parts.variables
        const truncated = readme_truncated === undefined ? {} : { readme_truncated }
        const summary = summaryOf({ ...parts, variables, ...truncated })

        const printed = print(summary)

        const plain = printSummary(summary)
        assert.equal(textOf(printed.pieces), textOf(plain.pieces))
        assert.equal(printed.sha256, plain.sha256)
      }
    }),
  )
})

test('what is the same in the next ref is the same piece, and what is not is another', () => {
  const variable = { name: 'a', type: 'any', description: '', default: null, required: true }
  const { print, forget } = createSummaryPrinter()
  const large = (summary: ModuleSummary) =>
    print(summary).pieces.filter((piece) => textOf([piece]).startsWith('[\n'))

  const first = large(summaryOf({ variables: [variable], resources: [{ type: 't', name: 'one' }] }))
  const next = large(summaryOf({ ref: 'v2', variables: [variable], resources: [{ type: 't', name: 'two' }] }))

  assert.equal(first[0], next[0])
  assert.match(textOf(next), /"two"/)
  assert.doesNotMatch(textOf(next), /"one"/)
  forget('another repository')
  assert.equal(large(summaryOf({ variables: [variable] }))[0], first[0])
  forget(summaryOf({}).repository)
  assert.notEqual(large(summaryOf({ variables: [variable] }))[0], first[0], 'nothing of it is kept')
})
