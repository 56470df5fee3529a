import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import * as z from 'zod'
import { SatchelError } from '../contract/errors.ts'
import { MAX_JSON_DEPTH as MAX_DEPTH } from '../platform/json-bounds.ts'
import { requestOf } from './client-request.ts'
import { parseProblem, problem } from './problem.ts'
import { createQueryInput } from './query-input.ts'
import { parseJson } from './read-body.ts'
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'

const INPUT = z.object({
  id: z.string(),
  text: z.string().optional(),
  count: z.number().int().optional(),
  share: z.number().optional(),
  deep: z.boolean().optional(),
  kind: z.enum(['a', '1', 'true']).optional(),
  tags: z.array(z.string()).optional(),
  sizes: z.array(z.number()).optional(),
  where: z.object({ size: z.number(), name: z.string() }).optional(),
})

const text = fc.string({ unit: 'binary' }).map((each) => Buffer.from(each).toString())
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((each) => (Object.is(each, -0) ? 0 : each))

const input = fc.record(
  {
    // The URL standard takes these for steps in a path, however they are written.
    id: text.filter((each) => !['', '.', '..'].includes(each)),
    text,
    count: fc.integer(),
    share: number,
    deep: fc.boolean(),
    kind: fc.constantFrom('a', '1', 'true'),
    tags: fc.array(text, { minLength: 1 }),
    sizes: fc.array(number, { minLength: 1 }),
    where: fc.record({ size: number, name: text }, { noNullPrototype: true }),
  },
  { requiredKeys: ['id'], noNullPrototype: true },
)

describe('laws of the HTTP door', () => {
  it('an input that travels in path and query arrives as it left', () => {
    const operation = {
      method: 'GET',
      path: '/notes/{id}',
      places: new Map([['id', { place: 'path', name: 'id' }]]),
    }
    const query = createQueryInput(INPUT)
    fc.assert(
      fc.property(input, (sent) => {
        const url = new URL(requestOf(operation, sent).path, 'http://localhost')
        const id = decodeURIComponent(url.pathname.slice('/notes/'.length))

        const arrived = INPUT.parse({ ...query.read(url.searchParams), ...query.read([['id', id]]) })

        assert.deepEqual(arrived, sent)
      }),
      { examples: [[{ id: 'a/b?c#d', text: '1' }]] },
    )
  })

  it('events come out alike however their bytes were cut', async () => {
    const event = fc.record({
      event: fc.constantFrom('message', 'resource', 'resync'),
      data: fc.json(),
      comment: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event), fc.array(fc.nat(400)), async (events, cuts) => {
        const bytes = Buffer.from(
          events
            .map(
              ({ event: name, data, comment }) =>
                `${comment ? ': hb\n\n' : ''}event: ${name}\ndata: ${data}\n\n`,
            )
            .join(''),
        )
        const got: ServerSentEvent[] = []

        for await (const each of readServerSentEvents(inPieces(bytes, cuts))) got.push(each)

        assert.deepEqual(
          got,
          events.map(({ event: name, data }) => ({ event: name, data })),
        )
      }),
    )
  })

  it('JSON passes exactly when it nests no deeper than the limit', () => {
    const deep = fc.integer({ min: 1, max: 2 * MAX_DEPTH })
    fc.assert(
      fc.property(deep, fc.boolean(), fc.string(), (depth, objects, name) => {
        const [open, close] = objects ? [`{${JSON.stringify(name)}:`, '}'] : ['[', ']']
        const nested = `${open.repeat(depth)}"[{"${close.repeat(depth)}`
        const passes = (): unknown => parseJson(nested)

        if (depth <= MAX_DEPTH) assert.doesNotThrow(passes)
        else assert.throws(passes, { reason: 'too_deep' })
      }),
    )
  })

  it('an error survives the way through a problem document', async () => {
    const error = fc.record({
      code: fc.constantFrom('invalid', 'conflict', 'internal', 'unavailable'),
      reason: fc.stringMatching(/^[a-z_]{1,20}$/),
      message: text,
      details: fc.option(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), {
        nil: undefined,
      }),
    })
    await fc.assert(
      fc.asyncProperty(error, async ({ code, reason, message, details }) => {
        const sent = new SatchelError(code, reason, message, details && { details })

        const got = parseProblem(await problem(sent).json())

        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
        assert.deepEqual([got?.code, got?.reason, got?.message], [code, reason, message])
        assert.deepEqual(plain(got?.details), plain(details))
      }),
    )
  })
})

function inPieces(bytes: Buffer, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const edges = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  )
  return new ReadableStream({
    start(controller) {
      for (const [at, from] of edges.entries()) {
        const to = edges[at + 1]
        if (to !== undefined) controller.enqueue(bytes.subarray(from, to))
      }
      controller.close()
    },
  })
}
