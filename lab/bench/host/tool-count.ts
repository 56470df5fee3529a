import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import * as z from 'zod'
import { definePlugin } from '../../../server/contract/plugin.ts'
import { defineTool, type Tool } from '../../../server/contract/tool.ts'
import { createHost, type RunningHost } from '../../../server/host.ts'
import { createLog } from '../../../server/log.ts'
import { serveStdio } from '../../../server/mcp/stdio.ts'
import { type Figure, figureOf } from '../figure.ts'
import { bestOf, inTurns } from '../rounds.ts'

const FEW = 5
const EXTRA = 100
const CALLS = 400
const ROUNDS = 5
/** architecture, section 11: 100 extra tools add at most a tenth to a call. */
const GOAL = 1.1
const GATE = 1.2

/** What 100 extra tools add to one call over MCP: two servers in this process, called in turns. */
export async function measureToolCount(): Promise<readonly Figure[]> {
  const few = await openServer(FEW)
  const many = await openServer(FEW + EXTRA)
  await few.callTimes(CALLS)
  await many.callTimes(CALLS)
  const rounds = await inTurns(ROUNDS, {
    ours: () => many.callTimes(CALLS),
    against: () => few.callTimes(CALLS),
  })
  await few.close()
  await many.close()
  return [
    figureOf({
      ...bestOf(rounds, 'at_most'),
      name: 'calls.extra.tools',
      what: `one call beside ${FEW + EXTRA} tools`,
      unit: 'ms',
      against_what: `beside ${FEW} tools`,
      goal: GOAL,
      gate: GATE,
    }),
  ]
}

interface BenchServer {
  /** Mean milliseconds of a call over so many, one after the other. */
  callTimes(calls: number): Promise<number>
  close(): Promise<void>
}

async function openServer(tools: number): Promise<BenchServer> {
  const host = await openHost(tools)
  const stdin = new PassThrough()
  let answered: (() => void) | undefined
  const ended = serveStdio({
    io: {
      stdin,
      stdout: {
        write(text, done) {
          done?.()
          for (const _ of text.matchAll(/\n/g)) answered?.()
          return true
        },
        on: () => undefined,
        isTTY: false,
        columns: undefined,
      },
    },
    boot: Promise.resolve(host),
    log: host.log,
    version: '0.0.0',
    resolvePath: async (path) => path,
    signals: new EventEmitter(),
  })
  const ask = (message: object): Promise<void> =>
    new Promise((resolve) => {
      answered = resolve
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    })
  const clientInfo = { name: 'bench', version: '1' }
  await ask({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  })
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    async callTimes(calls) {
      const began = performance.now()
      for (let id = 1; id <= calls; id++) {
        await ask({ id, method: 'tools/call', params: { name: 'tool_0', arguments: { text: 'x' } } })
      }
      return (performance.now() - began) / calls
    },
    async close() {
      stdin.end()
      await ended
      await host.stop()
    },
  }
}

function openHost(tools: number): Promise<RunningHost> {
  const plugin = definePlugin({
    name: 'bench',
    version: '0.0.0',
    apiVersion: 1,
    config: z.object({}),
    setup: async () => ({ tools: Array.from({ length: tools }, (_, index) => numberedTool(index)) }),
  })
  const now = (): Date => new Date(0)
  return createHost([{ plugin, config: {}, source: 'bench' }], {
    log: createLog('critical', () => {}, now),
    now,
    projectRoot: '/',
    configFile: undefined,
    env: {},
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    assetPath: (name) => name,
    openListener: () => Promise.reject(new TypeError('the bench opens no listener')),
  })
}

function numberedTool(index: number): Tool {
  return defineTool({
    name: `tool_${index}`,
    title: `Tool ${index}`,
    description: 'Answers the text it was given.',
    profile: 'core',
    input: z.object({ text: z.string().describe('a text'), limit: z.int().default(10).describe('a number') }),
    output: z.object({ text: z.string() }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: { text: 'x' },
    handler: async (_ctx, { text }) => ({ text }),
    headline: ({ text }) => text,
  })
}
