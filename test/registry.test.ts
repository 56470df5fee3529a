import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as z from 'zod'
import { displacedTools } from '../server/builtin-plugins.ts'
import { IN_WORDS_KEY } from '../server/contract/advanced/in-words.ts'
import type { Tool } from '../server/contract/tool.ts'
import type { RunningHost } from '../server/host.ts'
import { toolDescriptor } from '../server/mcp/descriptors.ts'
import { hostInstructions } from '../server/mcp/instructions.ts'
import { isListed } from '../server/tool-filter.ts'
import { priceOf } from '../server/tool-prices.ts'
import { unreadDeclarations } from '../server/unread-declarations.ts'
import { matchesSnapshot } from './harness/index.ts'
import { openWholeHost } from './harness/whole-host.ts'

const ROOT = join(import.meta.dirname, '..')

let host: RunningHost
before(async () => {
  host = await openWholeHost(join(ROOT, 'reports'))
})
after(() => host.stop())

function tools(): readonly { tool: Tool; plugin: string }[] {
  return host.registry.tools
}

test('a tool is in the file that is named like it', () => {
  for (const { tool, plugin } of tools()) {
    const file = join(ROOT, 'plugins', plugin, 'tools', `${tool.name.replaceAll('_', '-')}.ts`)
    assert.ok(existsSync(file), `${tool.name} belongs in ${file}`)
  }
})

test('all that a plugin of satchel declares is read, and its routes are at listeners that are opened', () => {
  for (const { plugin, instance } of host.registry.instances) {
    assert.deepEqual(unreadDeclarations(instance), [], plugin)
  }
})

test('names, titles and descriptions keep to what clients take', () => {
  for (const { tool } of tools()) {
    assert.match(tool.name, /^[a-z0-9_]{1,48}$/)
    assert.ok(tool.title.length > 0 && tool.title.length <= 60, tool.name)
    assert.ok(
      tool.description.length >= 20 && tool.description.length <= 1000,
      `${tool.name}: ${tool.description.length}`,
    )
    assert.doesNotMatch(tool.description, /[\u200b-\u200f\u202a-\u202e\u{e0000}-\u{e007f}]/u, tool.name)
  }
  assert.ok(hostInstructions(host).length <= 1900)
})

test('every input field is described, at every depth', () => {
  for (const { tool } of tools()) {
    for (const [name, schema] of Object.entries(tool.input.shape)) {
      assert.ok(describedSomewhere(schema), `${tool.name}.${name} has no description`)
    }
  }
})

test('a field that is listed in words is optional, and the description or the instructions name it', () => {
  for (const { tool } of tools()) {
    for (const [name, schema] of Object.entries(tool.input.shape)) {
      if (!z.globalRegistry.get(schema)?.[IN_WORDS_KEY]) continue
      const isNamed = new RegExp(`\\b${name}\\b`).test(
        ['project', 'output_dir'].includes(name) ? hostInstructions(host) : tool.description,
      )
      assert.ok(schema.safeParse(undefined).success, `${tool.name}.${name} is needed`)
      assert.ok(isNamed, `${tool.name} does not name ${name}`)
    }
  }
})

test('the hints agree with each other and with the REST method', () => {
  for (const { tool } of tools()) {
    const { readOnly, destructive, idempotent } = tool.annotations
    if (readOnly) assert.ok(!destructive && idempotent, `${tool.name} reads only`)
    for (const route of [tool.http ?? []].flat()) {
      if (route.method === 'GET') assert.ok(readOnly, `${tool.name} answers GET and writes`)
    }
  }
})

test('what a model sees of a tool is portable between clients', () => {
  for (const { tool } of tools()) {
    const { inputSchema, outputSchema } = toolDescriptor(tool) as {
      inputSchema: object
      outputSchema: object
    }
    const where = tool.name
    for (const word of ['oneOf', 'anyOf', 'allOf'])
      assert.ok(!(word in inputSchema), `${where} has a top-level ${word}`)
    assert.equal(Reflect.get(inputSchema, 'type'), 'object', where)
    assert.equal(Reflect.get(outputSchema, 'type'), 'object', where)
    assert.deepEqual(forbiddenWords({ inputSchema, outputSchema }), [], where)
    assert.deepEqual(unportableInputs({ inputSchema }), [], where)
    // REST takes what the specification takes; a model leaves out what it does not mean.
    if (tool.mcp !== false) assert.deepEqual(nullableInputs({ inputSchema }), [], where)
  }
})

test('a nullable input would be found at any depth', () => {
  const planted = z.toJSONSchema(z.object({ rows: z.array(z.object({ top: z.number().min(0).nullable() })) }))

  assert.deepEqual(nullableInputs({ planted }), [
    '/planted/properties/rows/items/properties/top/anyOf/1: nullable',
  ])
})

test('the example of every tool passes its own input schema', () => {
  for (const { tool } of tools()) {
    const parsed = tool.input.safeParse(tool.example)
    assert.ok(parsed.success, `${tool.name}: ${parsed.error && z.prettifyError(parsed.error)}`)
  }
})

test('no tool costs a model more than 700 tokens, and on average one costs at most 220', () => {
  const priced = tools()
    .filter(({ tool }) => tool.mcp !== false)
    .map(({ tool }) => priceOf(toolDescriptor(tool)))
  const sum = priced.reduce((total, { tokens }) => total + tokens, 0)

  for (const { name, tokens } of priced) assert.ok(tokens <= 700, `${name} costs ${tokens} tokens`)
  assert.ok(sum / priced.length <= 220, `${sum / priced.length} on average`)
})

test('what a model sees of each tool changes only in a reviewed snapshot', () => {
  for (const { tool } of tools()) {
    matchesSnapshot(join(ROOT, 'test/snapshots', `${tool.name}.json`), toolDescriptor(tool))
  }
  const stray = readdirSync(join(ROOT, 'test/snapshots')).filter(
    (file) => !tools().some(({ tool }) => `${tool.name}.json` === file),
  )
  assert.deepEqual(stray, [], 'snapshots of removed tools')
})

test('a next step in the sources is a tool there is, with fields it has, and destroys nothing', () => {
  const named = sourcesOf('plugins').flatMap((source) =>
    [...source.matchAll(/\btool: '(\w+)',\s*args: \{([^{}]*)\}/g)].map(([, name = '', args = '']) => ({
      name,
      args,
    })),
  )

  assert.ok(named.length >= 25)
  for (const { name, args } of named) {
    const tool = tools().find((one) => one.tool.name === name)?.tool
    assert.ok(tool, name)
    const fields = args.split(',').flatMap((field) => /^\s*(\w+)\s*(?::|$)/.exec(field)?.[1] ?? [])
    const onlyLooks = 'apply' in tool.input.shape && !fields.includes('apply')
    assert.ok(!tool.annotations.destructive || onlyLooks, `${name} is named as a next step and destroys`)
    for (const field of fields) assert.ok(field in tool.input.shape, `${name} has no ${field}`)
  }
})

function sourcesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(ROOT, folder, path), 'utf8'))
}

test('every export of the plugin door has a doc comment or is a type that has one', () => {
  const door = readFileSync(join(ROOT, 'server/plugin.ts'), 'utf8')
  const undocumented: string[] = []
  for (const [, names = '', file = ''] of door.matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']+)'/g)) {
    const source = readFileSync(join(ROOT, 'server', file), 'utf8')
    for (const name of names
      .split(',')
      .map((one) => one.replace(/^\s*type\s+/, '').trim())
      .filter(Boolean)) {
      const declared = new RegExp(
        `(\\*/\\n)?export (?:async )?(?:function\\*?|const|type|interface|class) ${name}\\b`,
      ).exec(source)
      if (!declared?.[1]) {
        undocumented.push(`${name} (${file})`)
      }
    }
  }
  assert.deepEqual(undocumented, [])
})

type Node = Record<string, unknown>

/** Words that one client or another refuses anywhere in a schema. */
function forbiddenWords(schemas: object): string[] {
  const words = ['$ref', '$defs', '$schema', 'x-mcp-header']
  return nodesOf(schemas).flatMap(([path, node]) =>
    Object.keys(node)
      .filter((key) => words.includes(key) || key.startsWith('x-satchel'))
      .map((key) => `${path}: ${key}`),
  )
}

/** Inputs are stricter: no type arrays, and property names that every model API takes. */
function unportableInputs(schemas: object): string[] {
  return nodesOf(schemas).flatMap(([path, node]) => {
    const names = Object.keys((node['properties'] as object | undefined) ?? {})
    const odd = names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))
    return [...(Array.isArray(node['type']) ? [`${path}: type array`] : []), ...odd]
  })
}

function nullableInputs(schemas: object): string[] {
  return nodesOf(schemas).flatMap(([path, node]) => (node['type'] === 'null' ? [`${path}: nullable`] : []))
}

function nodesOf(value: unknown, path = ''): [string, Node][] {
  if (typeof value !== 'object' || value === null) return []
  const children = Object.entries(value).flatMap(([key, child]) => nodesOf(child, `${path}/${key}`))
  return Array.isArray(value) ? children : [[path, value as Node], ...children]
}

function describedSomewhere(schema: unknown): boolean {
  const like = schema as { description?: string; def?: { innerType?: unknown } }
  return (
    like.description !== undefined ||
    (like.def?.innerType !== undefined && describedSomewhere(like.def.innerType))
  )
}

// quality, section 2
const PROFILE_BUDGETS = [
  { profile: 'core', withRoom: false, budget: 2000 },
  { profile: 'standard', withRoom: false, budget: 4000 },
  { profile: 'core', withRoom: true, budget: 2438 },
  { profile: 'standard', withRoom: true, budget: 4000 },
] as const

for (const { profile, withRoom, budget } of PROFILE_BUDGETS) {
  const where = withRoom ? 'with a room' : 'without a room'
  test(`the tools of the profile ${profile} cost a model at most ${budget} tokens ${where}`, () => {
    const displaced = displacedTools({ mentions: () => withRoom })
    const filter = { profile, readOnly: false, include: [], exclude: [], displaced }
    const listed = tools().filter(
      ({ plugin, tool }) =>
        (withRoom || plugin !== 'workspace') &&
        tool.mcp !== false &&
        isListed({ ...tool, readOnly: tool.annotations.readOnly }, filter),
    )
    const sum = listed.reduce((total, { tool }) => total + priceOf(toolDescriptor(tool)).tokens, 0)

    assert.ok(listed.length > 5 && listed.length <= 25, `${listed.length} tools`)
    assert.ok(sum <= budget, `${sum} tokens`)
  })
}
