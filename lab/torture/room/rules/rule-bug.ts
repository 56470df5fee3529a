import type { EventDraft } from '../../../../plugins/workspace/domain/event.ts'
import type { Params, Tx } from '../../../../plugins/workspace/domain/rows.ts'
import type { Change } from '../../../../plugins/workspace/room/change.ts'

/** A mistake in the room's own rules: events that are missing or wrong, or rows that are not stored. */
export interface RuleBug {
  readonly name: string
  /** What is emitted instead. */
  emit?(draft: EventDraft): readonly EventDraft[]
  /** What is stored instead; undefined: nothing. */
  run?(statement: string, params: Params): Params | undefined
}

/** `change` with the mistake in it. */
export function withBug<C extends Change>(change: C, bug: RuleBug | undefined): C {
  if (!bug) return change
  const run: Tx['run'] = (statement, params = {}) => {
    const wanted = bug.run ? bug.run(statement, params) : params
    if (wanted) change.tx.run(statement, wanted)
  }
  const tx: Tx = Object.create(change.tx, { run: { value: run } })
  const emit = (draft: EventDraft): void => {
    for (const one of bug.emit?.(draft) ?? [draft]) change.emit(one)
  }
  return { ...change, tx, emit }
}
