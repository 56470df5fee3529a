import { isJsonObject, isTextList } from './platform/json-object.ts'

type Members = Readonly<Record<string, unknown>>

/** The fields of the tool whose route is checked. */
export interface Fields {
  readonly input: readonly string[]
  readonly output: readonly string[]
}

const METHODS: readonly unknown[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
/** Plain text without what a router or a URL gives a meaning. */
const LITERAL = /^[^\s{}?#*:%\\]+$/
const VARIABLE = /^\{[\w-]+\}$/
/** As Node.js gives the names of headers, and as media types are compared. */
const HEADER = /^[a-z0-9-]+$/
const MEDIA_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/

/** What a path must be, for messages. */
export const PATH_RULE = 'must begin with /, and each part of it be plain text or one {variable}'

/**
 * Reports whether the router and the API document read a path the same way: a part that is a variable and more (`{id}.json`),
 * a `*` or a `:name` would be served at other addresses than the document says, or at none.
 */
export function isPath(path: unknown): path is string {
  if (typeof path !== 'string' || !path.startsWith('/')) return false
  const [, ...parts] = path.split('/')
  if (parts.at(-1) === '') parts.pop()
  const variables = parts.filter((part) => VARIABLE.test(part))
  return (
    new Set(variables).size === variables.length &&
    parts.every((part) => VARIABLE.test(part) || (LITERAL.test(part) && part !== '.' && part !== '..'))
  )
}

/** Returns what is wrong with a route of a tool, naming the member; undefined if nothing is. */
export function routeFault(route: Members, fields: Fields): string | undefined {
  const { method, path } = route
  if (!METHODS.includes(method)) return `http.method must be one of ${METHODS.join(', ')}`
  if (!isPath(path)) return `http.path ${PATH_RULE}`
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name)
  return unknownField('http.path', names, fields.input) ?? optionFault(route, fields)
}

function optionFault(route: Members, { input, output }: Fields): string | undefined {
  const { listeners, maxBodyBytes, headers = {}, etag } = route
  if (listeners !== undefined && !isTextList(listeners)) return 'http.listeners must be a list of texts'
  if (maxBodyBytes !== undefined && !(Number.isSafeInteger(maxBodyBytes) && Number(maxBodyBytes) > 0))
    return 'http.maxBodyBytes must be a whole number above 0'
  if (!isJsonObject(headers) || !isTextList(Object.values(headers)))
    return 'http.headers must be an object: header -> input field'
  const header = Object.keys(headers).find((name) => !HEADER.test(name))
  if (header !== undefined) return `http.headers names "${header}": write it in lower case`
  const tags = etag === undefined ? [] : [String(etag)]
  return (
    unknownField('http.headers', Object.values(headers).map(String), input) ??
    unknownField('http.etag', tags, output, 'output') ??
    rawBodyFault(route, input)
  )
}

function rawBodyFault({ rawBody, method }: Members, input: readonly string[]): string | undefined {
  if (rawBody === undefined) return undefined
  const { field, contentType } = isJsonObject(rawBody) ? rawBody : {}
  if (typeof contentType !== 'string' || !MEDIA_TYPE.test(contentType))
    return 'http.rawBody.contentType must be a media type in lower case without parameters'
  if (method === 'GET') return 'http.rawBody needs a method with a body'
  return unknownField('http.rawBody.field', [String(field)], input)
}

/** Returns the refusal of the first name that is not a field of a schema; undefined if all are. */
export function unknownField(
  member: string,
  names: readonly string[],
  fields: readonly string[],
  schema: 'input' | 'output' = 'input',
): string | undefined {
  const unknown = names.find((name) => !fields.includes(name))
  return unknown === undefined ? undefined : `${member} names "${unknown}", which is not a field of ${schema}`
}
