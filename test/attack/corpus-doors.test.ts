import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILTIN_PLUGINS } from '../../server/builtin-plugins.ts'
import type { RunningHost } from '../../server/host.ts'
import { type OpenDoor, openDoors, openHost } from '../harness/index.ts'
import { VALUE_CASES, type ValueCase } from './corpus/values.ts'
import { createSlowest } from './slowest.ts'

test('no input of the corpus has an internal error at any door that has its tool', async (t) => {
  const plugins = await Promise.all(BUILTIN_PLUGINS.map(({ load }) => load()))
  const opened = await openHost(t, { plugins })
  const slowest = createSlowest()
  const faults: string[] = []

  for (const door of await openDoors(t, opened)) {
    for (const { name, tool, input } of VALUE_CASES.filter((each) => isSendable(opened.host, door, each))) {
      const outcome = await slowest.timed(`${name} at ${door.name}`, () => door.call(tool, input()))
      if (!outcome.ok && outcome.error.code === 'internal') faults.push(`${name} at ${door.name}`)
    }
  }

  assert.deepEqual(faults, [])
  slowest.judge(t)
})

/** Node.js itself refuses a longer request line (431), without a body. */
const LONGEST_QUERY = 8000

function isSendable({ registry }: RunningHost, door: OpenDoor, { tool, input }: ValueCase): boolean {
  if (!door.serves(tool)) return false
  const routes = [registry.tool(tool)?.tool.http ?? []].flat()
  const travelsInUrl = door.name === 'rest' && routes.some(({ method }) => method === 'GET')
  return !travelsInUrl || encodeURIComponent(JSON.stringify(input()).toWellFormed()).length < LONGEST_QUERY
}
