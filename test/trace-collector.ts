import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { listening } from './harness/listening.ts'

/** A span as a test compares it. */
export interface SeenSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly links: readonly string[]
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: number | undefined
  readonly resource: Readonly<Record<string, unknown>>
}

export interface SeenRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The parts of OTLP/JSON that are read here. */
interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<SeenSpan, 'links' | 'attributes' | 'status' | 'resource'> & {
        readonly attributes: readonly Attribute[]
        readonly links?: readonly { readonly spanId: string }[]
        readonly status?: { readonly code?: number }
      })[]
    }[]
  }[]
}

/** A collector on loopback: it takes what is sent over OTLP/HTTP, or never answers with `mute`. */
export async function openCollector(t: TestContext, { mute = false } = {}) {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    requests.push({ path: String(incoming.url), headers: incoming.headers, body })
    if (mute) return
    const type = String(incoming.headers['content-type'])
    outgoing.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '')
  })
  const { url } = await listening(t, server)
  return {
    endpoint: url,
    requests,
    spans: (): SeenSpan[] => requests.flatMap(({ body }) => spansIn(JSON.parse(body.toString()))),
  }
}

function spansIn({ resourceSpans }: Otlp): SeenSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, links = [], attributes, status }) => ({
        name,
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        links: links.map((link) => link.spanId),
        attributes: valuesOf(attributes),
        status: status?.code || undefined,
        resource: valuesOf(resource.attributes),
      })),
    ),
  )
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
