import { table } from './markdown.ts'
import { type Proof, type Proofs, partsOf } from './proofs.ts'

/** docs/expectations.md: what users of tools of this kind expect, and what shows it. */
export function expectationsPage({ expectations }: Proofs): string {
  const groups = [...new Set(expectations.map(({ who }) => who))]
  const head =
    '# Expectations\n\nWritten by `npm run generate` from `test/proofs.json`: what people expect of a tool like this, and the test or command that shows it. A row whose test is missing, was skipped or failed fails `npm run check`.\n'
  return head + groups.map((who) => `\n## ${capital(who)}\n\n${rowsFor(expectations, who)}`).join('')
}

/** The table of docs/security/threat-model.md. */
export function threatTable({ threats }: Proofs): string {
  const rows = threats.map((row) => [row.class, row.exposed, row.against, proofText(row.proof)])
  return table(['class', 'where satchel is exposed', 'protection', 'tests'], rows)
}

/** The promises of docs/reliability.md, with the mistakes that were planted to see the check bite. */
export function promiseTable({ promises }: Proofs): string {
  const rows = promises.map(({ promise, proof, planted }) => [promise, proofText(proof), proofText(planted)])
  return table(['promise', 'shown by', 'bites on'], rows)
}

function rowsFor(expectations: Proofs['expectations'], who: string): string {
  const rows = expectations.filter((row) => row.who === who)
  return table(
    ['expectation', 'shown by'],
    rows.map(({ expectation, proof }) => [expectation, proofText(proof)]),
  )
}

function proofText(proofs: readonly Proof[]): string {
  const files = [...new Set(proofs.map((proof) => (proof.startsWith('$ ') ? proof : partsOf(proof).path)))]
  return files
    .map((file) => {
      if (file.startsWith('$ ')) return `\`${file.slice(2)}\``
      const names = proofs.map(partsOf).filter(({ path }) => path === file)
      return `\`${file}\`: ${names.map(({ name }) => `“${name}”`).join(', ')}`
    })
    .join('; ')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
