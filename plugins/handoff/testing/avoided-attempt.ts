import type { PastAttempt } from '../domain/plan-check.ts'

/** The `n`th failed attempt of a lineage, which is not to be repeated. */
export const avoidedAttempt = (approach: string, n: number): PastAttempt => ({
  record: '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f',
  id: `F-${String(n).padStart(3, '0')}`,
  approach,
  reason: null,
  avoid_repeating: true,
  evidence: [],
})
