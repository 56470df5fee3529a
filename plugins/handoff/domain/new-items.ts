import type { GivenItem } from './item-ids.ts'
import { isSensitivePath } from './path-pattern.ts'

/** A decision with every member of the schema. What only its author can say has no default: it is missing where it is not given. */
export function decisionOf(item: GivenItem, now: string): GivenItem {
  return {
    id: '',
    decision: undefined,
    rationale: null,
    alternatives_considered: [],
    evidence_ids: [],
    made_at: now,
    ...item,
  }
}

/** An evidence item with every member of the schema. */
export function evidenceOf(item: GivenItem, now: string): GivenItem {
  return {
    id: '',
    type: 'observation',
    claim: undefined,
    ref: null,
    captured_at: now,
    result: null,
    digest: null,
    ...item,
  }
}

/** A failed attempt with every member of the schema. */
export function failedAttemptOf(item: GivenItem): GivenItem {
  return {
    id: '',
    approach: undefined,
    outcome: 'failed',
    reason: null,
    evidence_ids: [],
    avoid_repeating: true,
    ...item,
  }
}

/** An open item with every member of the schema. */
export function openItemOf(item: GivenItem): GivenItem {
  return {
    id: '',
    priority: 'medium',
    description: undefined,
    suggested_action: null,
    blocked_by: [],
    acceptance_check: null,
    ...item,
  }
}

/** An artifact with every member of the schema. */
export function artifactOf(item: GivenItem): Record<string, unknown> {
  const path = item['path']
  return {
    path,
    role: 'modified',
    description: null,
    revision: null,
    content_hash: null,
    sensitive: isSensitivePath(String(path ?? '')),
    ...item,
  }
}

/** A risk with every member of the schema. */
export function riskOf(item: GivenItem): Record<string, unknown> {
  return { description: undefined, severity: 'medium', mitigation: null, ...item }
}
