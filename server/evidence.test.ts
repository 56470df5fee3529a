import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../test/harness/open-host.ts'
import { definePlugin, type EvidenceFinding, type EvidenceKind, type EvidenceKinds } from './plugin.ts'

const HOLDS: EvidenceFinding = { verdict: 'holds', reason: 'as before' }

function kind(name: string, more: Partial<EvidenceKind> = {}): EvidenceKind {
  return {
    name,
    takes: 'anything',
    capture: async (named) => ({ facts: { named }, ...HOLDS }),
    verify: async () => HOLDS,
    describe: () => `a ${name}`,
    ...more,
  }
}

/** The kinds as a plugin sees them. */
async function kindsOf(
  t: Parameters<typeof openHost>[0],
  kinds: (all: () => EvidenceKinds) => readonly EvidenceKind[],
) {
  let seen: EvidenceKinds | undefined
  const all = () => seen ?? assert.fail('not set up')
  const plugin = definePlugin({
    name: 'provider',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    async setup(host) {
      seen = host.evidence
      return { evidence: kinds(all) }
    },
  })
  const opened = await openHost(t, { plugins: [plugin] })
  return { evidence: all(), opened }
}

test('evidence that a plugin captured is checked by that plugin', async (t) => {
  const { evidence } = await kindsOf(t, () => [kind('image')])

  const captured = await evidence.capture('image', 'app:1', '/project')
  const found = await evidence.verify('image', captured.facts, '/project')

  assert.deepEqual(captured, { facts: { named: 'app:1' }, ...HOLDS, text: 'a image' })
  assert.deepEqual(found, HOLDS)
  assert.deepEqual(await evidence.names(), ['image'])
})

test('what cannot be told is unverifiable, with the reason, and no check rejects', async (t) => {
  const wrong = (verify: () => unknown) => ({ verify: verify as EvidenceKind['verify'] })
  const { evidence, opened } = await kindsOf(t, () => [
    kind(
      'throws',
      wrong(() => Promise.reject(new Error('a password'))),
    ),
    kind(
      'throws_early',
      wrong(() => {
        throw new Error('a password')
      }),
    ),
    kind(
      'answers_wrong',
      wrong(async () => ({ verdict: 'fine', reason: 'so' })),
    ),
    kind(
      'answers_nothing',
      wrong(async () => undefined),
    ),
    kind(
      'hidden',
      wrong(async () => ({ verdict: 'stale', reason: 'two\nlines\u202e' })),
    ),
  ])
  const check = (name: string, facts: unknown = {}) => evidence.verify(name, facts, '/project')
  const unverifiable = (reason: string) => ({ verdict: 'unverifiable', reason })

  assert.deepEqual(
    await check('absent'),
    unverifiable('no plugin here provides evidence of the kind "absent"'),
  )
  assert.deepEqual(await check('throws'), unverifiable('the check of "throws" failed'))
  assert.deepEqual(await check('throws_early'), unverifiable('the check of "throws_early" failed'))
  assert.deepEqual(await check('answers_wrong'), unverifiable('the check gave no verdict'))
  assert.deepEqual(await check('answers_nothing'), unverifiable('the check gave no verdict'))
  assert.deepEqual(await check('throws', 'text'), unverifiable('it has no facts'))
  assert.deepEqual(await check('hidden'), { verdict: 'stale', reason: 'two lines' })
  assert.ok(opened.logged.some((line) => line.includes('a kind of evidence failed')))
})

test('a check that runs out of time is ended and unverifiable', async (t) => {
  let signal: AbortSignal | undefined
  const { evidence } = await kindsOf(t, () => [
    kind('slow', {
      verify: (_facts, place) => {
        signal = place.signal
        return new Promise(() => {})
      },
    }),
  ])
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let found: EvidenceFinding | undefined
  const asked = evidence.verify('slow', {}, '/project').then((answer) => {
    found = answer
  })

  // The limit begins when the plugin was found: how many turns that takes is not ours to say.
  while (found === undefined) {
    t.mock.timers.tick(500)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await asked

  assert.deepEqual(found, { verdict: 'unverifiable', reason: 'The check of "slow" took longer than 3 s.' })
  assert.equal(signal?.aborted, true)
})

test('evidence that rests on itself is unverifiable, and a long chain ends', async (t) => {
  const { evidence } = await kindsOf(t, (all) => [
    kind('circular', { verify: (facts, { root }) => all().verify('circular', facts, root) }),
    kind('chain', {
      verify: ({ n }, { root }) => all().verify('chain', { n: Number(n) + 1 }, root),
    }),
  ])

  assert.equal((await evidence.verify('circular', { a: 1 }, '/project')).reason, 'it rests on itself')
  assert.equal((await evidence.verify('chain', { n: 0 }, '/project')).reason, 'it rests on too many others')
})

test('evidence that rests on many others is given up on after some of them', async (t) => {
  let checks = 0
  const { evidence } = await kindsOf(t, (all) => [
    kind('wide', {
      verify: async ({ n }, { root }) => {
        checks += 1
        const asked = Array.from({ length: 20 }, (_, at) =>
          all().verify('wide', { n: Number(n) * 20 + at + 1 }, root),
        )
        const found = await Promise.all(asked)
        return found.find(({ verdict }) => verdict !== 'holds') ?? HOLDS
      },
    }),
  ])

  const found = await evidence.verify('wide', { n: 0 }, '/project')
  const next = await evidence.verify('wide', { n: 0 }, '/project')

  assert.deepEqual(found, { verdict: 'unverifiable', reason: 'it rests on too many others' })
  assert.deepEqual([next, checks], [found, 100], 'each call has as many')
})

test('what a check asked for is not begun once its time is over', async (t) => {
  let begun = 0
  let asked: Promise<EvidenceFinding> | undefined
  const { evidence } = await kindsOf(t, (all) => [
    kind('outer', {
      verify: async (_facts, { root }) => {
        asked = new Promise((resolve) => setImmediate(resolve)).then(() => all().verify('inner', {}, root))
        return HOLDS
      },
    }),
    kind('inner', {
      verify: async () => {
        begun += 1
        return HOLDS
      },
    }),
  ])

  await evidence.verify('outer', {}, '/project')

  assert.deepEqual(await asked, {
    verdict: 'unverifiable',
    reason: 'what rests on it is no longer checked',
  })
  assert.equal(begun, 0)
})

test('facts that are not a small object are refused when they are captured', async (t) => {
  const { evidence } = await kindsOf(t, () => [
    kind('large', { capture: async () => ({ facts: { text: 'x'.repeat(20_000) }, ...HOLDS }) }),
  ])

  await assert.rejects(evidence.capture('large', 1, '/project'), /at most 16384 bytes/)
  await assert.rejects(evidence.capture('absent', 1, '/project'), {
    code: 'invalid',
    reason: 'evidence_unknown',
  })
})

test('two plugins cannot provide the same kind', async (t) => {
  const provider = (name: string) =>
    definePlugin({
      name,
      version: '1.0.0',
      apiVersion: 1,
      config: z.object({}),
      setup: async () => ({ evidence: [kind('image')] }),
    })

  await assert.rejects(openHost(t, { plugins: [provider('a'), provider('b')] }), {
    reason: 'name_taken',
    details: { name: 'evidence "image"', owners: ['a', 'b'] },
  })
})
