/** A report as SARIF 2.1.0 (OASIS), which code scanners and editors read. */
import { createHash } from 'node:crypto'
import { showHidden } from '../../../server/plugin.ts'
import { CHECK_RULES, type RuleCode } from '../domain/check-levels.ts'
import type { CheckedTree } from '../service/check-tree.ts'
import { type Reported, reported } from './check-report.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'

/** One run with every rule and a result for each finding; its places are relative to the working directory. */
export function sarifOf(tree: CheckedTree, version: string): Readonly<Record<string, unknown>> {
  const codes = Object.keys(CHECK_RULES) as RuleCode[] // the keys of the table
  const rules = codes.map((id) => ({
    id,
    shortDescription: { text: CHECK_RULES[id].about },
    defaultConfiguration: { level: CHECK_RULES[id].level },
  }))
  const seen = new Map<string, number>()
  const results = reported(tree).map((one) => ({
    ruleId: one.code,
    ruleIndex: codes.indexOf(one.code),
    level: CHECK_RULES[one.code].level,
    message: { text: showHidden(one.message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(one.file) },
          region: { startLine: Math.max(1, one.line) },
        },
      },
    ],
    partialFingerprints: { 'satchel/v1': fingerprint(one, seen) },
  }))
  const driver = { name: 'satchel', semanticVersion: version, rules }
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results }] }
}

/** The same for a finding that moved to another line; equal ones of one call are numbered. */
function fingerprint({ file, code, call, message }: Reported, seen: Map<string, number>): string {
  const digest = createHash('sha256')
    .update([file, code, call, message].join('\0'))
    .digest('hex')
    .slice(0, 32)
  const number = (seen.get(digest) ?? 0) + 1
  seen.set(digest, number)
  return `${digest}:${number}`
}

function uriOf(file: string): string {
  const encoded = file.split('/').map(encodeURIComponent).join('/')
  return file.startsWith('/') ? `file://${encoded}` : encoded.replace(/^\.\//, '')
}
