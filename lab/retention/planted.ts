import type { Fact, FactKind } from './facts.ts'

const PAD = 'explained at the length of a real sentence, with its reasons'

function sentence(words: string, mark: string): string {
  return `${words}, ${PAD}: ${mark}`
}

/** A record as `handoff_create` takes it, and the facts in it. */
export interface Planted {
  readonly input: Readonly<Record<string, unknown>>
  readonly facts: readonly Fact[]
}

export interface PlantSize {
  readonly attempts: number
  readonly constraints: number
}

const SMALL: PlantSize = { attempts: 2, constraints: 3 }

/** Plants one fact in every field that a later session needs; `name` tells the marks of two records apart. */
export function plant(name: string, size: PlantSize = SMALL): Planted {
  const facts: Fact[] = []
  const say = (kind: FactKind, words: string, place?: Fact['place'], nth = 1): string => {
    const mark = `fact-${name}-${kind.replaceAll('_', '')}-${nth}`
    facts.push({ kind, mark, ...(place && { place }) })
    return sentence(words, mark)
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  const id = (letter: string, at: number) => `${letter}-${String(at + 1).padStart(3, '0')}`
  const input = {
    title: `Bind the callback to its session (${name})`,
    objective: say('objective', 'Reject replayed state parameters'),
    current_state: say('current_state', 'The comparison helper works'),
    scope: ['src/**'],
    constraints: numbers(size.constraints).map((at) =>
      say('constraint', 'Keep the public address', { list: '/work/constraints', item: `${at}` }, at + 1),
    ),
    definition_of_done: numbers(2).map((at) =>
      say(
        'definition_of_done',
        'The suite passes',
        { list: '/work/definition_of_done', item: `${at}` },
        at + 1,
      ),
    ),
    completed: [say('completed', 'Wrote the comparison helper')],
    decisions: [
      {
        decision: say('decision', 'Compare in constant time'),
        rationale: say('rationale', 'Timing tells an attacker the prefix'),
        evidence_ids: ['E-001'],
      },
    ],
    evidence: [
      { id: 'E-001', type: 'test', claim: sentence('The helper is tested', claimMark(name)), result: 'pass' },
      { id: 'E-002', type: 'file', claim: 'the fixture is complete', ref: 'fixture.txt' },
    ],
    failed_attempts: [
      ...numbers(size.attempts).map((at) => ({
        approach: say(
          'do_not_retry',
          'Kept the state in a cookie',
          { list: '/failed_attempts', item: id('F', at) },
          at + 1,
        ),
        reason: 'browsers drop it on the redirect',
        avoid_repeating: true,
      })),
      {
        approach: say('other_attempt', 'A longer timeout', {
          list: '/failed_attempts',
          item: id('F', size.attempts),
        }),
        reason: 'it may help on another provider',
        avoid_repeating: false,
      },
    ],
    open_items: [
      {
        priority: 'medium',
        description: say('open_item', 'Describe the helper'),
        suggested_action: 'Write it',
      },
      {
        priority: 'high',
        description: 'Add a fixture with a duplicate callback',
        suggested_action: say('next_action', 'Create the fixture and run the suite'),
        acceptance_check: say('acceptance_check', 'The suite prints no failure'),
      },
    ],
    artifacts: [{ path: 'src/callback.ts', role: 'modified' }],
  }
  return { input, facts: [...facts, { kind: 'artifact', mark: 'src/callback.ts' }] }
}

function claimMark(name: string): string {
  return `fact-${name}-claim-1`
}

/** The claim of the record that no longer holds once a file in its scope has changed. */
export function brokenClaim(name: string): Fact {
  return {
    kind: 'claim',
    mark: claimMark(name),
    besides: /Does not hold \(E-001, stale\)/,
    place: { list: '/evidence', item: 'E-001' },
  }
}

/** A file that changed since. */
export function changedFile(path: string): Fact {
  return { kind: 'drift', mark: path.replaceAll('.', '\\.') }
}

/** The subject of a commit since. */
export function madeCommit(subject: string): Fact {
  return { kind: 'commit', mark: subject }
}
