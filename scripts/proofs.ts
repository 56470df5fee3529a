/** What `test/proofs.json` promises: each expectation, threat and promise with the tests and commands that show it. */
import { existsSync, readFileSync } from 'node:fs'
import { HOST_VERBS } from '../server/cli/host-verbs.ts'

/** `path: name of a test`, the name as in the source, `${…}` included; or `$ command`. */
export type Proof = string

export interface Proofs {
  readonly expectations: readonly {
    readonly who: string
    readonly expectation: string
    readonly proof: readonly Proof[]
  }[]
  readonly threats: readonly {
    readonly class: string
    readonly exposed: string
    readonly against: string
    readonly proof: readonly Proof[]
  }[]
  readonly promises: readonly {
    readonly promise: string
    readonly proof: readonly Proof[]
    readonly planted: readonly Proof[]
  }[]
  /** Tests that may be skipped in CI, each with the reason. */
  readonly skips: readonly { readonly test: Proof; readonly why: string }[]
}

/** One test of a report: its name as it ran, and how it went. */
export interface Outcome {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'skipped'
}

/** The proofs of this repository, whose root is the working directory. Errors: a row whose proof is missing, by its name. */
export function loadProofs(): Proofs {
  const proofs: Proofs = JSON.parse(readFileSync('test/proofs.json', 'utf8')) // every row is looked at below
  const missing = missingProofs(proofs)
  if (missing.length === 0) return proofs
  const advice =
    'test/proofs.json names what is not there: was a test renamed or removed? Name what took its place.'
  throw new Error([advice, ...missing].join('\n'))
}

/** Rows without a proof, and proofs that name no test of a file or no command there is. */
export function missingProofs(proofs: Proofs): readonly string[] {
  const without = rowsOf(proofs).flatMap(({ row, proof }) => (proof.length === 0 ? [`no proof: ${row}`] : []))
  const named = [...everyProof(proofs), ...proofs.skips.map(({ test }) => test)]
  const unknown = named.filter((proof) =>
    proof.startsWith('$ ') ? !isCommand(proof.slice(2)) : !isTest(proof),
  )
  return [...without, ...unknown.map((proof) => `no such test or command: ${proof}`)]
}

/** Named tests that the report does not show as passed, and skipped tests that are not listed. */
export function unshownProofs(proofs: Proofs, outcomes: readonly Outcome[]): readonly string[] {
  const listed = proofs.skips.map(({ test }) => patternOf(test))
  const passed = outcomes.filter(({ result }) => result === 'passed').map(({ name }) => name)
  const unshown = everyProof(proofs).filter(
    (proof) => !proof.startsWith('$ ') && !passed.some((name) => patternOf(proof).test(name)),
  )
  const skipped = outcomes.filter(
    ({ name, result }) => result === 'skipped' && !listed.some((one) => one.test(name)),
  )
  return [
    ...unshown.map((proof) => `did not run and pass: ${proof}`),
    ...skipped.map(({ name }) => `skipped, and not listed as such: ${name}`),
  ]
}

/** The tests of a junit report as node:test writes it. */
export function outcomesOf(report: string): readonly Outcome[] {
  return report
    .split('<testcase ')
    .slice(1)
    .map((text) => ({
      name: unescaped(/^name="([^"]*)"/.exec(text)?.[1] ?? ''),
      result: text.includes('<failure') ? 'failed' : text.includes('<skipped') ? 'skipped' : 'passed',
    }))
}

/** The file and the name of a proof. */
export function partsOf(proof: Proof): { readonly path: string; readonly name: string } {
  const at = proof.indexOf(': ')
  return { path: proof.slice(0, at), name: proof.slice(at + 2) }
}

function everyProof(proofs: Proofs): readonly Proof[] {
  const named = [
    ...rowsOf(proofs).map(({ proof }) => proof),
    ...proofs.promises.map(({ planted }) => planted),
  ].flat()
  return [...new Set(named)]
}

function rowsOf({ expectations, threats, promises }: Proofs): { row: string; proof: readonly Proof[] }[] {
  return [
    ...expectations.map(({ expectation, proof }) => ({ row: expectation, proof })),
    ...threats.map((threat) => ({ row: threat.class, proof: threat.proof })),
    ...promises.map(({ promise, proof }) => ({ row: promise, proof })),
  ]
}

function isTest(proof: Proof): boolean {
  const { path, name } = partsOf(proof)
  return path.endsWith('.test.ts') && existsSync(path) && readFileSync(path, 'utf8').includes(quotable(name))
}

function isCommand(command: string): boolean {
  const [program, first = '', second = ''] = command.split(' ')
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  if (program === 'npm') return first === 'run' && second in scripts
  return program === 'satchel' && HOST_VERBS.some(({ verb }) => verb === first)
}

/** A name in single quotes has its apostrophes escaped in the source; the longest piece between them is enough. */
function quotable(name: string): string {
  return name.split("'").reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '')
}

function patternOf(proof: Proof): RegExp {
  const literal = partsOf(proof).name.split(/\$\{[^}]*\}/)
  return new RegExp(`^${literal.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`, 's')
}

/** node:test escapes a quotation mark twice. */
function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
}
