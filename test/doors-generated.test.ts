import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import * as z from 'zod'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import type { Tool } from '../server/contract/tool.ts'
import { type OpenDoor, type Outcome, openDoors, openHost } from './harness/index.ts'
import { startPostgres } from './postgres-server.ts'

const SEED = Number(process.env['SEED'] ?? 20_260)
const RUNS = Number(process.env['RUNS'] ?? 12)

type Schema = Readonly<Record<string, unknown>>
type Input = Record<string, unknown>

// No path that leaves the project: a person who types may name any, a caller may not.
const TEXTS = [
  'a',
  'latest',
  'two words',
  '-1',
  '--json',
  'null',
  '[1]',
  'true',
  "it's",
  'ünïcödé ✓',

  '%2F',
  'a=b&c',
]

/** Values inside a schema, at its edge and outside it. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const fixed = schema['enum']
  if (Array.isArray(fixed)) return fc.constantFrom(...fixed, 'no_such_value')
  if (schema['type'] === 'boolean') return fc.boolean()
  if (schema['type'] === 'integer' || schema['type'] === 'number') {
    const [least, most] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 9)]
    return fc.constantFrom(least - 1, least, most, most + 1)
  }
  if (schema['type'] === 'array')
    return fc.array(valuesOf((schema['items'] ?? {}) as Schema), { minLength: 1, maxLength: 2 })
  if (schema['type'] === 'object') return fc.constantFrom({}, { stray: 1 })
  return fc.constantFrom(...TEXTS)
}

/** Inputs of a tool: each field there or not, and now and then an unknown one. */
function inputsOf(tool: Tool): fc.Arbitrary<Input> {
  const { properties = {} } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' })
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, valuesOf(schema as Schema)] as const,
  )
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: addressing(tool).filter((name) => name in properties),
  })
}

/** Fields without which there is no address to call, and no command to type. */
function addressing(tool: Tool): string[] {
  const inPath = [tool.http ?? []]
    .flat()
    .flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
  const typed = [tool.cli ?? []]
    .flat()
    .flatMap(({ positional = [] }) => positional.filter((name) => /^\w+$/.test(name)))
  return [...new Set([...inPath, ...typed])]
}

/** What a caller may rely on: the data, or code and reason. What differs between any two calls is left out. */
function essence(outcome: Outcome): unknown {
  const text = JSON.stringify(outcome.ok ? outcome.data : [outcome.error.code, outcome.error.reason])
  const plain = text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/"(duration_ms|took_ms)":[\d.]+/g, '"$1":0')
    .replace(/<<<untrusted-[0-9a-f]{16} [^\n\\]*\\n(.*?)\\nuntrusted-[0-9a-f]{16}>>>/gs, '$1')
  return JSON.parse(plain)
}

async function sameEverywhere(doors: readonly OpenDoor[], tool: string, input: Input): Promise<void> {
  let first: unknown
  for (const door of doors.filter((one) => one.serves(tool))) {
    const outcome = await door.call(tool, input)
    const here = essence(outcome)
    first ??= here
    assert.deepEqual(here, first, `${tool} at ${door.name} with ${JSON.stringify(input)}`)
    if (door.name === 'stdio') await followNext(door, outcome)
  }
}

/** What an error advises can be done: its call is well-formed, and ends well or with another refusal than of its form. */
async function followNext(door: OpenDoor, outcome: Outcome): Promise<void> {
  const next = outcome.ok ? undefined : outcome.error.next
  if (!next) return
  const followed = await door.call(next.tool, next.args)
  assert.ok(
    followed.ok || followed.error.code !== 'invalid',
    `${JSON.stringify(next)}: ${JSON.stringify(followed)}`,
  )
}

/** Asks every door of a host; with an address, one whose records are in that database. */
async function compareDoors(t: TestContext, numRuns: number, databaseUrl?: string): Promise<void> {
  const plugins = await Promise.all(
    BUILTIN_PLUGINS.filter(({ name }) => name !== 'workspace').map(({ load }) => load()),
  )
  // A project without a repository needs a name in a database.
  const named = plugins.map((plugin) => ({
    plugin,
    settings: plugin.name === 'handoff' && databaseUrl !== undefined ? { project: 'shop' } : {},
  }))
  const opened = await openHost(t, { plugins: named, ...(databaseUrl !== undefined && { databaseUrl }) })
  await opened.host.database?.migrate()
  const doors = await openDoors(t, opened)
  await opened.call('handoff_create', opened.host.registry.tool('handoff_create')?.tool.example)
  const tools = opened.host.registry.tools
    .map(({ tool }) => tool)
    .filter(({ annotations }) => annotations.readOnly && !annotations.openWorld)

  assert.ok(tools.length >= 15)
  for (const tool of tools) {
    await fc.assert(
      fc.asyncProperty(inputsOf(tool), (input) => sameEverywhere(doors, tool.name, input)),
      { seed: SEED, numRuns },
    )
  }
}

test(`generated inputs give the same answer at every door (seed ${SEED})`, (t) => compareDoors(t, RUNS))

test(`they do where records are in a database (seed ${SEED})`, async (t) => {
  const server = await startPostgres(t)
  if (server) await compareDoors(t, Math.ceil(RUNS / 4), server.url)
})
