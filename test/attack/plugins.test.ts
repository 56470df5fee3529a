import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postModern } from '../../server/mcp/testing/http-client.ts'
import { modern } from '../../server/mcp/testing/messages.ts'
import { PLUGIN_CASES, type PluginCase, pluginOf } from './corpus/plugins.ts'
import { serveProcess } from './served-process.ts'

const SETTINGS = 'plugins: { ./odd.mjs: {} }\ntools: { call_limit_s: 1 }\n'

interface Got {
  readonly status: number
  readonly text: string
}

async function askRest(address: string, tool: string): Promise<Got> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${address}/${tool}`, { method: 'POST', headers, body: '{}' })
  return { status: answer.status, text: await answer.text() }
}

/** Asks in a plain call, or in one that a parameter of its type leaves to the SDK. */
function askMcp(type: string) {
  return async (address: string, tool: string): Promise<Got> => {
    const call = modern(1, 'tools/call', { name: tool, arguments: {} })
    const { status, body } = await postModern(`${address}/mcp`, call, { 'content-type': type })
    return { status, text: JSON.stringify(body) }
  }
}

const DOORS = {
  rest: askRest,
  mcp: askMcp('application/json'),
  'mcp by the SDK': askMcp('application/json; charset=utf-8'),
}

/** What is wrong with an answer; undefined if it is as it must be. */
function faultOf({ name, expect }: PluginCase, door: string, { status, text }: Got): string | undefined {
  const isError = door === 'rest' ? status >= 400 : /"isError":true|"error":/.test(text)
  const isAsExpected = {
    served: !isError,
    fault: isError && /internal/i.test(text),
    ended: isError && /call_timeout/.test(text),
  }[expect]
  if (isAsExpected && !text.includes('PLANTED') && !/ at .*\.m?js:\d+/.test(text)) return undefined
  return `${name} over ${door}: ${status} ${text.slice(0, 300)}`
}

test('a handler may throw, return or leave behind anything: its caller is answered, and other tools go on', async (t) => {
  const files = { 'odd.mjs': pluginOf(PLUGIN_CASES, import.meta.resolve('zod')) }
  const server = await serveProcess(t, SETTINGS, { files })
  const faults: string[] = []

  for (const [door, call] of Object.entries(DOORS)) {
    for (const [at, each] of PLUGIN_CASES.entries()) {
      const got = await call(server.address, `odd_${at}`).catch((thrown) => ({
        status: 0,
        text: String(thrown),
      }))
      const fault = faultOf(each, door, got)
      if (fault !== undefined) faults.push(fault)
      const good = await call(server.address, 'odd_good').catch((thrown) => ({
        status: 0,
        text: String(thrown),
      }))
      if (good.status !== 200) faults.push(`${each.name} over ${door}: after it ${JSON.stringify(good)}`)
      if (!server.isAlive()) return assert.fail(`${each.name} over ${door}: ${server.log().slice(-2000)}`)
    }
  }

  assert.deepEqual(faults, [])
})
