import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { writeManyRecords } from '../plugins/modules/testing/many-records.ts'
import { OWN_IDS } from '../plugins/modules/testing/own-corpus.ts'
import { temporaryFolder } from './harness/index.ts'
import { SATCHEL } from './satchel-process.ts'
import { lendsTerminals, openOnTerminal } from './terminal.ts'

const COLUMNS = 80
const CALL = `module "n" {
  source = "https://example.test/acme/terraform-sample-1?ref=v2.0.0"
  unknown_input_with_a_long_name = 3
}
`

/** Verbs, and what a person finds in their tables. */
const SHOWN: readonly (readonly [verb: readonly string[], table: RegExp])[] = [
  [['search', 'private network'], /id +module +ref +provider +description +distance\n {2}[0-9a-f]{12} /],
  [['modules', 'list', 'network'], /id +module +ref +provider +description\n {2}[0-9a-f]{12} /],
  [
    ['modules', 'show', 'https://example.test/acme/terraform-sample-0'],
    /name +type +required +description\n +cidr /,
  ],
  [
    ['modules', 'show', 'https://example.test/acme/terraform-sample-0', '--fields', 'variables'],
    /variables \(\d+\):\n +name /,
  ],
  [['modules', 'check', 'call.tf'], /line +code +message +suggestion\n +1 +missing_input /],
]

test('module verbs print tables that fit a terminal of 80 columns', async (t) => {
  if (!lendsTerminals()) {
    t.skip('NOT RUN: this system has no terminal (script of util-linux)')
    return
  }
  const cwd = await temporaryFolder(t)
  await writeManyRecords(cwd, OWN_IDS.length, 2)
  await writeFile(join(cwd, 'call.tf'), CALL)
  const env = { PATH: String(process.env['PATH']), HOME: cwd, NO_COLOR: '1' }

  for (const [verb, table] of SHOWN) {
    const words = [...SATCHEL, ...verb].map((word) => `'${word}'`).join(' ')
    const script = `stty cols ${COLUMNS}; exec ${words}`
    const terminal = openOnTerminal(t, ['sh', '-c', script], { cwd, env })
    await terminal.ended
    const text = stripVTControlCharacters(terminal.shown()).replaceAll('\r', '')

    assert.match(text, table, verb.join(' '))
    for (const line of text.split('\n')) assert.ok(stringWidth(line) <= COLUMNS, `${verb[0]}: ${line}`)
  }
})
