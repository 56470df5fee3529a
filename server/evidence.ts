import { AsyncLocalStorage } from 'node:async_hooks'
import {
  EVIDENCE_VERDICTS,
  type EvidenceFinding,
  type EvidenceKind,
  type EvidenceKinds,
} from './contract/advanced/evidence.ts'
import type { Log } from './contract/context.ts'
import { isSatchelError } from './contract/errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { visibleLine } from './platform/visible-text.ts'
import { endedWithin } from './platform/within.ts'
import { refusals } from './refusals.ts'
import type { Owned } from './registry.ts'

const VERIFY_LIMIT_MS = 3_000
/** The author of a claim waits for it. */
const CAPTURE_LIMIT_MS = 10_000
/** Largest facts of one piece of evidence, as JSON. */
const MAX_FACTS_BYTES = 16_384
const MAX_LINE_CHARS = 400
/** Kinds that verify one another: a claim about a record whose claims are about records, and so on. */
const MAX_DEPTH = 4

interface Parts {
  readonly log: Log
  /** Aborts when the host stops. */
  readonly signal: AbortSignal
  /** The kinds of the plugins that are set up; with `more` also of those that are set up only when needed. */
  kinds(more: boolean): Promise<readonly Owned<'kind', EvidenceKind>[]>
}

/** Checks that one call may lead to: each may ask for several others. */
const MAX_NESTED = 50

/** The checks around the present one. */
interface Around {
  /** What they verify, outermost first. */
  readonly keys: readonly string[]
  /** Checks that the outermost one may still lead to. */
  readonly budget: { left: number }
  /** Aborts when one of them is over: what they asked for is of no use then. */
  readonly signal: AbortSignal
}
const verifying = new AsyncLocalStorage<Around>()

/** The kinds of evidence of all plugins, each call with a time limit, and with a finding where a plugin fails. */
export function createEvidenceKinds({ log, signal, kinds }: Parts): EvidenceKinds {
  const find = async (name: string) => {
    const isNamed = ({ kind }: Owned<'kind', EvidenceKind>) => kind.name === name
    return (await kinds(false)).find(isNamed) ?? (await kinds(true)).find(isNamed)
  }
  return {
    names: async () => (await kinds(true)).map(({ kind }) => kind.name).sort(),
    async capture(name, named, root) {
      const found = await find(name)
      if (!found) throw refusals.evidence_unknown({ kind: name.slice(0, 40) })
      const { kind } = found
      const late = () => refusals.evidence_timeout({ kind: name, seconds: CAPTURE_LIMIT_MS / 1000 })
      const captured = await endedWithin(CAPTURE_LIMIT_MS, late, {
        signal,
        work: (ending) => kind.capture(named, { root, signal: ending }),
      })
      const { facts } = captured
      if (!isJsonObject(facts) || Buffer.byteLength(JSON.stringify(facts)) > MAX_FACTS_BYTES)
        throw new TypeError(
          `evidence ${name} of ${found.plugin} is not an object of at most ${MAX_FACTS_BYTES} bytes`,
        )
      return { facts, ...findingOf(captured), text: line(kind.describe(facts)) }
    },
    async verify(name, facts, root) {
      const around = verifying.getStore() ?? { keys: [], budget: { left: MAX_NESTED }, signal }
      const { keys, budget } = around
      const key = `${name} ${JSON.stringify(facts)}`
      const refused = refusal(around, key)
      if (refused !== undefined) return unverifiable(refused)
      budget.left -= 1
      try {
        const found = await find(name)
        if (!found) return unverifiable(`no plugin here provides evidence of the kind "${name}"`)
        if (!isJsonObject(facts)) return unverifiable('it has no facts')
        const late = () => refusals.evidence_timeout({ kind: name, seconds: VERIFY_LIMIT_MS / 1000 })
        const work = (ending: AbortSignal) =>
          verifying.run({ keys: [...keys, key], budget, signal: ending }, () =>
            found.kind.verify(facts, { root, signal: ending }),
          )
        const answer = await endedWithin(VERIFY_LIMIT_MS, late, { signal, work })
        return findingOf(answer)
      } catch (thrown) {
        if (isSatchelError(thrown)) return unverifiable(thrown.message)
        log.warn('a kind of evidence failed', { kind: name, error: thrown })
        return unverifiable(`the check of "${name}" failed`)
      }
    },
  }
}

/** Why a check is not made inside those around it. */
function refusal({ keys, budget, signal }: Around, key: string): string | undefined {
  if (keys.includes(key)) return 'it rests on itself'
  if (keys.length >= MAX_DEPTH || budget.left <= 0) return 'it rests on too many others'
  return signal.aborted ? 'what rests on it is no longer checked' : undefined
}

function unverifiable(reason: string): EvidenceFinding {
  return { verdict: 'unverifiable', reason: line(reason) }
}

/** What a plugin answered, which may be of any shape. */
function findingOf(answer: unknown): EvidenceFinding {
  const { verdict, reason } = isJsonObject(answer) ? answer : {}
  const known = EVIDENCE_VERDICTS.find((one) => one === verdict)
  if (known === undefined || typeof reason !== 'string') return unverifiable('the check gave no verdict')
  return { verdict: known, reason: line(reason) }
}

function line(text: unknown): string {
  return visibleLine(String(text)).slice(0, MAX_LINE_CHARS)
}
