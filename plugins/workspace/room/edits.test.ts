import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestRoom } from '../testing/test-room.ts'
import { afterProposal } from './next-step.ts'
import { propose } from './proposals.ts'

const TEXT = '# Plan\n\n## Goals\none\n\n## Steps\ntwo\ntwo\n'

async function room(t: Parameters<typeof openTestRoom>[0], staleness: 'section' | 'strict' = 'section') {
  const opened = await openTestRoom(t, { text: TEXT, staleness })
  const ada = await opened.join('ada')
  const propose = (input: object) =>
    opened.do(ada, 'propose', { base_version: 1, summary: 'a change', ...input })
  const land = async (input: object) => {
    const { proposal_id } = await propose(input)
    await opened.do(ada, 'review', { proposal_id, approve: true })
    return opened.do(ada, 'commit', { proposal_id })
  }
  return { opened, ada, propose, land }
}

test('an edit becomes a proposal of the smallest section that holds it, and lands as that edit', async (t) => {
  const { opened, propose, land } = await room(t)

  const proposal = await propose({ edits: [{ old: 'one', new: 'first' }] })
  await land({ edits: [{ old: '## Steps\n', new: '## Steps\nzero\n' }] })

  assert.equal(proposal.target, 'section:Plan/Goals')
  assert.equal(await opened.text(), TEXT.replace('## Steps\n', '## Steps\nzero\n'))
})

test('edits in two sections are a proposal of the section above both', async (t) => {
  const { propose } = await room(t)
  const edits = [
    { old: 'one', new: 'first' },
    { old: '## Steps', new: '## Way' },
  ]

  assert.equal((await propose({ edits })).target, 'section:Plan')
})

test('a unified diff lands as that edit', async (t) => {
  const { opened, land } = await room(t)

  await land({ patch: '--- a/plan.md\n+++ b/plan.md\n@@ -3,2 +3,2 @@\n ## Goals\n-one\n+first\n' })

  assert.equal(await opened.text(), TEXT.replace('one', 'first'))
})

test('edits and diffs that do not fit, and a change of nothing, are refused without an event', async (t) => {
  const { opened, propose } = await room(t)
  const before = await opened.latest()
  const refused: readonly (readonly [string, object])[] = [
    ['edit_failed', { edits: [{ old: 'three', new: 'x' }] }],
    ['edit_failed', { edits: [{ old: 'two', new: 'x' }] }],
    ['edit_failed', { target: 'section:Plan/Goals', edits: [{ old: '## Steps', new: 'x' }] }],
    ['edit_failed', { patch: '@@ -3,2 +3,2 @@\n ## Goals\n-three\n+first\n' }],
    ['edit_failed', { patch: 'no diff' }],
    ['no_change', { edits: [{ old: 'one', new: 'one' }] }],
    ['no_change', { content: TEXT }],
    ['no_change', { target: 'section:Plan/Goals', content: '## Goals\none\n\n' }],
    ['invalid_request', { edits: [{ old: '', new: 'x' }] }],
    ['invalid_request', { edits: [] }],
    ['invalid_request', { content: 'x', edits: [{ old: 'one', new: 'x' }] }],
    ['invalid_request', {}],
    ['too_large', { edits: [{ old: 'one', new: 'x'.repeat(256 * 1024) }] }],
  ]

  for (const [reason, input] of refused) {
    await assert.rejects(propose(input), (thrown: { code: string; reason: string }) =>
      [thrown.code, thrown.reason].includes(reason),
    )
  }
  assert.equal(await opened.latest(), before)
})

test('an edit of an older version is accepted while its section is untouched, not otherwise and not when strict', async (t) => {
  const { propose, land } = await room(t)
  await land({ edits: [{ old: 'one', new: 'first' }] })

  const steps = await propose({ edits: [{ old: '## Steps', new: '## Way' }] })

  assert.equal(steps.base_version, 1)
  await assert.rejects(propose({ edits: [{ old: 'one', new: 'erste' }] }), { reason: 'stale_version' })
  const strict = await room(t, 'strict')
  await strict.land({ edits: [{ old: 'one', new: 'first' }] })
  await assert.rejects(strict.propose({ edits: [{ old: '## Steps', new: '## Way' }] }), {
    reason: 'stale_version',
  })
})

test('a section that is not there is refused with those that are, for callers who may read', async (t) => {
  const { opened, propose } = await room(t)
  const blind = await opened.join('blind', ['propose'])
  const wrong = { base_version: 1, summary: 'x', content: 'x', target: 'section:goals' }

  await assert.rejects(propose(wrong), (thrown: { details: { targets: string[] } }) => {
    assert.deepEqual(thrown.details.targets, ['section:Plan/Goals', 'section:Plan', 'section:Plan/Steps'])
    return true
  })
  await assert.rejects(opened.do(blind, 'propose', wrong), (thrown: { details: object }) => {
    assert.deepEqual(Object.keys(thrown.details), ['target'])
    return true
  })
})

test('a target without its prefix is refused with those that are, for callers who may read', async (t) => {
  const { opened, ada } = await room(t)
  const blind = await opened.join('blind', ['propose', 'checkout'])
  const target = 'Plan/Goals'
  const calls = [
    ['propose', { base_version: 1, summary: 'x', content: 'x', target }],
    ['checkout', { target }],
    ['handoff_create', { title: 'x', objective: 'x', target }],
  ] as const

  for (const [operation, input] of calls) {
    await assert.rejects(opened.do(ada, operation, input), {
      reason: 'invalid_region',
      details: { target, targets: ['section:Plan/Goals', 'section:Plan', 'section:Plan/Steps'] },
    })
    await assert.rejects(opened.do(blind, operation, input), {
      reason: 'invalid_region',
      details: { target },
    })
  }
})

test('edits and contents with the line ends of a model fit a file with CRLF, which stays one', async (t) => {
  const text = TEXT.replaceAll('\n', '\r\n')
  const opened = await openTestRoom(t, { text, staleness: 'section' })
  const ada = await opened.join('ada')
  const land = async (base_version: number, input: object) => {
    const { proposal_id } = await opened.do(ada, 'propose', { base_version, summary: 'a change', ...input })
    await opened.do(ada, 'review', { proposal_id, approve: true })
    await opened.do(ada, 'commit', { proposal_id })
  }

  await land(1, { edits: [{ old: '## Goals\none\n', new: '## Goals\nfirst\nsecond\n' }] })
  await land(2, { target: 'section:Plan/Steps', content: '## Steps\nthree\n' })
  await land(3, { patch: '@@ -4,1 +4,1 @@\n-first\n+1st\n' })

  assert.equal(
    await opened.text(),
    '# Plan\n\n## Goals\n1st\nsecond\n\n## Steps\nthree\n'.replaceAll('\n', '\r\n'),
  )
})

test('a content with LF changes no line end of a file that has both kinds, but may have CRLF of its own', async (t) => {
  const text = '# Plan\n\n## Goals\r\none\r\ntwo\n\n## Steps\nthree\n'
  const cases: readonly (readonly [target: string, given: string, after: string])[] = [
    [
      'workspace',
      text.replaceAll('\r\n', '\n').replace('two', 'more\ntwo'),
      text.replace('two', 'more\r\ntwo'),
    ],
    ['section:Plan/Steps', '## Steps\nfour\n', text.replace('three', 'four')],
    ['section:Plan/Goals', '## Goals\r\none\n\n', text.replace('one\r\ntwo', 'one')],
  ]
  for (const [target, content, after] of cases) {
    const opened = await openTestRoom(t, { text })
    const ada = await opened.join('ada')
    const input = { base_version: 1, summary: 's', target, content }
    const { proposal_id } = await opened.do(ada, 'propose', input)
    await opened.do(ada, 'review', { proposal_id, approve: true })
    await opened.do(ada, 'commit', { proposal_id })

    assert.equal(await opened.text(), after)
  }
})

test('a content for the whole of a file with a byte order mark keeps the mark, which no reader sees', async (t) => {
  const opened = await openTestRoom(t, { text: `\ufeff${TEXT}` })
  const ada = await opened.join('ada')
  const propose = (content: string) =>
    opened.do(ada, 'propose', { base_version: 1, summary: 'a change', content })

  const { proposal_id } = await propose(TEXT.replace('one', 'first'))
  const unchanged = await propose(TEXT).catch((thrown) => thrown.reason)
  await opened.do(ada, 'review', { proposal_id, approve: true })
  await opened.do(ada, 'commit', { proposal_id })

  assert.equal(await opened.text(), `\ufeff${TEXT.replace('one', 'first')}`)
  assert.equal(unchanged, 'no_change')
})

test('an edit below headings whose path is too long for a target is a proposal of a section above', async (t) => {
  const [first, second] = ['a'.repeat(300), 'b'.repeat(300)]
  const opened = await openTestRoom(t, { text: `# ${first}\n\n## ${second}\n\none\n` })
  const ada = await opened.join('ada')

  const edits = [{ old: 'one', new: 'two' }]
  const { target } = await opened.do(ada, 'propose', { base_version: 1, summary: 'a change', edits })

  assert.equal(target, `section:${first}`)
})

test('a new text of a section without its heading is taken, and its author is told', async (t) => {
  const { opened, ada } = await room(t)
  const hintOf = (input: object) =>
    opened.room.change(
      ada.session_id,
      'propose',
      { base_version: 1, summary: 'a change', ...input },
      (change, asked) => afterProposal(change, propose(change, asked)).hint,
    )
  const target = 'section:Plan/Goals'

  const hints = [
    await hintOf({ target, content: 'first\n' }),
    await hintOf({ target, edits: [{ old: '## Goals\none', new: 'one' }] }),
    await hintOf({ target, content: '## Aims\nfirst\n' }),
    await hintOf({ target, content: 'Aims\n====\nfirst\n' }),
    await hintOf({ target, content: '' }),
    await hintOf({ content: 'no heading at all\n' }),
  ]

  assert.deepEqual(
    hints.map((hint) => hint !== undefined),
    [true, true, false, false, false, false],
  )
})
