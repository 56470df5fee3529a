import { dirname, join } from 'node:path'
import type { FactKind } from './facts.ts'
import { NOTE_SCENARIOS } from './note-scenarios.ts'
import { brokenClaim, changedFile, madeCommit, plant } from './planted.ts'
import { BESIDE, begin, compacted, draft, PLANTED, release, type Scenarios } from './played.ts'

/** What a session goes through before the moment at which it must know everything. */
export const SCENARIOS: Scenarios = {
  async 'own draft'(stage) {
    const session = await begin(stage, 'A')
    await draft(session, PLANTED)
    return compacted(session, PLANTED.facts)
  },
  async 'released by this session'(stage) {
    const session = await begin(stage, 'A')
    await release(session, PLANTED)
    return compacted(session, PLANTED.facts)
  },
  async 'released, then resumed'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    const session = await begin(stage, 'B')
    await session.data('handoff_resume')
    stage.advance(10)
    return compacted(session, PLANTED.facts)
  },
  async 'released by another session'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    stage.advance(30)
    return compacted(await begin(stage, 'B'), PLANTED.facts)
  },
  async 'released, then commits'(stage) {
    const session = await begin(stage, 'A')
    await release(session, PLANTED)
    stage.advance(30)
    await stage.commit('subject-of-the-change', { 'src/late.ts': 'export {}\n' })
    const since = [brokenClaim('one'), changedFile('src/late.ts'), madeCommit('subject-of-the-change')]
    return compacted(session, [...PLANTED.facts, ...since])
  },
  async 'no store when the session began'(stage) {
    const session = await stage.session('A', { hasVariable: false })
    await session.hook('session-start', { source: 'startup' })
    await draft(session, PLANTED)
    return compacted(session, PLANTED.facts)
  },
  async 'late session-start'(stage) {
    const other = await begin(stage, 'Z')
    await release(other, BESIDE)
    stage.advance(30)
    const session = await stage.session('A', { hasVariable: false })
    await draft(session, PLANTED)
    await session.hook('session-start', { source: 'startup' })
    return compacted(session, PLANTED.facts)
  },
  async 'two compactions in a row'(stage) {
    const session = await begin(stage, 'A')
    await release(session, PLANTED)
    await session.hook('pre-compact', { trigger: 'auto' })
    await session.hook('session-start', { source: 'compact' })
    stage.advance(20)
    return compacted(session, PLANTED.facts)
  },
  async 'a draft of another session beside'(stage) {
    const session = await begin(stage, 'A')
    await draft(session, PLANTED)
    stage.advance(5)
    await draft(await begin(stage, 'B'), BESIDE)
    stage.advance(5)
    return compacted(session, PLANTED.facts)
  },
  async 'a release of another session beside'(stage) {
    const session = await begin(stage, 'A')
    await draft(session, PLANTED)
    stage.advance(5)
    await release(await begin(stage, 'B'), BESIDE)
    stage.advance(5)
    return compacted(session, PLANTED.facts)
  },
  async '40 attempts and 20 constraints'(stage) {
    const large = plant('large', { attempts: 40, constraints: 20 })
    const session = await begin(stage, 'A')
    await draft(session, large)
    return compacted(session, large.facts)
  },
  async 'a fresh session the next morning'(stage) {
    const session = await begin(stage, 'A')
    await release(session, PLANTED)
    await compacted(session, [])
    await session.hook('session-end')
    stage.advance(16 * 60)
    return { session: await stage.session('B'), source: 'startup', facts: PLANTED.facts }
  },
  async 'a record of this branch and a newer one of another'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    await stage.git('switch', '-q', '-c', 'elsewhere')
    stage.advance(5)
    await release(await begin(stage, 'B'), BESIDE)
    await stage.git('switch', '-q', 'main')
    stage.advance(5)
    return compacted(await begin(stage, 'C'), PLANTED.facts)
  },
  async 'a linked work tree'(stage) {
    await release(await begin(stage, 'A'), PLANTED)
    await stage.git('worktree', 'add', '-q', '-b', 'linked', '../linked')
    stage.advance(5)
    const root = join(dirname(stage.root), 'linked')
    return compacted(await stage.session('B', { root }), PLANTED.facts)
  },
  async 'continued with a next action of its own'(stage) {
    const session = await begin(stage, 'A')
    const id = await release(session, PLANTED)
    const own = plant('child')
    const { title: _, objective: _2, current_state: _3, artifacts: _4, ...authored } = own.input
    await session.data('handoff_branch', { id, relation: 'continue', overrides: authored })
    const leads = new Set<FactKind>(['next_action', 'acceptance_check'])
    const facts = [
      ...PLANTED.facts.filter(({ kind }) => !leads.has(kind)),
      ...own.facts.filter(({ kind }) => leads.has(kind)),
    ]
    return compacted(session, facts)
  },
  async 'notes after a release'(stage) {
    const session = await begin(stage, 'A')
    await release(session, PLANTED)
    const notes = [
      { kind: 'next_action', note: 'next', mark: 'fact-note-next' },
      { kind: 'do_not_retry', note: 'failed', mark: 'fact-note-failed' },
      { kind: 'decision', note: 'decision', mark: 'fact-note-decision' },
    ] as const
    for (const { note, mark } of notes) await session.data('handoff_note', { kind: note, text: mark })
    // The noted action leads: the earlier one is an open item like others.
    const earlier = PLANTED.facts.filter(({ kind }) => kind !== 'next_action' && kind !== 'acceptance_check')
    return compacted(session, [...earlier, ...notes])
  },
  ...NOTE_SCENARIOS,
  async 'nothing described'(stage) {
    const session = await begin(stage, 'A')
    await draft(session, PLANTED)
    await session.data('handoff_transition', {
      id: String((await session.data('handoff_get', { id: 'latest' }))['id']),
      to: 'archived',
      reason: 'measured',
    })
    stage.advance(5)
    const fresh = await begin(stage, 'B')
    await stage.commit('subject-of-the-work', { 'src/made.ts': 'export {}\n' })
    await stage.write({ 'src/open.ts': 'export {}\n' })
    const facts = [madeCommit('subject-of-the-work'), changedFile('src/made.ts'), changedFile('src/open.ts')]
    return compacted(fresh, facts)
  },
}
