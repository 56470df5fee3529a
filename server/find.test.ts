import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { openHost } from '../test/harness/open-host.ts'
import type { CallContext } from './contract/context.ts'
import {
  definePlugin,
  type Found,
  type FoundGroup,
  type Host,
  SatchelError,
  type Searcher,
} from './plugin.ts'

const place = (text: string): Found => ({ text, open: { tool: 'read_place', args: { text } } })

/** A searcher of texts that hold every word. */
function over(kind: string, texts: readonly string[]): Searcher {
  return {
    kind,
    async search(query, limit) {
      const held = texts.filter((text) => query.split(' ').every((word) => text.includes(word)))
      return { results: held.slice(0, limit).map(place), more: held.length > limit }
    },
  }
}

/** The one search of a host whose plugins `a`, `b` … have these searchers. */
async function findIn(t: Parameters<typeof openHost>[0], ...searchers: readonly unknown[]) {
  let host: Host | undefined
  const plugins = searchers.map((searcher, at) =>
    definePlugin({
      name: 'abcdefgh'.charAt(at),
      version: '1.0.0',
      apiVersion: 1,
      config: z.object({}),
      async setup(given) {
        host = given
        return { searchers: [searcher as Searcher] }
      },
    }),
  )
  const opened = await openHost(t, { plugins })
  const find = (query: string, limit = 5, ctx: Partial<CallContext> = {}) =>
    (host ?? assert.fail('not set up')).find(query, limit, opened.context(ctx))
  return { find, opened }
}

const textsOf = ({ results }: FoundGroup) => results.map(({ text }) => text)

test('every searcher answers with a group of its own, within the limit', async (t) => {
  const { find } = await findIn(t, over('note', ['red car', 'red bus', 'red van']), over('list', ['blue']))

  const groups = await find('red', 2)

  assert.deepEqual(groups, [
    { kind: 'note', results: [place('red car'), place('red bus')], more: true },
    { kind: 'list', results: [], more: false },
  ])
})

test('a searcher that fails, refuses or answers wrongly is unavailable, and the others answer', async (t) => {
  const answers = (answer: unknown) => ({ kind: 'answers', search: async () => answer })
  const wrong = [
    undefined,
    { results: 'x' },
    { results: [{ text: 'no call' }] },
    { results: [{ text: 'x', open: { tool: 'a', args: { large: 'x'.repeat(2_100) } } }] },
  ]
  for (const answer of wrong) {
    const { find, opened } = await findIn(t, answers(answer), over('note', ['red']))

    const [first, second] = await find('red')

    assert.deepEqual(first, { kind: 'answers', results: [], more: false, unavailable: 'The search failed.' })
    assert.deepEqual(second?.results, [place('red')])
    assert.ok(opened.logged.some((line) => line.includes('a searcher failed')))
  }
  const { find } = await findIn(
    t,
    {
      kind: 'throws',
      search: () => {
        throw new Error('a password')
      },
    },
    {
      kind: 'refuses',
      search: async () => {
        throw new SatchelError('not_found', 'none', 'Nothing is\nstored\u202e.')
      },
    },
    over('note', ['red']),
  )

  const [threw, refused, note] = await find('red')

  assert.equal(threw?.unavailable, 'The search failed.')
  assert.equal(refused?.unavailable, 'Nothing is stored.')
  assert.deepEqual(note?.results, [place('red')])
})

test('a searcher that takes too long is ended and unavailable', async (t) => {
  let signal: AbortSignal | undefined
  const { find } = await findIn(t, {
    kind: 'slow',
    search: (_query: string, _limit: number, ctx: CallContext) => {
      signal = ctx.signal
      return new Promise(() => {})
    },
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let groups: readonly FoundGroup[] | undefined
  const asked = find('red').then((found) => {
    groups = found
  })

  // The limit begins when the searcher is asked: how many turns that takes is not ours to say.
  while (groups === undefined) {
    t.mock.timers.tick(500)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await asked

  assert.match(groups[0]?.unavailable ?? '', /^The search took longer than 5 s\./)
  assert.equal(signal?.aborted, true)
})

test('where no place holds every word, those with most of the words that occur are named as such', async (t) => {
  const { find } = await findIn(
    t,
    over('note', [
      'pin the tag of the network',
      'the cluster',
      'the wall',
      'the roof',
      'network of the roof',
    ]),
  )

  const [partly] = await find('why did we pin the network tag')
  const [whole] = await find('pin tag')
  const [none] = await find('zebra quantum')

  assert.equal(partly?.partly, true)
  assert.deepEqual(textsOf(partly ?? assert.fail()), ['pin the tag of the network'])
  assert.equal(whole?.partly, undefined)
  assert.deepEqual(textsOf(none ?? assert.fail()), [])
})

test('texts of others are one visible line of at most 300 characters', async (t) => {
  const text = `one\ntwo\u202e ${'x'.repeat(400)}`
  const { find } = await findIn(t, {
    kind: 'note',
    search: async () => ({ results: [place(text)], more: false }),
  })

  const [group] = await find('red')

  assert.equal(group?.results[0]?.text, `one two ${'x'.repeat(292)}`)
})

test('a token whose scopes name one plugin finds nothing of another, nor does a session of one', async (t) => {
  const { find } = await findIn(t, over('note', ['red']), over('list', ['red']))

  const scoped = await find('red', 5, {
    principal: { id: 'operator', kind: 'operator', capabilities: [], scopes: ['b:read'] },
  })
  const session = await find('red', 5, {
    principal: { id: 'session:x', kind: 'session', plugin: 'a', capabilities: [] },
  })

  assert.deepEqual(
    scoped.map((group) => [group.results.length, group.unavailable?.includes('a:read')]),
    [
      [0, true],
      [1, undefined],
    ],
  )
  assert.deepEqual(
    session.map((group) => [group.results.length, group.unavailable]),
    [
      [1, undefined],
      [0, 'This session may not do that.'],
    ],
  )
})

test('two plugins cannot search for the same kind', async (t) => {
  await assert.rejects(findIn(t, over('note', []), over('note', [])), {
    reason: 'name_taken',
    details: { name: 'searcher "note"', owners: ['a', 'b'] },
  })
})
