/** After the tests: every test that the documents call a proof ran and passed, and nothing was skipped that is not listed. */
import { readFileSync } from 'node:fs'
import { loadProofs, outcomesOf, unshownProofs } from './proofs.ts'

const report = process.argv[2] ?? 'reports/junit.xml'
const proofs = loadProofs()
const outcomes = outcomesOf(readFileSync(report, 'utf8'))
const unshown = unshownProofs(proofs, outcomes)
for (const line of unshown) console.error(line)
if (unshown.length > 0) process.exitCode = 1
else
  console.log(
    `proofs: what ${proofs.expectations.length} expectations, ${proofs.threats.length} threats and ${proofs.promises.length} promises name was run and passed`,
  )
