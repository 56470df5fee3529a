import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VALID } from '../testing/handoff-cases.ts'
import { type Merge, mergeRecords } from './merge.ts'
import { failedAttempts, type Handoff, ITEM_COLLECTIONS } from './record.ts'

const SEED = Number(process.env['SEED'] ?? 20261121)

/** Short words from a small set, so that collisions happen. */
const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta')
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const edits = fc.record({
  title: fc.option(phrase, { nil: undefined }),
  drop: fc.array(fc.nat(3), { maxLength: 2 }),
  change: fc.array(fc.tuple(fc.nat(3), phrase), { maxLength: 2 }),
  decisions: fc.array(phrase, { maxLength: 3 }),
  evidence: fc.array(phrase, { maxLength: 3 }),
  open: fc.array(fc.tuple(phrase, fc.boolean()), { maxLength: 3 }),
  completed: fc.array(phrase, { maxLength: 3 }),
})

const START: Handoff = {
  ...VALID,
  decisions: [0, 1].map((n) => ({ ...first(VALID.decisions), id: `D-00${n + 1}`, decision: `base ${n}` })),
  open_items: [0, 1, 2].map((n) => ({
    ...first(VALID.open_items),
    id: `O-00${n + 1}`,
    description: `base ${n}`,
  })),
}

function first<T>(list: readonly T[]): T {
  const [one] = list
  if (one === undefined) throw new Error('empty')
  return one
}

/** A child as a session leaves it: some items removed, some edited, new ones with the next ids. */
function childOf(
  base: Handoff,
  n: number,
  edit: typeof edits extends fc.Arbitrary<infer T> ? T : never,
): Handoff {
  const number = (start: number, index: number) => String(start + index).padStart(3, '0')
  const evidence = edit.evidence.map((claim, i) => ({
    ...first(base.evidence),
    id: `E-${number(2, i)}`,
    claim,
  }))
  const cited = evidence.map(({ id }) => id)
  const open = base.open_items
    .filter((_, i) => !edit.drop.includes(i))
    .map((item) => {
      const changed = edit.change.find(([index]) => item.id === `O-00${index + 1}`)
      return changed ? { ...item, description: changed[1] } : item
    })
  const fresh = edit.open.map(([description, isBlocked], i) => ({
    ...first(base.open_items),
    id: `O-${number(4, i)}`,
    description,
    blocked_by: isBlocked && i > 0 ? [`O-${number(4, i - 1)}`] : [],
  }))
  return {
    ...base,
    id: `0198c0de-7a3b-7c11-9a2e-00000000000${n}`,
    work: { ...base.work, title: edit.title ?? base.work.title },
    summary: { ...base.summary, completed: edit.completed },
    decisions: [
      ...base.decisions,
      ...edit.decisions.map((decision, i) => ({
        ...first(base.decisions),
        id: `D-${number(3, i)}`,
        decision,
        evidence_ids: cited,
      })),
    ],
    evidence: [...base.evidence, ...evidence],
    open_items: [...open, ...fresh],
  }
}

test(`merging loses nothing, depends on no order and leaves no dangling reference (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.array(edits, { minLength: 2, maxLength: 5 }), (all) => {
      const parents = all.map((edit, n) => childOf(START, n, edit))
      const merge = mergeRecords(START, parents)

      assertIdsAndReferences(merge.content)
      for (const parent of parents) assertNothingLost(parent, merge)
      assert.deepEqual(mergeRecords(START, [...parents].reverse()), merge)
    }),
    { seed: SEED, numRuns: 400 },
  )
})

function assertIdsAndReferences(content: Merge['content']): void {
  for (const name of ITEM_COLLECTIONS) {
    const items: readonly { id: string }[] = content[name]
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length, `${name}: ids`)
  }
  const known = new Set([...content.evidence, ...content.open_items].map(({ id }) => id))
  const cited = [...content.decisions, ...content.failed_attempts].flatMap(({ evidence_ids }) => evidence_ids)
  const waited = content.open_items
    .flatMap(({ blocked_by }) => blocked_by)
    .filter((id) => /^[A-Z]-\d{3}$/.test(id))
  for (const id of [...cited, ...waited]) assert.ok(known.has(id), `dangling ${id}`)
}

function assertNothingLost(parent: Handoff, { content, conflicts }: Merge): void {
  const claimsOf = (record: Pick<Handoff, 'evidence'>, ids: readonly string[]) =>
    JSON.stringify(ids.map((id) => record.evidence.find((item) => item.id === id)?.claim))
  for (const { decision, evidence_ids } of parent.decisions) {
    const kept = content.decisions.filter((item) => item.decision === decision)
    const wanted = claimsOf(parent, evidence_ids)
    assert.ok(
      kept.some((item) => claimsOf(content, item.evidence_ids) === wanted),
      `other evidence: ${decision}`,
    )
  }
  const claims = new Set(content.evidence.map(({ claim }) => claim))
  for (const { claim } of parent.evidence) assert.ok(claims.has(claim), claim)
  for (const text of parent.summary.completed) assert.ok(content.summary.completed.includes(text), text)
  const all = JSON.stringify([content.open_items, conflicts])
  const untouched = new Set(START.open_items.map(({ id, description }) => `${id} ${description}`))
  for (const { id, description } of parent.open_items) {
    if (!untouched.has(`${id} ${description}`))
      assert.ok(all.includes(JSON.stringify(description)), description)
  }
}

test(`merging a record with a copy of itself gives the record (seed ${SEED})`, () => {
  fc.assert(
    fc.property(edits, (edit) => {
      const one = childOf(START, 1, edit)
      const copy = { ...one, id: '0198c0de-7a3b-7c11-9a2e-000000000002' }

      const { content, conflicts } = mergeRecords(START, [one, copy])

      assert.deepEqual(conflicts, [])
      for (const name of ITEM_COLLECTIONS) {
        const texts = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).sort()
        assert.deepEqual(
          texts(content[name]),
          texts(name === 'failed_attempts' ? failedAttempts(one) : one[name]),
        )
      }
    }),
    { seed: SEED, numRuns: 300 },
  )
})
