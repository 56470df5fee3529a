import { createInputs, randomFrom } from './inputs.ts'

type Json = Readonly<Record<string, unknown>>

/** One method of one path of an API document. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Json[]
  readonly body: unknown
  readonly streams: boolean
  /** Documented status -> its documented reasons; undefined for statuses of success. */
  readonly answers: ReadonlyMap<number, readonly string[] | undefined>
}

export interface Attack {
  readonly address: string
  readonly count: number
  readonly seed: number
  readonly wants?: (operation: Operation) => boolean
  /** The credential of the next request. Absent: requests have none. */
  bearer?(): Promise<string>
}

export interface Attacked {
  readonly statuses: ReadonlyMap<number, number>
  /** What is wrong with answers: the fault, then the request. */
  readonly faults: readonly string[]
}

/** Sends requests for operations of the API document, picked at random, and judges every answer by that document. */
export async function attack({
  address,
  count,
  seed,
  wants = () => true,
  bearer,
}: Attack): Promise<Attacked> {
  const headersNow = async () => ({ ...(bearer && { authorization: `Bearer ${await bearer()}` }) })
  const described = await fetch(`${address}/openapi.json`, { headers: await headersNow() })
  const document: Json = JSON.parse(await described.text())
  const operations = operationsIn(document).filter((one) => !one.streams && wants(one))
  const inputs = createInputs(randomFrom(seed), document)
  const statuses = new Map<number, number>()
  const faults: string[] = []
  for (let sent = 0; sent < count; sent++) {
    const operation = inputs.pick(operations)
    const { path, init } = requestFor(operation, inputs)
    const headers = { ...init.headers, ...(await headersNow()) }
    const response = await fetch(`${address}${path}`, { ...init, headers, redirect: 'manual' })
    const fault = faultOf(operation, response.status, await response.text())
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    if (fault === undefined) continue
    const body = 'body' in init ? init.body.slice(0, 20_000) : ''
    faults.push(`${fault} <- ${init.method} ${path} ${body}`)
  }
  return { statuses, faults }
}

function operationsIn(document: Json): Operation[] {
  return Object.entries(document['paths'] as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Json>).map(([method, operation]) => {
      const content = (operation['requestBody'] as Json | undefined)?.['content'] as Json | undefined
      return {
        method: method.toUpperCase(),
        path,
        parameters: (operation['parameters'] ?? []) as Json[],
        body: (content?.['application/json'] as Json | undefined)?.['schema'],
        streams: JSON.stringify(operation['responses']).includes('text/event-stream'),
        answers: answersOf(operation['responses'] as Record<string, Json>, document),
      }
    }),
  )
}

function answersOf(responses: Record<string, Json>, document: Json): Operation['answers'] {
  const shared = (document['components'] as Json)['responses'] as Json
  const stated = Object.entries(responses).filter(([status]) => status !== 'default')
  return new Map(
    stated.map(([status, response]) => {
      const name =
        String(response['$ref'] ?? '')
          .split('/')
          .at(-1) ?? ''
      const text = JSON.stringify(shared[name] ?? {})
      const listed = /"reason":\{"enum":(\[[^\]]*\])/.exec(text)?.[1]
      return [Number(status), listed === undefined ? undefined : (JSON.parse(listed) as string[])]
    }),
  )
}

/** A longer value would push the rest of the path out of what a server reads. */
const PATH_CHARS = 400

/** A request for an operation; what a client cannot write is sent in escaped form. */
function requestFor(operation: Operation, inputs: ReturnType<typeof createInputs>) {
  let { path } = operation
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { name, in: place, schema } of operation.parameters.filter(
    ({ required }) => required || inputs.isRare(0.4),
  )) {
    const text = sendable(inputs.made(schema))
    if (place === 'path')
      path = path.replace(`{${name}}`, encodeURIComponent(text.slice(0, PATH_CHARS)) || '%20')
    else if (place === 'query') query.append(String(name), text)
    else headers[String(name)] = encodeURIComponent(text).slice(0, 4000)
  }
  const whole = `${path}${query.size > 0 ? `?${query}` : ''}`.slice(0, 12_000)
  if (operation.body === undefined) return { path: whole, init: { method: operation.method, headers } }
  headers['content-type'] = inputs.isRare(0.03) ? 'text/plain' : 'application/json'
  const body = JSON.stringify(inputs.made(operation.body))
  return { path: whole, init: { method: operation.method, headers, body } }
}

function sendable(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/[\ud800-\udfff]/g, '?')
}

/** Says what is wrong with an answer; undefined if nothing is. */
function faultOf({ answers }: Operation, status: number, text: string): string | undefined {
  if (status === 500) return `500: ${text}`
  if (!answers.has(status)) return `${status} is not documented: ${text.slice(0, 300)}`
  const reasons = answers.get(status)
  if (reasons === undefined) return undefined
  const problem: Json = JSON.parse(text)
  const isListed = problem['status'] === status && reasons.includes(String(problem['reason']))
  return isListed ? undefined : `${status} ${problem['reason']} is not documented: ${text.slice(0, 300)}`
}
