/** The REST call of a tool, read from the server's OpenAPI document. */
export interface Operation {
  readonly method: string
  readonly path: string
  /** Input field -> place and name in the request; all other fields go into the body. */
  readonly places: ReadonlyMap<string, Place>
}

interface Place {
  readonly place: string
  readonly name: string
}

/** The part of an OpenAPI document that a client uses. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}
interface OpenApiOperation {
  readonly operationId?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly 'x-field'?: string }[]
}

/** Returns the REST call of each tool by name. */
export function operationsOf(document: OpenApi): ReadonlyMap<string, Operation> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters = [] }]) =>
      operationId === undefined
        ? []
        : [[operationId, { method: method.toUpperCase(), path, places: placesOf(parameters) }] as const],
    ),
  )
  return new Map(operations)
}

function placesOf(parameters: NonNullable<OpenApiOperation['parameters']>): Operation['places'] {
  return new Map(parameters.map(({ name, in: place, 'x-field': field = name }) => [field, { place, name }]))
}

/** Builds the request for `input`. Unknown fields are sent too: the server refuses them with the nearest known name. */
export function requestOf(operation: Operation, input: object) {
  const takesBody = operation.method !== 'GET' && operation.method !== 'DELETE'
  const rest: Place = { place: takesBody ? 'body' : 'query', name: '' }
  const fields = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      const { place, name } = operation.places.get(field) ?? rest
      return { place, name: name || field, value }
    })
  const at = (place: string) => fields.filter((field) => field.place === place)

  const query = new URLSearchParams(
    at('query').flatMap(({ name, value }) =>
      [value].flat().map((each): [string, string] => [name, queryText(each)]),
    ),
  )
  const path = at('path').reduce(
    (filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(String(value))),
    operation.path,
  )
  const headers = Object.fromEntries(at('header').map(({ name, value }) => [name, `"${value}"`]))
  const body = Object.fromEntries(at('body').map(({ name, value }) => [name, value]))
  return {
    path: query.size > 0 ? `${path}?${query}` : path,
    init: {
      method: operation.method,
      headers: { ...headers, ...(takesBody && { 'content-type': 'application/json' }) },
      ...(takesBody && { body: JSON.stringify(body) }),
    },
  }
}

function queryText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
