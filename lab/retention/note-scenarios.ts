import type { Fact, FactKind } from './facts.ts'
import { plant } from './planted.ts'
import { BESIDE, begin, compacted, draft, PLANTED, release, type Scenarios } from './played.ts'
import type { Session } from './session.ts'
import type { Stage } from './stage.ts'

/** What a session notes on the way. The item is the one it becomes beside those of `PLANTED`. */
const NOTED: readonly Fact[] = [
  {
    kind: 'do_not_retry',
    mark: 'fact-noted-failed',
    place: { list: '/failed_attempts', item: 'F-004' },
  },
  { kind: 'decision', mark: 'fact-noted-decision' },
  { kind: 'completed', mark: 'fact-noted-done' },
]

/** A session takes notes on the record of another and ends; the next morning comes. */
async function leaveNotes(stage: Stage): Promise<void> {
  await release(await begin(stage, 'A'), PLANTED)
  const noting = await begin(stage, 'B')
  await noting.data('handoff_resume')
  await takeNotes(noting)
  await noting.hook('session-end')
  stage.advance(16 * 60)
}

async function takeNotes(session: Session): Promise<void> {
  for (const kind of ['failed', 'decision', 'done'])
    await session.data('handoff_note', { kind, text: `fact-noted-${kind}` })
}

/** Released at the end of a session, in the few words that a skill asks for; gives what the next one must know. */
async function releaseLean(session: Session): Promise<readonly Fact[]> {
  const own = plant('lean')
  const { title, objective, current_state, open_items } = own.input
  const { id } = await session.data('handoff_create', { title, objective, current_state, open_items })
  // Refused, it stays a draft: the meter tells what that costs.
  await session.call('handoff_transition', { id, to: 'ready', accept_warnings: 'measured' })
  const said = new Set<FactKind>([
    'objective',
    'current_state',
    'open_item',
    'next_action',
    'acceptance_check',
  ])
  return [
    ...own.facts.filter(({ kind }) => said.has(kind)),
    ...PLANTED.facts.filter(({ kind }) => !said.has(kind) && kind !== 'completed'),
  ]
}

async function newestReady(session: Session): Promise<string> {
  const { items } = await session.data('handoff_list', { status: ['ready'] })
  return String((items as readonly { readonly id: string }[])[0]?.id)
}

/** Notes and records on the way from one session to the next. */
export const NOTE_SCENARIOS: Scenarios = {
  async 'notes, then a record of the same session'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    const session = await begin(stage, 'B')
    await session.data('handoff_resume')
    await takeNotes(session)
    stage.advance(10)
    return compacted(session, [...(await releaseLean(session)), ...NOTED])
  },
  async 'an injected brief, then a note'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    const session = await stage.session('B')
    await session.hook('session-start', { source: 'resume' })
    await takeNotes(session)
    return compacted(session, [...PLANTED.facts, ...NOTED])
  },
  async 'an injected brief, then a record'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    const session = await stage.session('B')
    await session.hook('session-start', { source: 'compact' })
    return compacted(session, await releaseLean(session))
  },
  async 'notes of an ended session, the next morning'(stage) {
    await leaveNotes(stage)
    return { session: await begin(stage, 'C'), source: 'startup', facts: [...PLANTED.facts, ...NOTED] }
  },
  async 'notes of an ended session, then notes of this one'(stage) {
    await leaveNotes(stage)
    const session = await begin(stage, 'C')
    await session.data('handoff_resume')
    await session.data('handoff_note', { kind: 'failed', text: 'fact-note-later' })
    const later = { kind: 'do_not_retry', mark: 'fact-note-later' } as const
    return compacted(session, [...PLANTED.facts, ...NOTED, later])
  },
  async 'a note, then a resume'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    const session = await begin(stage, 'B')
    await takeNotes(session)
    stage.advance(10)
    await session.data('handoff_resume', { id: await newestReady(session) })
    await session.data('handoff_note', { kind: 'failed', text: 'fact-note-later' })
    const later = { kind: 'do_not_retry', mark: 'fact-note-later' } as const
    return compacted(session, [...PLANTED.facts, ...NOTED, later])
  },
  async 'a release after a draft of this session'(stage) {
    const session = await begin(stage, 'A')
    await draft(session, BESIDE)
    stage.advance(10)
    await release(session, { ...PLANTED, input: { ...PLANTED.input, parent: 'none' } })
    return compacted(session, PLANTED.facts)
  },
  async 'a branch that was merged and deleted'(stage) {
    await release(await begin(stage, 'A'), BESIDE)
    await stage.git('switch', '-q', '-c', 'feature')
    await stage.commit('of the feature', { 'docs/feature.md': 'done\n' })
    stage.advance(5)
    await release(await begin(stage, 'B'), PLANTED)
    await stage.git('switch', '-q', 'main')
    await stage.git('merge', '-q', '--no-ff', '-m', 'merged', 'feature')
    await stage.git('branch', '-q', '-d', 'feature')
    stage.advance(5)
    return compacted(await begin(stage, 'C'), PLANTED.facts)
  },
}
