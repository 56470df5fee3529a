import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHandwritten } from './handwritten.ts'

const described = (...lines: string[]) => readHandwritten(lines.join('\n')).authored
const descriptions = (items: readonly Record<string, unknown>[] | undefined) =>
  items?.map((item) => item['description'])

test('context, gotchas and what worked are kept, each in a field of the record', () => {
  const authored = described(
    '# Move the queue',
    'We leave the old broker in March.',
    '## Context',
    'Two services still publish to it.',
    '## Status',
    'The consumer is moved.',
    '## What worked',
    '- Dual writes for one week',
    "## What Didn't Work",
    '- Replaying the log',
    '## What didn\u2019t work in staging',
    '- A single consumer group',
    '## Gotchas',
    '- The client drops headers',
    '## Definition of done',
    '- No message on the old broker for a day',
  )

  assert.equal(authored.current_state, 'The consumer is moved.')
  assert.equal(
    authored.why_it_matters,
    'We leave the old broker in March.\nTwo services still publish to it.',
  )
  assert.deepEqual(authored.discoveries, ['Dual writes for one week', 'The client drops headers'])
  assert.deepEqual(
    authored.failed_attempts?.map(({ approach }) => approach),
    ['Replaying the log', 'A single consumer group'],
  )
  assert.deepEqual(authored.definition_of_done, ['No message on the old broker for a day'])
})

test('what a heading forbids is not turned into what must be done', () => {
  const { objective, constraints, failed_attempts } = described(
    '# Move the queue',
    '## Goals',
    'Both consumers read the new broker.',
    '## Non-goals',
    '- Rewriting the client',
    '## Constraints',
    '- Node 20',
    '## \u{1F6AB} Do not',
    '- touch src/legacy',
    '- Never push to main',
    '### In production',
    '- restart the broker',
    '## Out of scope',
    'The dashboard.',
    '**Don\u2019t:** format the schema',
    '## Do not retry',
    '- Two consumer groups',
  )

  assert.equal(objective, 'Both consumers read the new broker.')
  assert.deepEqual(constraints, [
    'Non-goals: Rewriting the client',
    'Node 20',
    'Do not: touch src/legacy',
    'Never push to main',
    'Do not: In production: restart the broker',
    'Out of scope: The dashboard.',
    "Don't: format the schema",
  ])
  assert.deepEqual(
    failed_attempts?.map(({ approach }) => approach),
    ['Two consumer groups'],
  )
})

test('without a status the context is the state', () => {
  assert.equal(described('# T', '## Background', 'Two services.').current_state, 'Two services.')
})

test('a question, a blocker and a ticked step are not actions', () => {
  const { open_items, completed } = described(
    '# T',
    '## Next steps',
    '- [x] Write the fixture',
    '- Should the cache expire?',
    '- [ ] Run the suite',
    '## Open questions',
    '- Who owns the topic',
    '## Blockers',
    '- Credentials for staging',
  )

  assert.deepEqual(completed, ['Write the fixture'])
  assert.deepEqual(
    open_items?.map((item) => [item['description'], item['suggested_action'], item['priority']]),
    [
      ['Run the suite', 'Run the suite', 'high'],
      ['Should the cache expire?', undefined, 'medium'],
      ['Who owns the topic', undefined, 'medium'],
      ['Credentials for staging', undefined, 'medium'],
    ],
  )
})

test('an item with an open box is open work in any section, and a ticked one is done', () => {
  const { open_items, completed, in_progress } = described(
    '# T',
    '## Progress',
    '- [x] Parse the header',
    '- [ ] Parse the body',
    '- [] Parse the trailer',
    '## Current Progress',
    '- Wrote the reader',
    '- [~] Write the writer',
    '## Done',
    '* [X] Set up the fixture',
    '1. [ ] Remove the old fixture',
    '## Not done',
    '- Update the docs',
    '## In progress',
    '- [ ] Review of the reader',
    '- [x] Review of the parser',
    '## Next steps',
    '- [x] Tag the release',
    '  with notes',
    '- [ ] Publish it',
  )

  assert.deepEqual(completed, [
    'Parse the header',
    'Wrote the reader',
    'Set up the fixture',
    'Review of the parser',
    'Tag the release\nwith notes',
  ])
  assert.deepEqual(in_progress, ['Review of the reader'])
  assert.deepEqual(
    open_items?.map((item) => [item['description'], item['priority']]),
    [
      ['Update the docs', 'high'],
      ['Publish it', 'medium'],
      ['Parse the body', 'medium'],
      ['Parse the trailer', 'medium'],
      ['Write the writer', 'medium'],
      ['Remove the old fixture', 'medium'],
    ],
  )
})

test('an open box below a finished item is open work', () => {
  const { open_items, completed } = described(
    '# T',
    '## Done',
    '- [x] Move the tables',
    '  - [x] users',
    '  - [ ] orders',
    '    in two batches',
    '- Wrote the script',
    '  - [ ] run it',
    '## Status',
    '- [ ] Measure it',
  )

  assert.deepEqual(completed, ['Move the tables\n- [x] users', 'Wrote the script'])
  assert.deepEqual(descriptions(open_items), ['orders\nin two batches', 'run it', 'Measure it'])
})

test('a tick does not turn a decision, a failed attempt or a constraint into finished work', () => {
  const authored = described(
    '# T',
    '## Decisions',
    '- [x] Keep the log',
    '- [ ] Choose a queue',
    '## Dead ends',
    '- [x] Polling',
    '- [ ] Redis',
    '## Constraints',
    '- [x] No new service',
  )

  assert.deepEqual(authored.completed, [])
  assert.deepEqual(
    authored.decisions?.map(({ decision }) => decision),
    ['Keep the log'],
  )
  assert.deepEqual(
    authored.failed_attempts?.map(({ approach }) => approach),
    ['Polling', 'Redis'],
  )
  assert.deepEqual(authored.constraints, ['No new service'])
  assert.deepEqual(descriptions(authored.open_items), ['Choose a queue'])
})

test('deeper items, deeper headings and code stay with their entry', () => {
  const { open_items, failed_attempts } = described(
    '# T',
    '## Next',
    '1. Write the fixture',
    '   - with two callbacks',
    '   ```sh',
    '   # Goal',
    '   npm test',
    '   ```',
    '2. Run the suite',
    '## Dead ends',
    '### Redis',
    'Too slow below 2 GB.',
    '### Polling',
  )

  assert.deepEqual(descriptions(open_items), [
    'Write the fixture\n- with two callbacks\n   ```sh\n   # Goal\n   npm test\n   ```',
    'Run the suite',
  ])
  assert.deepEqual(
    failed_attempts?.map(({ approach }) => approach),
    ['Redis\nToo slow below 2 GB.', 'Polling'],
  )
})

test('a heading in bold on the line of its text is a heading', () => {
  const authored = described(
    '**Goal:** Reject replayed states.',
    '**Status**: one fixture left',
    '**Next:**',
    '- Write it',
    '**Note** that this is not a heading',
  )

  assert.equal(authored.objective, 'Reject replayed states.')
  assert.equal(authored.current_state, 'one fixture left')
  assert.deepEqual(descriptions(authored.open_items), ['Write it\n**Note** that this is not a heading'])
})

test('a line of blanks is read in time that grows with its length, also before an unusual line break', () => {
  const blanks = ' '.repeat(20_000)
  const lines = [
    `#${blanks}x\u2028y`,
    `-${blanks}x\u2028y`,
    `**Goal:**${blanks}x\u2028y`,
    `### x${blanks}#\u2028`,
  ]

  const { title } = readHandwritten(['# Work ##', ...lines].join('\n')).authored

  assert.equal(title, 'Work')
})

test('a heading above a list is not the next action: it is prefixed to each of its items', () => {
  const { authored, unmapped } = readHandwritten(
    [
      ...['# T', '## Next steps', '### Now', '- Run the suite', '- [x] Write it', '### Later:', '- Publish'],
      ...['### Ask the owner', 'He is back on Monday.'],
      ...['## What failed', '### A cookie', '- Lost on the redirect', '- Tried twice'],
      ...['## Files', '### Server', '- src/a.ts - the parser'],
    ].join('\n'),
  )

  assert.deepEqual(descriptions(authored.open_items), [
    'Now: Run the suite',
    'Later: Publish',
    'Ask the owner\nHe is back on Monday.',
  ])
  assert.deepEqual(authored.completed, ['Now: Write it'])
  assert.deepEqual(
    authored.failed_attempts?.map(({ approach }) => approach),
    ['A cookie\n- Lost on the redirect\n- Tried twice'],
  )
  assert.deepEqual(authored.artifacts, [{ path: 'src/a.ts', description: 'the parser' }])
  assert.equal(unmapped, '### Server')
})

test('an underlined heading is a heading, and settings before the text are none', () => {
  const { authored, unmapped } = readHandwritten(
    [
      '---',
      'status: open',
      '---',
      'Fix it',
      '======',
      '',
      'Goal',
      '----',
      'Log in',
      '',
      "What's left",
      '---',
      '- Run',
    ].join('\n'),
  )

  assert.deepEqual([authored.title, authored.objective], ['Fix it', 'Log in'])
  assert.deepEqual(descriptions(authored.open_items), ['Run'])
  assert.equal(unmapped, '---\nstatus: open\n---')
})

test('a row of a table is an item', () => {
  const { authored, unmapped } = readHandwritten(
    ['# T', '## Files', '| file | why |', '|---|:--|', '| `src/a.ts` | the parser |', '| src/b.ts | |'].join(
      '\n',
    ),
  )

  assert.deepEqual(authored.artifacts, [
    { path: 'src/a.ts', description: 'the parser' },
    { path: 'src/b.ts', description: null },
  ])
  assert.equal(unmapped, '| file | why |\n|---|:--|')
})

test('an item with a box is work below a heading that is not known, with that heading before it', () => {
  const { authored, unmapped } = readHandwritten(
    [
      ...[
        '# T',
        '## Monetisation',
        'Two phases.',
        '- Ads',
        '- [ ] **Landing page** - one page',
        '  with prices',
      ],
      ...['- [x] Price', '', 'Later text.', '### Phase 2:', '* [ ] Teams'],
    ].join('\n'),
  )

  assert.deepEqual(descriptions(authored.open_items), [
    'Monetisation: **Landing page** - one page\nwith prices',
    'Phase 2: Teams',
  ])
  assert.deepEqual(authored.completed, ['Monetisation: Price'])
  assert.equal(unmapped, '## Monetisation\nTwo phases.\n- Ads\n\nLater text.\n### Phase 2:')
})

test('a column that tells the status is the box of a row', () => {
  const { authored, unmapped } = readHandwritten(
    [
      ...['# T', '## Phase 1', '| Step | Status | Who |', '|---|---|---|', '| Rename | DONE | a |'],
      ...['| Migrate | Deferred | |', '| Tag | not done | |', '| Push | \u2705 | |', '| Name | | |'],
    ].join('\n'),
  )

  assert.deepEqual(authored.completed, ['Phase 1: Rename - DONE - a', 'Phase 1: Push - \u2705'])
  assert.deepEqual(descriptions(authored.open_items), [
    'Phase 1: Migrate - Deferred',
    'Phase 1: Tag - not done',
  ])
  assert.equal(unmapped, '## Phase 1\n| Step | Status | Who |\n|---|---|---|\n| Name | | |')
})

test('a line that says what a list is, is a heading if it is known and else comes before each item', () => {
  const { constraints, open_items, completed, failed_attempts } = described(
    '# T',
    '## Next',
    '**Tier 1 (blocks the release):**',
    '',
    '- Run the benchmark',
    '- Tag it',
    '',
    'Things deliberately NOT in scope right now:',
    '- Rewriting the client',
    '',
    'In this order:',
    '1. Tell the team',
    'These tests failed with an error:',
    '- the parser',
    '## Work',
    'Done:',
    '- The reader',
    "What didn't work:",
    '- A second thread',
    'Fixed choices:',
    '- Rust',
  )

  assert.deepEqual(descriptions(open_items), [
    'Tier 1 (blocks the release): Run the benchmark',
    'Tier 1 (blocks the release): Tag it',
    'In this order: Tell the team',
    'These tests failed with an error: the parser',
  ])
  assert.deepEqual(constraints, ['Things deliberately NOT in scope right now: Rewriting the client'])
  assert.deepEqual(completed, ['The reader'])
  assert.deepEqual(
    failed_attempts?.map(({ approach }) => approach),
    ['A second thread'],
  )
})

test('a section goes on after a known heading inside it, and ends at a line across the page', () => {
  const { authored, unmapped } = readHandwritten(
    [
      ...['# T', '## Next steps', '### Phase 1', '- Parse it', '**Files to change:**', '- src/a.ts'],
      ...[
        '### Phase 2',
        '- Write it',
        '',
        '---',
        'Generated by a script. Good luck.',
        '***',
        '## Risks',
        '- Load',
      ],
    ].join('\n'),
  )

  assert.deepEqual(descriptions(authored.open_items), ['Phase 1: Parse it', 'Phase 2: Write it'])
  assert.deepEqual(authored.artifacts, [{ path: 'src/a.ts', description: null }])
  assert.equal(unmapped, '---\nGenerated by a script. Good luck.\n***')
})

test('only what names a file in the project is a file', () => {
  const { authored, unmapped } = readHandwritten(
    [
      ...['# T', '## Key files', '- Phase 6 plan: .beads/plan.md', '- Daemon: packages/daemon/ (open)'],
      ...['- `src/x.ts:12-40` the parser', '- Notes: ~/.relay/outbox/lead', '- See https://example.org/a.md'],
      ...['- Makefile', '```', 'src/', '  a.ts', '```', '## Recent changes', '- Added the tokenizer'],
      ...['- `src/b.ts` - split', '## Uncommitted changes', '- src/c.ts'],
    ].join('\n'),
  )

  assert.deepEqual(authored.artifacts, [
    { path: '.beads/plan.md', description: 'Phase 6 plan: .beads/plan.md' },
    { path: 'packages/daemon/', description: 'Daemon: packages/daemon/ (open)' },
    { path: 'src/x.ts', description: '`src/x.ts:12-40` the parser' },
    { path: 'Makefile', description: null },
    { path: 'src/c.ts', description: null },
    { path: 'src/b.ts', description: 'split' },
  ])
  assert.deepEqual(authored.completed, ['Added the tokenizer'])
  assert.equal(unmapped, '```\nsrc/\n  a.ts\n```\nNotes: ~/.relay/outbox/lead\nSee https://example.org/a.md')
})

test('known issues are open, a backlog comes after the next steps, and headings tell priorities', () => {
  const { open_items, completed, discoveries } = described(
    '# T',
    '## Roadmap',
    '- Teams',
    '## Known issues',
    '- The cache is never emptied',
    '## What just shipped',
    '- The reader',
    '## Reminders',
    '- Build a before b',
    '## Next steps',
    '### Low priority',
    '- Rename it',
    '### P1',
    '- Fix the login',
    '- ~~Write the test~~ \u2705',
    '- \u2705 Run it',
  )

  assert.deepEqual(
    open_items?.map((item) => [
      item['description'],
      item['suggested_action'] !== undefined,
      item['priority'],
    ]),
    [
      ['Low priority: Rename it', true, 'low'],
      ['P1: Fix the login', true, 'high'],
      ['Teams', true, 'medium'],
      ['The cache is never emptied', false, 'medium'],
    ],
  )
  assert.deepEqual(completed, ['The reader', 'P1: Write the test', 'P1: Run it'])
  assert.deepEqual(discoveries, ['Build a before b'])
})
