import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Page, type PageStart, pageOf } from './page.ts'
import { plainText } from './plain-text.ts'

const measure = ({ data }: Page): number => Buffer.byteLength(JSON.stringify(data))

/** Every page of `data`, each at most `maxBytes` where its parts allow that. */
function pagesOf(data: Record<string, unknown>, maxBytes: number): Page[] {
  const pages: Page[] = []
  for (let start: PageStart | undefined; ; ) {
    const page = pageOf(data, { start, maxBytes, measure })
    assert.ok(page)
    pages.push(page)
    assert.ok(pages.length < 10_000, 'the pages do not end')
    if (!page.next) return pages
    start = page.next
  }
}

const word = fc.string({ minLength: 1, maxLength: 12 })
const lists = fc.record({
  name: word,
  rows: fc.array(fc.record({ id: word, note: fc.string({ maxLength: 60 }) }), { maxLength: 60 }),
  text: fc.array(word, { maxLength: 200 }).map((words) => words.join('\n')),
})

describe('the pages of an answer', () => {
  test('lists and long text that the pages hold, joined, are the data', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 300, max: 4000 }), (data, maxBytes) => {
        const pages = pagesOf(data, maxBytes)

        const rows = pages.flatMap(({ data: part }) => part['rows'] as unknown[])
        const isTextCut = pages.some(({ parts }) => parts.some((part) => part.startsWith('text ')))
        const text = pages.map(({ data: part }) => part['text']).join('')
        assert.deepEqual(rows, data.rows)
        assert.ok(
          isTextCut
            ? text === data.text
            : pages.every(({ data: part }) => [data.text, ''].includes(String(part['text']))),
        )
        assert.ok(pages.every(({ data: part }) => part['name'] === data.name))
      }),
    )
  })

  test('a page keeps to its bound, and a cut names its range', () => {
    const data = {
      items: Array.from({ length: 400 }, (_, at) => ({ id: `item-${at}`, note: 'n'.repeat(40) })),
    }

    const pages = pagesOf(data, 4000)

    assert.ok(pages.every((page) => measure(page) <= 4000))
    assert.match(pages[0]?.parts[0] ?? '', /^items 1–\d+ of 400$/)
    assert.match(pages.at(-1)?.parts[0] ?? '', /^items \d+–400 of 400$/)
  })

  test('a document is cut at line ends; a line of 300 KB between characters', () => {
    const lines = {
      content: Array.from({ length: 400 }, (_, at) => `line ${at + 1}`.padEnd(100, '.')).join('\n'),
    }
    const line = { content: '🦊'.repeat(75_000) }

    const [first, ...more] = pagesOf(lines, 4000)
    const long = pagesOf(line, 4000)

    assert.match(first?.parts[0] ?? '', /^content lines 1–\d+ of 400$/)
    assert.ok(String(first?.data['content']).endsWith('\n'))
    assert.match(more.at(-1)?.parts[0] ?? '', /–400 of 400$/)
    assert.match(long[0]?.parts[0] ?? '', /^content characters 1–\d+ of 150000$/)
    assert.equal(long.map(({ data }) => data['content']).join(''), line.content)
    assert.ok(long.every(({ data }) => String(data['content']).isWellFormed()))
  })

  test('one entry larger than the bound is divided, and each part repeats its short members', () => {
    const data = {
      modules: [
        { id: 'small', inputs: [] },
        {
          id: 'large',
          inputs: Array.from({ length: 300 }, (_, at) => ({ name: `input_${at}`, type: 'string' })),
        },
      ],
    }

    const pages = pagesOf(data, 2000)

    const inputs = pages.flatMap(({ data: part }) =>
      (part['modules'] as { id: string; inputs: unknown[] }[]).flatMap((module) => module.inputs),
    )
    assert.deepEqual(inputs, data.modules[1]?.inputs)
    assert.ok(pages.slice(1).every(({ data: part }) => JSON.stringify(part).includes('"large"')))
  })

  test('an object with thousands of members is divided', () => {
    const data = { map: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key_${at}`, at])) }

    const joined = Object.assign({}, ...pagesOf(data, 4000).map(({ data: part }) => part['map']))

    assert.deepEqual(joined, data.map)
  })

  test('a page of data that has changed is refused, also at the same size', () => {
    const rows = (note: string) => ({
      at: note,
      rows: Array.from({ length: 200 }, (_, at) => ({ at, note })),
    })
    const [first] = pagesOf(rows('before'), 1000)
    const at = { start: first?.next, maxBytes: 1000, measure }

    assert.equal(pageOf(rows('behind'), at), undefined)
    assert.ok(pageOf({ ...rows('before'), at: 'another time' }, at))
  })

  test('ten megabytes are cut in time that does not grow with them', () => {
    const data = { rows: Array.from({ length: 100_000 }, (_, at) => ({ at, note: 'n'.repeat(80) })) }
    let measured = 0

    const page = pageOf(data, {
      start: undefined,
      maxBytes: 16_000,
      measure: (each) => {
        if (each.parts.length > 0) measured += measure(each)
        return measure(each)
      },
    })

    assert.ok(page?.next)
    assert.ok(measured < 2_000_000, `${measured} bytes were measured`)
  })

  test('what a page leaves out is absent from its text, not said to be empty', () => {
    const data = { rows: Array.from({ length: 100 }, (_, at) => ({ at })), last: ['x'] }

    const [first] = pagesOf(data, 500)

    assert.deepEqual(first?.data['last'], [])
    assert.ok(first && !plainText(first.shown).includes('last'))
  })

  test('a list that the next pages hold alone is named, also where the page ends with the list before it', () => {
    const row = { note: 'n'.repeat(90) }
    const data = {
      rows: [row, row],
      handoffs: [row],
      groups: { joined: [row, row] },
      text: 'a line\n'.repeat(100),
    }

    const [first, ...more] = pagesOf(data, 320)

    assert.deepEqual(first?.parts, ['handoffs 0 of 1', 'joined 0 of 2', 'text lines 0 of 100'])
    assert.deepEqual(
      more.at(-1)?.parts.filter((part) => / 0 of /.test(part)),
      [],
    )
  })
})
