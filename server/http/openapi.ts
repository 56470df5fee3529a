import * as z from 'zod'
import type { OwnedTool } from '../call.ts'
import type { HttpRoute } from '../contract/tool.ts'
import { type ComponentSchemas, createComponentSchemas } from './component-schemas.ts'
import type { Endpoint, HttpOptions } from './exchange.ts'
import { createRefusedResponses, type RefusalTable, type RefusedResponses } from './refused-responses.ts'

type Json = Record<string, unknown>

/** A route of a tool in the document. */
export interface ToolRoute {
  readonly owned: OwnedTool
  readonly route: HttpRoute
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['title', 'status', 'detail', 'code', 'reason'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong and the next safe step.' },
    code: { type: 'string', description: 'One of a closed list of codes.' },
    reason: { type: 'string', description: 'Stable, fine-grained, snake_case.' },
    details: { type: 'object' },
    next: { type: 'object', description: 'A tool call that is safe to make next.' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

/** The declarations that a document describes. */
export interface Documented {
  readonly toolRoutes: readonly ToolRoute[]
  readonly others: readonly Endpoint[]
  /** The refusals that a plugin declares; empty for other owners. */
  refusalsOf(owner: string): RefusalTable
}

/** What the operations of a document share. */
interface Shared {
  readonly components: ComponentSchemas
  readonly refused: RefusedResponses
}

/** Builds the OpenAPI 3.1 document of a listener from the declarations of its tools and its other endpoints. */
export function openApiDocument(
  { toolRoutes, others, refusalsOf }: Documented,
  { version, description }: Pick<HttpOptions, 'version' | 'description'>,
): Json {
  const shared: Shared = { components: createComponentSchemas(), refused: createRefusedResponses(refusalsOf) }
  const paths: Record<string, Json> = {}
  const add = (path: string, method: string, operation: Json): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const endpoint of others) {
    // A route on the owner's socket is not reachable at this listener.
    if (endpoint.guard !== 'socket') add(endpoint.path, endpoint.method, otherOperation(endpoint, shared))
  }
  const used = new Map<string, number>()
  for (const { owned, route } of toolRoutes) {
    const count = (used.get(owned.tool.name) ?? 0) + 1
    used.set(owned.tool.name, count)
    add(route.path, route.method, toolOperation(owned, { route, count, ...shared }))
  }
  return {
    openapi: '3.1.1',
    info: { title: 'satchel', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '.' }],
    security: [{}, { bearer: [] }],
    tags: tagsOf(toolRoutes, others),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...shared.components.all, Problem: PROBLEM_SCHEMA },
      responses: {
        ...shared.refused.all,
        Problem: {
          description: 'The request failed.',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  }
}

/** Lists plugins first, the host last. */
function tagsOf(toolRoutes: readonly ToolRoute[], others: readonly Endpoint[]): Json[] {
  const names = new Set([...toolRoutes.map(({ owned }) => owned.plugin), ...others.map(({ owner }) => owner)])
  names.delete('host')
  return [
    ...[...names].map((name) => ({ name, description: `Declared by the plugin ${name}.` })),
    { name: 'host', description: 'Served by satchel itself.' },
  ]
}

function otherOperation(endpoint: Endpoint, { components, refused }: Shared): Json {
  const { method, path, owner, summary, streams, operation = {} } = endpoint
  const type = streams ? 'text/event-stream' : (operation.mediaType ?? 'application/json')
  const answer = operation.answer && { schema: listedSchema(operation.answer, 'output', components) }
  const text = type === 'application/json' ? {} : { schema: { type: 'string' } }
  return {
    tags: [owner],
    operationId: operation.id ?? idOf(method, path),
    summary,
    parameters: [
      ...pathNames(path).map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...(operation.parameters ?? []),
    ],
    ...(operation.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: knownFields(operation.body, components) } },
      },
    }),
    responses: {
      200: {
        description: streams ? 'A stream of server-sent events.' : 'Done.',
        content: { [type]: answer ?? text },
      },
      ...refused.of({ owner, isTool: false, takesBody: method !== 'GET' }),
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

/** Returns an id such as `get-workspace-room`; the hyphen distinguishes it from the names of tools. */
function idOf(method: string, path: string): string {
  return [method.toLowerCase(), ...path.split(/[^A-Za-z0-9]+/).filter((part) => part !== '')].join('-')
}

/** A route other than a tool ignores unknown members. */
function knownFields(schema: z.ZodObject, components: ComponentSchemas): Json {
  return components.embed(z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }))
}

const ENTITY_TAG = { description: 'The version of what is answered.', schema: { type: 'string' } }
const IF_NONE_MATCH = {
  name: 'if-none-match',
  in: 'header',
  required: false,
  description: 'an ETag of an earlier answer: 304 while it is still so',
  schema: { type: 'string' },
}

function isRevalidated({ method, etag }: HttpRoute): boolean {
  return method === 'GET' && etag !== undefined
}

interface Shown extends Shared {
  readonly route: HttpRoute
  /** The position of the route in its tool, from 1. */
  readonly count: number
}

function toolOperation({ tool, plugin }: OwnedTool, { route, count, components, refused }: Shown): Json {
  const input = listedSchema(tool.input, 'input', components)
  const inPath = pathNames(route.path)
  const fromHeader = Object.values(route.headers ?? {})
  const takesBody = route.method !== 'GET' && route.method !== 'DELETE'
  return {
    tags: [plugin],
    operationId: count === 1 ? tool.name : `${tool.name}_${count}`,
    summary: tool.title,
    description: tool.description,
    parameters: [
      ...parameters(input, inPath, 'path'),
      ...(takesBody ? [] : parameters(input, queryNames(input, [...inPath, ...fromHeader]), 'query')),
      ...headerParameters(input, route),
      ...(isRevalidated(route) ? [IF_NONE_MATCH] : []),
    ],
    ...(takesBody && { requestBody: requestBody(input, { tool, plugin }, route) }),
    responses: {
      200: {
        description: tool.title,
        ...(route.etag !== undefined && { headers: { ETag: ENTITY_TAG } }),
        content: { 'application/json': { schema: listedSchema(tool.output, 'output', components) } },
      },
      ...(isRevalidated(route) && {
        304: { description: 'What If-None-Match names is still so.', headers: { ETag: ENTITY_TAG } },
      }),
      ...refused.of({ owner: plugin, isTool: true, takesBody }),
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

function requestBody(input: Json, { tool }: OwnedTool, route: HttpRoute): Json {
  const { rawBody } = route
  const schema = withoutFields(input, [...pathNames(route.path), ...Object.values(route.headers ?? {})])
  const example = Object.fromEntries(
    Object.entries(tool.example).filter(([name]) => Object.hasOwn(propertiesOf(schema), name)),
  )
  return {
    required: true,
    content: {
      'application/json': { schema, example },
      ...(rawBody && { [rawBody.contentType]: { schema: { type: 'string' } } }),
    },
  }
}

function parameters(input: Json, names: readonly string[], place: 'path' | 'query'): Json[] {
  const required = requiredOf(input)
  return names.map((name) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...described(propertiesOf(input)[name]),
  }))
}

function headerParameters(input: Json, { headers = {} }: HttpRoute): Json[] {
  const required = requiredOf(input)
  return Object.entries(headers).map(([header, field]) => ({
    name: header,
    in: 'header',
    required: required.includes(field),
    'x-field': field,
    ...described(propertiesOf(input)[field]),
  }))
}

/** Describes an object in the query as one JSON text; without `content` readers would expand its fields. */
function described(schema: unknown): Json {
  const { description, ...rest } = (schema ?? { type: 'string' }) as Json // zod's schema of a field
  const isObject = rest['type'] === 'object'
  return {
    ...(typeof description === 'string' && { description }),
    ...(isObject ? { content: { 'application/json': { schema: rest } } } : { schema: rest }),
  }
}

function queryNames(input: Json, taken: readonly string[]): string[] {
  return Object.keys(propertiesOf(input)).filter((name) => !taken.includes(name))
}

function withoutFields(schema: Json, names: readonly string[]): Json {
  const required = requiredOf(schema).filter((name) => !names.includes(name))
  const { required: _, ...rest } = schema
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name)),
    ),
    ...(required.length > 0 && { required }),
  }
}

function propertiesOf(schema: Json): Json {
  return (schema['properties'] ?? {}) as Json // JSON Schema of an object, printed by zod
}

function requiredOf(schema: Json): readonly string[] {
  return (schema['required'] ?? []) as string[] // JSON Schema of an object, printed by zod
}

function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))
}

/** Returns the JSON Schema for readers. The top level of an input refuses unknown fields. */
function listedSchema(schema: z.ZodObject, io: 'input' | 'output', components: ComponentSchemas): Json {
  const listed = components.embed(z.toJSONSchema(schema, { io, target: 'draft-2020-12' }))
  return io === 'input' ? { ...listed, additionalProperties: false } : listed
}
