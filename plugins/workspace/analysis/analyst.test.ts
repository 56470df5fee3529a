import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Analysis } from '../domain/analysis.ts'
import { unifiedDiff } from '../domain/difference.ts'
import { merge } from '../domain/merge.ts'
import { outlineOf, packOutline } from '../domain/outline.ts'
import { sectionsOf } from '../domain/section.ts'
import { openTestRoom } from '../testing/test-room.ts'
import { turnsOf } from '../testing/turns.ts'
import { type Analyst, analyzed, createAnalyst, Unanswered } from './analyst.ts'
import { createTextThread } from './text-thread.ts'

const LONG = Array.from({ length: 3000 }, (_, at) => `## Heading ${at}\n\ntext ${at}\n`).join('')
const LATER = LONG.replace('text 7\n', 'changed\n')

function analyst(t: TestContext) {
  const made = createAnalyst()
  t.after(() => made.end())
  return made
}

const pageOf = async (made: Analyst, text: string) =>
  JSON.parse(Buffer.from(await made.page(text)).toString())

test('a long text is answered by the thread as it would be here', async (t) => {
  const made = analyst(t)
  const ask = <T>(work: (analysis: Analysis) => T): Promise<T> =>
    analyzed(made, async (analysis) => work(analysis))

  const outline = await ask((analysis) => analysis.outline(LONG))
  const difference = await ask((analysis) => analysis.difference(LONG, LATER, 1000))
  const merged = await ask((analysis) => analysis.merge(LONG, LATER, LONG.replace('text 9\n', 'mine\n')))

  assert.deepEqual(outline.find('Heading 2999'), outlineOf(LONG).find('Heading 2999'))
  assert.deepEqual(difference, unifiedDiff(LONG, LATER, 1000))
  assert.deepEqual(merged, merge(LONG, LATER, LONG.replace('text 9\n', 'mine\n')))
})

test('only what is short is worked out in this thread, and nothing twice', async (t) => {
  const made = analyst(t)
  let attempts = 0

  assert.equal(made.knowing([]).outline('# A\n').size, 1)
  assert.throws(() => made.knowing([]).outline(LONG), Unanswered)
  await analyzed(made, async (analysis) => {
    attempts += 1
    return analysis.outline(LONG).size
  })

  assert.equal(attempts, 2)
  assert.equal(made.knowing([]).outline(LONG).size, 3000)
})

test('of those who wait for the same answer one goes on in each turn of the event loop', async (t) => {
  const made = analyst(t)
  const turns = turnsOf(t)
  const readers = Array.from({ length: 5 }, async () => {
    await analyzed(made, async (analysis) => analysis.outline(LONG))
    return turns.passed()
  })

  const ended = await Promise.all(readers)

  assert.equal(new Set(ended).size, readers.length, `ended in turns ${ended}`)
})

/** Threads that answer when the test says so. */
function heldThreads() {
  const asked: string[] = []
  const answers: ((answer: unknown) => void)[] = []
  const made = createAnalyst(() => ({
    ask({ kind }) {
      asked.push(kind)
      return new Promise((resolve) => answers.push(resolve))
    },
    end: async () => undefined,
  }))
  return { made, asked, answers }
}

test('the page is analyzed after what the rules asked before and beside it, and not after what they ask later', async () => {
  const { made, asked, answers } = heldThreads()
  const turns = () => pause(20)
  assert.throws(() => made.knowing([]).merge(LONG, LATER, ''), Unanswered)
  const pages = [made.page('# A\n'), made.page('# A\n')]
  assert.throws(() => made.knowing([]).outline(LONG), Unanswered)

  await turns()
  answers[0]?.('merged')
  await turns()
  const before = [...asked]
  assert.throws(() => made.knowing([]).outline(LATER), Unanswered)
  answers[1]?.(packOutline(LONG))
  await turns()
  answers[3]?.(Buffer.from('{}'))

  assert.deepEqual(before, ['merge', 'outline'])
  assert.deepEqual(asked, ['merge', 'outline', 'outline', 'page'])
  assert.deepEqual((await Promise.all(pages)).map(String), ['{}', '{}'])
})

test('the page is analyzed although the thread of the rules fails', async () => {
  const failing = createAnalyst(() => ({
    ask: async ({ kind }) => {
      if (kind !== 'page') throw new Error('ended')
      return Buffer.from('{}')
    },
    end: async () => undefined,
  }))
  const refused = assert.rejects(
    analyzed(failing, async (analysis) => analysis.outline(LONG)),
    /ended/,
  )

  const page = await failing.page('# A\n')

  assert.equal(String(page), '{}')
  await refused
})

test('markup that would take a parser too long is plain text, before it is parsed', async (t) => {
  const made = analyst(t)
  for (const hostile of [
    '>'.repeat(60_000),
    '[a]('.repeat(50_000),
    '- '.repeat(50_000),
    '*a '.repeat(50_000),
    '- - - - - - - - a\n'.repeat(7000),
    '- a\n  - b\n    - c\n'.repeat(4000),
  ]) {
    const page = await pageOf(made, hostile)

    assert.deepEqual([page.nodes, page.rest], [[], hostile])
  }
  const page = await pageOf(made, '# A\n')
  assert.deepEqual(page, { nodes: [{ tag: 'h1', children: ['A'], target: 'section:A' }], rest: '' })
  const list = await pageOf(made, '- [a](b) and **more**\n'.repeat(1000))
  assert.equal(list.nodes[0].children.length, 1000)
  const sections = await pageOf(made, `# A\n\n${'- a\n  - b\n'.repeat(300)}\n`.repeat(10))
  assert.equal(sections.nodes.length, 20)
})

test('a question that takes too long gets its quick answer, and the next one a new thread', async (t) => {
  const thread = createTextThread({ limitMs: 1, maxMegabytes: 64 })
  t.after(() => thread.end())
  const before = Array.from({ length: 4000 }, (_, at) => `line ${at}`).join('\n')
  const after = before.replaceAll('1\n', 'x\n')

  const cut = await thread.ask({ kind: 'difference', texts: [before, after], limit: 100_000 })

  const { added, removed } = cut as ReturnType<typeof unifiedDiff>
  assert.ok(added > 3000 && removed > 3000, 'one block from the first to the last change')
  assert.ok(await thread.ask({ kind: 'merge', texts: ['a', 'b', 'c'], limit: 0 }))
})

test('the rules of a large document wait for their answers and then hold', async (t) => {
  const room = await openTestRoom(t, { text: LONG, staleness: 'section' })
  const ada = await room.join('ada')
  const change = (at: number) => ({
    target: `section:Heading ${at}`,
    base_version: 1,
    summary: 'x',
    content: `## Heading ${at}\n\nby a proposal\n`,
  })
  const first = await room.do(ada, 'propose', change(5))
  const other = await room.do(ada, 'propose', change(6))
  await room.do(ada, 'review', { proposal_id: first.proposal_id, approve: true })
  const { superseded } = await room.do(ada, 'commit', { proposal_id: first.proposal_id })
  await room.write((await room.text()).replace('text 6\n', 'from outside\n'))

  const outside = (await room.events()).filter(({ event_type }) => event_type === 'proposal.superseded')

  assert.deepEqual(superseded, [])
  assert.deepEqual(
    outside.map(({ payload }) => payload['proposal_id']),
    [other.proposal_id],
  )
  assert.match(await room.text(), /## Heading 5\n\nby a proposal\n/)
})

test('behind 128 KiB every section still has a heading with its target, and text as it is written', async (t) => {
  const chapter = (at: number) =>
    `## Chapter ${at}\r\n\r\n${'word '.repeat(400)}\r\n\r\n| a |\r\n| - |\r\n| ${at} |\r\n\r\n`
  const content = `# Spec\r\n\r\n${Array.from({ length: 120 }, (_, at) => chapter(at)).join('')}Last\r\n===\r\n\r\nend\r\n`
  const page = await pageOf(analyst(t), content)
  type Shown = { tag: string; target?: string; isPlain?: true; children: unknown[] }
  const nodes: readonly Shown[] = page.nodes
  const targets = nodes.flatMap(({ target }) => target ?? [])
  const plain = nodes.findIndex(({ isPlain }) => isPlain)

  assert.equal(page.rest, '')
  assert.deepEqual(
    targets,
    sectionsOf(content).map(({ path }) => `section:${path}`),
  )
  assert.deepEqual(nodes[plain - 1]?.children, ['word '.repeat(400).trim()], 'no paragraph is cut')
  assert.deepEqual(nodes.at(-3)?.children, [chapter(119).split('\r\n').slice(2).join('\r\n').trimEnd()])
  assert.deepEqual(nodes.at(-1)?.children, ['Last\r\n===\r\n\r\nend'])
  const many = `# A\n\n${'word '.repeat(40_000)}\n\n${'# A\n'.repeat(5001)}`
  const flat = await pageOf(analyst(t), many)
  assert.ok(flat.rest.endsWith('# A\n# A\n'))
})
