import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import * as z from 'zod'
import { BUILTIN_PLUGINS } from '../../server/builtin-plugins.ts'
import type { RefusalRow } from '../../server/contract/refusals.ts'
import { toolDescriptor } from '../../server/mcp/descriptors.ts'
import { refusals as pathRefusals } from '../../server/platform/refusals.ts'
import { definePlugin, defineTool, type Plugin, SatchelError } from '../../server/plugin.ts'
import { refusals as hostRefusals } from '../../server/refusals.ts'
import { type OpenDoor, openDoors, openHost, type TestHost } from '../harness/index.ts'
import { createInputs, randomFrom } from './inputs.ts'

/** As many at each door in `npm run check:long`, where the seed is another one in each run. */
const CALLS = Number(process.env['ATTACK_CALLS'] ?? 150)
const SEED = Number(process.env['SEED'] ?? 20_261)
/** REST has a test of its own, which also makes requests that no call can express. */
const DOORS = ['stdio', 'streamable-http', 'cli']

type Table = Readonly<Record<string, { readonly row: RefusalRow }>>

/** The refusals that a tool may give: its plugin's, and the host's. */
function documentedFor({ host }: TestHost, tool: string): ReadonlySet<string> {
  const plugin = host.registry.tool(tool)?.plugin ?? ''
  const tables: Table[] = [hostRefusals, pathRefusals, host.registry.refusalsOf(plugin)]
  const rows = tables.flatMap((table) => Object.entries(table))
  return new Set(rows.map(([name, { row }]) => `${row.code} ${row.reason ?? name}`))
}

/** Calls tools with values made from their schemas; returns what is wrong with the outcomes, and how many were good. */
async function attack(opened: TestHost, door: OpenDoor, wants = (_tool: string) => true) {
  const tools = opened.host.registry.tools.filter(({ tool }) => door.serves(tool.name) && wants(tool.name))
  const random = randomFrom(SEED)
  const faults: string[] = []
  const counts = { good: 0, refused: 0 }
  for (let made = 0; made < CALLS; made++) {
    const { tool } = tools[Math.floor(random() * tools.length)] ?? assert.fail('no tool is served')
    const { inputSchema } = toolDescriptor(tool)
    const inputs = createInputs(random, inputSchema as Readonly<Record<string, unknown>>)
    const input = inputs.made(inputSchema) as Readonly<Record<string, unknown>> // or what no client should send
    const fault = await faultOf(opened, door, { tool: tool.name, input, counts })
    if (fault !== undefined)
      faults.push(`${fault} <- ${tool.name} ${JSON.stringify(input)?.slice(0, 20_000)}`)
  }
  return { faults, counts }
}

interface Call {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly counts: { good: number; refused: number }
}

async function faultOf(
  opened: TestHost,
  door: OpenDoor,
  { tool, input, counts }: Call,
): Promise<string | undefined> {
  // Arguments that are not an object are refused by the protocol, before any tool.
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined
  const outcome = await door.call(tool, input)
  if (outcome.ok) {
    counts.good++
    return undefined
  }
  counts.refused++
  const told = `${outcome.error.code} ${outcome.error.reason}`
  if (outcome.error.code === 'internal') return `${told}: ${JSON.stringify(outcome.error)}`
  return documentedFor(opened, tool).has(told) ? undefined : `${told} is not documented`
}

async function eachDoor(t: TestContext, opened: TestHost, work: (door: OpenDoor) => Promise<void>) {
  const doors = (await openDoors(t, opened)).filter(({ name }) => DOORS.includes(name))
  assert.equal(doors.length, DOORS.length)
  for (const door of doors) await work(door)
}

test('no call that a tool schema allows, or nearly allows, has an internal error or an undocumented refusal, at any door', async (t) => {
  const opened = await openHost(t, { plugins: await builtinPlugins() })

  await eachDoor(t, opened, async (door) => {
    const { faults, counts } = await attack(opened, door)

    t.diagnostic(`seed ${SEED}, ${door.name}: ${JSON.stringify(counts)}`)
    assert.deepEqual(faults.slice(0, 5), [], door.name)
    assert.ok(counts.good > 0 && counts.refused > 0, `${door.name}: both kinds of calls were made`)
  })
})

const planted = definePlugin({
  name: 'planted',
  version: '1.0.0',
  apiVersion: 1,
  config: z.object({}),
  setup: async () => ({
    tools: [
      defineTool({
        name: 'planted_tool',
        title: 'Planted',
        description: 'Fails for some texts.',
        profile: 'core',
        input: z.object({ text: z.string().describe('any') }),
        output: z.object({}),
        annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
        cli: { verb: 'planted' },
        example: { text: 'a' },
        async handler(_ctx, { text }) {
          if (text.includes('/')) throw new TypeError('planted')
          if (text.includes('a')) throw new SatchelError('conflict', 'planted_reason', 'Planted.')
          return {}
        },
        headline: () => '',
      }),
    ],
  }),
})

test('faults that are planted in one tool are found at every door', async (t) => {
  const opened = await openHost(t, { plugins: [planted] })

  await eachDoor(t, opened, async (door) => {
    const { faults } = await attack(opened, door)

    assert.ok(
      faults.some((fault) => fault.startsWith('internal ')),
      door.name,
    )
    assert.ok(
      faults.includes('conflict planted_reason is not documented <- planted_tool {"text":"a"}'),
      door.name,
    )
  })
})

async function builtinPlugins(): Promise<Plugin[]> {
  return Promise.all(BUILTIN_PLUGINS.map(async ({ load }) => load()))
}
