import { type Handoff, SCHEMA_ID, SCHEMA_VERSION } from '../domain/record.ts'

const WORDS =
  'callback replay state constant time cookie provider fixture compare token session helper suite index store record title fix check merge parent child lineage brief claim evidence decision'.split(
    ' ',
  )

/** The id of the n-th sample. */
export function sampleId(n: number): string {
  return `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`
}

/** A made-up record of about this many bytes; the same number gives the same record. */
export function sampleRecord(n: number, bytes: number): Handoff {
  const time = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString()
  const items = Math.max(1, Math.floor((bytes - 1200) / 720))
  return {
    $schema: SCHEMA_ID,
    schema_version: SCHEMA_VERSION,
    id: sampleId(n),
    kind: 'handoff',
    status: 'ready',
    flags: [],
    created_at: time,
    updated_at: time,
    project: { id: 'p-sample', root_hint: '.', repository: null },
    origin: { harness: 'generic', adapter_version: null, session_id: null, model: null, actor: null },
    work: {
      title: `Record ${n} ${text(n, 3)}`,
      objective: text(n + 1, 12),
      scope: [],
      constraints: [text(n + 2, 8)],
      definition_of_done: [text(n + 3, 6)],
    },
    summary: { completed: [text(n + 4, 8)], current_state: text(n + 5, 20), why_it_matters: null },
    ...sampleItems(n, items, time),
    artifacts: [],
    risks: [],
    validation: { status: 'not_run', validated_at: null, checks: [], freshness: null },
    lineage: { parents: [], relation: 'root', branch_label: null, merge_basis: [] },
    automation: { trigger: 'manual', score: null, reasons: [] },
    redactions: [],
  }
}

function sampleItems(
  n: number,
  count: number,
  time: string,
): Pick<Handoff, 'decisions' | 'evidence' | 'open_items'> {
  const numbers = Array.from({ length: count }, (_, index) => index)
  const id = (letter: string, index: number) => `${letter}-${String((index % 999) + 1).padStart(3, '0')}`
  return {
    decisions: numbers.map((index) => ({
      id: id('D', index),
      decision: text(n + index, 12),
      rationale: text(n + index + 7, 10),
      alternatives_considered: [],
      evidence_ids: [id('E', index)],
      made_at: time,
    })),
    evidence: numbers.map((index) => ({
      id: id('E', index),
      type: 'observation',
      claim: text(n + index + 13, 10),
      ref: null,
      captured_at: time,
      result: null,
      digest: null,
    })),
    open_items: numbers.map((index) => ({
      id: id('O', index),
      priority: 'medium',
      description: text(n + index + 19, 10),
      suggested_action: text(n + index + 23, 6),
      blocked_by: [],
      acceptance_check: null,
    })),
  }
}

/** Common words, and rare ones that only some records share. */
function text(seed: number, words: number): string {
  const word = (index: number) =>
    index % 2 === 1
      ? `term${(seed * 31 + index * 17) % 4000}`
      : WORDS[(seed * 7 + index * index * 3) % WORDS.length]
  return Array.from({ length: words }, (_, index) => word(index)).join(' ')
}
