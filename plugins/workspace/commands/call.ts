import { text } from 'node:stream/consumers'
import * as z from 'zod'
import {
  type Command,
  defineCommand,
  type Host,
  isJsonObject,
  nearest,
  parsedJson,
  type Tool,
} from '../../../server/plugin.ts'
import { forward, keyed } from '../connection/forward.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { refusals } from '../reasons.ts'
import { printAnswer } from './printing.ts'
import { ROOM_FLAG, withLook, withTarget } from './target.ts'

/** `satchel workspace call TOOL [JSON]`: any tool of the room, at the process that has it open. */
export function callCommand(host: Host, room: RoomProcess, tools: readonly Tool[]): Command {
  return defineCommand({
    cli: 'workspace call',
    title: 'call a tool of the room',
    description: 'Calls one workspace tool with a JSON object as its input and prints the answer.',
    positional: ['tool', '[json]'],
    input: z.object({
      tool: z.string().describe('workspace_status, or status'),
      json: z.string().optional().describe('the input as a JSON object; - reads standard input'),
      room: ROOM_FLAG,
    }),
    example: 'satchel workspace call read \'{"section":"Plan"}\' --room plan.md',
    run: async (ctx, flags, terminal) => {
      const tool = toolNamed(tools, flags.tool)
      const input = objectOf(flags.json === '-' ? await text(terminal.stdin) : (flags.json ?? '{}'))
      const reach = tool.annotations.readOnly ? withLook : withTarget
      return reach(host, room, flags.room, async ({ address, token }) => {
        const [route] = [tool.http ?? []].flat()
        if (!route) throw new TypeError(`${tool.name} has no route`)
        const call = keyed({ route, input, here: () => Promise.reject(new Error('called at the owner')) })
        const answer = await forward(address, token, call, ctx.signal)
        const data = tool.output.parse(answer)
        await printAnswer(terminal, Object(answer), tool.headline(data), data)
        return 0
      })
    },
  })
}

function toolNamed(tools: readonly Tool[], name: string): Tool {
  const fullName = name.startsWith('workspace_') ? name : `workspace_${name.replaceAll('-', '_')}`
  const tool = tools.find((one) => one.name === fullName)
  if (tool) return tool
  const near = nearest(
    fullName,
    tools.map((one) => one.name),
  )
  throw refusals.unknown_tool({ name: fullName.slice(0, 60), hint: near ? ` Did you mean ${near}?` : '' })
}

function objectOf(json: string): Record<string, unknown> {
  const value = parsedJson(json)
  if (isJsonObject(value)) return value
  throw refusals.input_not_object()
}
