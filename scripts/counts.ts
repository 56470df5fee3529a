/** Prints the closing counts of a junit report: `satchel: N passed, N failed, N skipped`; fails on a report without tests. */
import { existsSync, readFileSync } from 'node:fs'

const file = process.argv[2] ?? 'reports/junit.xml'
if (!existsSync(file)) {
  console.log('0 passed, 0 failed: the tests were not reached')
  process.exit(1)
}
const report = readFileSync(file, 'utf8')
const cases = report.split('<testcase ').slice(1)
const failed = cases.filter((text) => text.includes('<failure')).length
const skipped = cases.filter((text) => text.includes('<skipped')).length
if (cases.length === 0) throw new Error('The report holds no test.')
console.log(`${cases.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`)
if (failed > 0) process.exitCode = 1
