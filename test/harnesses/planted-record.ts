const PAD =
  'which is explained here at some length, because a real record is written in whole sentences that take their space'

/** A text whose planted fact is at its end, where a cut would remove it. */
function sentence(words: string, fact: string): string {
  return `${words}, ${PAD}: fact-${fact}`
}

/** A handoff record with a fact in every field that a later session needs, as `handoff_create` takes it. */
export const PLANTED_RECORD = {
  title: 'Bind the callback to its session',
  objective: sentence('Reject replayed state parameters', 'objective'),
  current_state: sentence('The comparison helper works', 'state'),
  constraints: [
    sentence('Keep the public URL of the callback', 'constraint-one'),
    sentence('Use no new package', 'constraint-two'),
    sentence('Leave the session format alone', 'constraint-three'),
  ],
  definition_of_done: [
    sentence('The suite passes', 'done-one'),
    sentence('A replay answers 400', 'done-two'),
  ],
  completed: ['Wrote the comparison helper'],
  decisions: [
    {
      decision: sentence('Compare in constant time', 'decision'),
      rationale: sentence('Timing tells an attacker the prefix', 'rationale'),
    },
  ],
  failed_attempts: [
    {
      approach: sentence('Kept the state in a cookie', 'attempt'),
      reason: sentence('Browsers drop it on the redirect', 'attempt-reason'),
      avoid_repeating: true,
    },
  ],
  open_items: [
    {
      priority: 'high',
      description: sentence('Add a fixture with a duplicate callback', 'item'),
      suggested_action: sentence('Create the fixture and run the suite', 'action'),
      acceptance_check: sentence('npm test prints no failure', 'acceptance'),
    },
  ],
  artifacts: [{ path: 'callback.ts', role: 'modified' }],
} as const
