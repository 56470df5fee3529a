import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Channel } from '../server/answer/bounds.ts'
import type { Tool } from '../server/contract/tool.ts'
import { type JsonSchema, jsonSchemaOf } from '../server/json-schema.ts'
import { createCatalog, type OfferedTool } from '../server/mcp/descriptors.ts'
import { pageCallIn } from '../server/mcp/page-call.ts'
import { type ToolAnswer, toolAnswer } from '../server/mcp/tool-answer.ts'
import { givenTo, tokensOf } from './harness/reader-pages.ts'
import { openWholeHost } from './harness/whole-host.ts'

const folder = await mkdtemp(join(tmpdir(), 'satchel-answers-'))
const host = await openWholeHost(folder)
after(async () => {
  await host.stop()
  await rm(folder, { recursive: true, force: true })
})
const catalog = createCatalog(host)
const offered = host.registry.tools
  .map(({ tool }) => catalog.tool(tool.name))
  .filter((each): each is OfferedTool => each !== undefined)

/** A value of the data: its path, without the numbers of entries, and what it says. */
interface Leaf {
  readonly path: readonly string[]
  readonly value: string
}

/**
 * An answer with every member that an output schema has, each with a value of its own, so that a value found in a text
 * can only come from that member. Lists have `entries` entries.
 */
function fullAnswer(schema: JsonSchema, entries: number): Record<string, unknown> {
  let last = 0
  const byType: Readonly<Record<string, (at: JsonSchema) => unknown>> = {
    array: (at) => Array.from({ length: entries }, () => made(at['items'] ?? {})),
    object: (at) => objectOf(at),
    boolean: () => true,
    integer: () => 100_000 + last++,
    number: () => 100_000 + last++,
  }
  const made = (given: unknown): unknown => {
    const at = given as JsonSchema // a JSON Schema that zod printed
    if (Array.isArray(at['enum'])) return at['enum'][0]
    if ('const' in at) return at['const']
    const alternatives = [at['anyOf'] ?? at['oneOf'] ?? []].flat() as JsonSchema[] // as zod prints unions
    const alternative = alternatives.find((each) => each['type'] !== 'null')
    if (alternative) return made(alternative)
    const type = [at['type']].flat().find((each) => each !== 'null')
    return byType[String(type)]?.(at) ?? `value-${String(last++).padStart(6, '0')}-end`
  }
  const objectOf = (at: JsonSchema): Record<string, unknown> => {
    const named = Object.entries((at['properties'] ?? {}) as JsonSchema)
    const others = at['additionalProperties']
    const isOpen = typeof others === 'object' && others !== null
    return Object.fromEntries([
      ...named.map(([name, member]) => [name, made(member)]),
      ...(isOpen ? [[`member-${last++}`, made(others)]] : []),
    ])
  }
  return objectOf(schema)
}

function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((entry) => leavesOf(entry, [...path, '*']))
  if (typeof value !== 'object' || value === null) return [{ path, value: String(value) }]
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
}

/** The text of a tool may leave out what it declares, with a reason. */
function isOmitted({ omits = {} }: Tool, { path }: Leaf): boolean {
  return Object.keys(omits).some((pattern) => {
    const tokens = tokensIn(pattern)
    return tokens.length <= path.length && isAlong(tokens, path)
  })
}

function tokensIn(pattern: string): string[] {
  return pattern.split('/').slice(1)
}

function isAlong(tokens: readonly string[], path: readonly string[]): boolean {
  return tokens.every((token, at) => token === '*' || at >= path.length || token === path[at])
}

/** Where a path enters an object whose members the schema does not name, such as the summary of a module. */
function openAt(path: readonly string[]): number {
  const at = path.findIndex((name) => name.startsWith('member-'))
  return at < 0 ? path.length : at
}

/** The name of a member; for the tool of a step that of the step, which is printed as a call. */
function nameOf({ path }: Leaf): string {
  const [last = '', before] = path.filter((token) => token !== '*').reverse()
  return last === 'tool' && (before === 'next' || before === 'open') ? before : last
}

/** The pages of an answer for a client whose model sees one channel. */
function pagesFor(
  tool: OfferedTool,
  data: Record<string, unknown>,
  channel: Channel,
  maxTokens: number,
): ToolAnswer[] {
  const pages: ToolAnswer[] = []
  for (let args: Record<string, unknown> = {}; ; ) {
    const page = toolAnswer(tool, data, pageCallIn(tool.owned.tool, args), { channel, maxTokens })
    pages.push(page)
    const next = (page.data['page'] as { next?: { args: Record<string, unknown> } } | undefined)?.next
    if (!next) return pages
    args = next.args
  }
}

/** What the data of a full answer says and a reader of one channel is not given by `rendering`, the tool itself by default. */
function missingFor(
  tool: OfferedTool,
  channel: 'text' | 'data',
  entries: number,
  maxTokens: number,
  rendering = tool,
): string[] {
  const data = fullAnswer(jsonSchemaOf(tool.owned.tool.output, 'output'), entries)
  const given = pagesFor(rendering, data, channel, maxTokens)
    .map((page) => givenTo(channel, page))
    .join('\n')
  return leavesOf(data)
    .filter((leaf) => channel === 'data' || !isOmitted(tool.owned.tool, leaf))
    .filter((leaf) => !given.includes(leaf.value) || !given.includes(nameOf(leaf)))
    .map(({ path }) => `${tool.owned.tool.name}/${path.join('/')}`)
}

test('what the data of any tool can say, its text says, but for declared omissions', () => {
  assert.ok(offered.length >= 55, `${offered.length} tools`)
  assert.deepEqual(
    offered.flatMap((tool) => missingFor(tool, 'text', 2, 4000)),
    [],
  )
})

test('a reader of the data alone is given every member of every answer', () => {
  assert.deepEqual(
    offered.flatMap((tool) => missingFor(tool, 'data', 2, 4000)),
    [],
  )
})

for (const channel of ['text', 'data'] as const)
  test(`over all pages of ${channel} nothing of a long answer is missing, and no page exceeds the bound`, () => {
    for (const tool of offered.filter(({ owned }) => owned.tool.annotations.readOnly)) {
      const schema = jsonSchemaOf(tool.owned.tool.output, 'output')
      // A tool with lists in lists has as many leaves with fewer entries.
      const entries = [40, 12, 6].find((count) => leavesOf(fullAnswer(schema, count)).length <= 4000)
      assert.ok(entries, tool.owned.tool.name)
      const data = fullAnswer(schema, entries)
      const pages = pagesFor(tool, data, channel, 2000)
      const sizes = pages.map((page) => tokensOf(givenTo(channel, page)))
      assert.ok(Math.max(...sizes) <= 2000, `${tool.owned.tool.name}: ${Math.max(...sizes)} tokens`)
      assert.deepEqual(missingFor(tool, channel, entries, 2000), [])
    }
  })

test('a headline is one line, and every omission exists and has a reason', () => {
  for (const { owned } of offered) {
    const data = fullAnswer(jsonSchemaOf(owned.tool.output, 'output'), 2)
    assert.doesNotMatch(owned.tool.headline(data as never), /\n/, owned.tool.name)
    const leaves = leavesOf(data)
    for (const [pattern, reason] of Object.entries(owned.tool.omits ?? {})) {
      assert.ok(reason.length >= 5, `${owned.tool.name} ${pattern}`)
      assert.ok(
        leaves.some(({ path }) => isAlong(tokensIn(pattern), path.slice(0, openAt(path)))),
        `${owned.tool.name} has no ${pattern}`,
      )
    }
  }
})

test('a text that leaves out a member without saying so is found', () => {
  for (const name of ['get_module', 'handoff_get', 'workspace_read', 'search_modules']) {
    const tool = catalog.tool(name)
    assert.ok(tool)
    const members = Object.keys(fullAnswer(jsonSchemaOf(tool.owned.tool.output, 'output'), 1))
    const member = members.findLast((each) => !(`/${each}` in (tool.owned.tool.omits ?? {})))
    const omits = { ...tool.owned.tool.omits, [`/${member}`]: 'dropped by the test' }
    const dropping = { ...tool, owned: { ...tool.owned, tool: { ...tool.owned.tool, omits } } }

    const missing = missingFor(tool, 'text', 2, 4000, dropping)

    assert.ok(missing.length > 0, name)
    assert.ok(
      missing.every((path) => path.startsWith(`${name}/${member}`)),
      missing.join(),
    )
  }
})
