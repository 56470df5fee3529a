import type * as z from 'zod'
import { ERROR_CODES } from './contract/errors.ts'
import { isJsonObject } from './platform/json-object.ts'
import { isPath, PATH_RULE } from './route-shape.ts'
import { shapeOf } from './schema-shape.ts'
import { unlistableType } from './unlistable-type.ts'
import { typingFault, VERB } from './verb-shape.ts'

type Members = Readonly<Record<string, unknown>>

/** What a member must be, and the sentence that says so. */
interface Rule {
  readonly must: string
  holds(value: unknown): boolean
}

/** A list of declarations: how one is named in messages, and the rule of each member. */
interface Part {
  readonly one: string
  /** The member by which a message names a declaration. */
  readonly named: string
  readonly members: Readonly<Record<string, Rule>>
}

/** Of a kind of evidence, and of what a searcher finds. */
const KIND_NAME = /^[a-z][a-z0-9_]{1,39}$/
const URI = /^[a-z][a-z0-9+.-]*:[^\s{}]*(\{\w+\}[^\s{}]*)*$/i
const GUARDS: readonly unknown[] = ['open', 'bearer', 'cookie', 'bearer-or-cookie', 'socket']
const ROUTE_METHODS: readonly unknown[] = ['GET', 'POST', 'DELETE']

const text: Rule = { must: 'must be a text', holds: (value) => typeof value === 'string' && value !== '' }
const truth: Rule = { must: 'must be true or false', holds: (value) => typeof value === 'boolean' }
const code: Rule = { must: 'must be a function', holds: (value) => typeof value === 'function' }
const zodObject: Rule = { must: 'must be a zod object', holds: (value) => shapeOf(value) !== undefined }
const texts: Rule = {
  must: 'must be a list of texts',
  holds: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
}
const path: Rule = { must: PATH_RULE, holds: isPath }
const guard: Rule = { must: `must be one of ${GUARDS.join(', ')}`, holds: (value) => GUARDS.includes(value) }
const kindName: Rule = {
  must: 'must be a-z, 0-9 and _',
  holds: (value) => typeof value === 'string' && KIND_NAME.test(value),
}
const promptArguments: Rule = {
  must: 'must be a list of { name, description, required }',
  holds: (value) =>
    Array.isArray(value) &&
    value.every(
      (one) =>
        isJsonObject(one) &&
        text.holds(one['name']) &&
        typeof one['description'] === 'string' &&
        optional(truth).holds(one['required']) &&
        optional(code).holds(one['complete']),
    ),
}

function optional({ must, holds }: Rule): Rule {
  return { must, holds: (value) => value === undefined || holds(value) }
}

const PARTS: Readonly<Record<string, Part>> = {
  resources: {
    one: 'resource',
    named: 'uri',
    members: {
      uri: {
        must: 'must be a URI with a scheme; a variable is {name}',
        holds: (value) => typeof value === 'string' && URI.test(value),
      },
      name: text,
      title: text,
      description: text,
      mimeType: text,
      subscribable: truth,
      read: code,
      exists: optional(code),
      list: optional(code),
      complete: optional(code),
    },
  },
  prompts: {
    one: 'prompt',
    named: 'name',
    members: {
      name: text,
      title: text,
      description: text,
      arguments: optional(promptArguments),
      render: code,
    },
  },
  streams: {
    one: 'stream',
    named: 'name',
    members: { name: text, path, listeners: texts, guard, check: optional(code), open: code },
  },
  routes: {
    one: 'route',
    named: 'path',
    members: {
      method: {
        must: `must be one of ${ROUTE_METHODS.join(', ')}`,
        holds: (value) => ROUTE_METHODS.includes(value),
      },
      path,
      listeners: texts,
      guard,
      document: optional({
        must: 'must have an operationId and a summary; its body and answer are zod objects',
        holds: (value) =>
          isJsonObject(value) &&
          text.holds(value['operationId']) &&
          text.holds(value['summary']) &&
          [value['body'], value['answer']].every((schema) => optional(zodObject).holds(schema)),
      }),
      handle: code,
    },
  },
  commands: {
    one: 'command',
    named: 'cli',
    members: {
      cli: {
        must: 'must be one or two words of a-z, 0-9 and -',
        holds: (value) => typeof value === 'string' && VERB.test(value),
      },
      title: text,
      description: text,
      positional: optional(texts),
      input: zodObject,
      example: text,
      run: code,
    },
  },
  listeners: {
    one: 'listener',
    named: 'name',
    members: {
      name: text,
      at: { must: 'must be { host, port } or { socket }', holds: isJsonObject },
      mcp: truth,
    },
  },
  evidence: {
    one: 'evidence',
    named: 'name',
    members: { name: kindName, takes: text, capture: code, verify: code, describe: code },
  },
  searchers: { one: 'searcher', named: 'kind', members: { kind: kindName, search: code } },
}

/** Members of the result of `setup` other than lists. */
const SINGLE: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    ['authenticate', 'doctor', 'measurements', 'served', 'start', 'stop', 'stores'].map((name) => [
      name,
      optional(code),
    ]),
  ),
  howToJoin: optional(text),
  tasks: optional({
    must: 'must have get, update and cancel functions',
    holds: (value) =>
      isJsonObject(value) && ['get', 'update', 'cancel'].every((name) => code.holds(value[name])),
  }),
  refusals: optional({
    must: `must be a table of defineRefusals with the codes ${ERROR_CODES.join(', ')}`,
    holds: (value) => isJsonObject(value) && Object.values(value).every(isRefusal),
  }),
}

/** The members of the result of `setup`; two of them are of the wire and of the database, and are not checked here. */
export const DECLARATIONS: readonly string[] = [
  'tools',
  ...Object.keys(PARTS),
  ...Object.keys(SINGLE),
  'database',
  'remote',
]

/** Returns what is wrong with the declarations other than tools, each naming part and member. */
export function declarationFaults(instance: Members): readonly string[] {
  const single = Object.entries(SINGLE).filter(([name, { holds }]) => !holds(instance[name]))
  const lists = Object.entries(PARTS).flatMap(([name, part]) => {
    const list = instance[name] ?? []
    return Array.isArray(list) ? entryFaults(list, part) : [`${name} must be a list`]
  })
  return [...single.map(([name, { must }]) => `${name} ${must}`), ...lists]
}

function entryFaults(list: readonly unknown[], part: Part): readonly string[] {
  return list.flatMap((one, index) => {
    const faults = isJsonObject(one) ? memberFaults(one, part) : ['is not an object']
    return faults.map((fault) => `${part.one} ${shownName(one, part.named, index)}: ${fault}`)
  })
}

/** Returns how a message names a declaration: its name, or its place in the list. */
export function shownName(one: unknown, named: string, index: number): string {
  const name = isJsonObject(one) ? one[named] : undefined
  return typeof name === 'string' && name !== '' ? JSON.stringify(name.slice(0, 60)) : String(index)
}

/** Returns which field of a schema has no JSON Schema; undefined if a client can be told all of it. */
export function listingFault(schema: unknown, io: 'input' | 'output'): string | undefined {
  const found = unlistableType(schema as z.ZodType, io) // found to be a zod object before
  return found && `${found.path} has no JSON Schema (${found.fault}): use a type that JSON has`
}

function memberFaults(one: Members, { members }: Part): readonly string[] {
  const wrong = Object.entries(members).filter(([name, { holds }]) => !holds(one[name]))
  if (wrong.length > 0) return wrong.map(([name, { must }]) => `${name} ${must}`)
  const typing =
    one['cli'] === undefined ? undefined : typingFault('', one, Object.keys(shapeOf(one['input']) ?? {}))
  const { body, answer } = isJsonObject(one['document']) ? one['document'] : {}
  const faults = [typing, body && listingFault(body, 'input'), answer && listingFault(answer, 'output')]
  return faults.filter((fault) => typeof fault === 'string')
}

function isRefusal(value: unknown): boolean {
  const row: unknown = typeof value === 'function' && 'row' in value ? value.row : undefined
  if (!isJsonObject(row)) return false
  return (ERROR_CODES as readonly unknown[]).includes(row['code']) && typeof row['message'] === 'string'
}
