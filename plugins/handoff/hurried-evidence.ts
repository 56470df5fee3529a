import type { EvidenceFinding, EvidenceKinds } from '../../server/plugin.ts'

const LATE: EvidenceFinding = { verdict: 'unverifiable', reason: 'it was not checked in the time of a hook' }

/**
 * The kinds of evidence for a hook, which must not wait for other plugins: all checks together get `limitMs` from the first
 * one on. What is late is unverifiable.
 */
export function hurriedEvidence(evidence: EvidenceKinds, limitMs: number): EvidenceKinds {
  let over: Promise<void> | undefined
  const inTime = async <T>(work: () => Promise<T>, late: T): Promise<T> => {
    over ??= new Promise((resolve) => {
      setTimeout(resolve, limitMs)
    })
    return Promise.race([over.then(() => late), work()])
  }
  return {
    ...evidence,
    names: () => inTime(() => evidence.names(), []),
    verify: (kind, facts, root) => inTime(() => evidence.verify(kind, facts, root), LATE),
  }
}
