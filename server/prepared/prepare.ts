import { PassThrough } from 'node:stream'
import type { ProcessIo, RealStdout } from '../process-io.ts'
import type { AnswerText, PreparedAnswers } from './prepared-answers.ts'

/** The revisions with `initialize` (mcp, section 1). */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']
const LISTS = ['tools/list', 'prompts/list', 'resources/templates/list']
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'satchel', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Message {
  readonly id?: unknown
  readonly method: string
  readonly params?: unknown
}

/** A server from its first to its last message: takes the messages of a client, returns the lines of its answers. */
type Talk = (messages: readonly Message[]) => Promise<readonly string[]>

/**
 * Asks a server for everything that a client asks before its first call. Undefined if the lists of two revisions differ
 * or a request is refused: then nothing is answered before the host. Errors: those of `talk`.
 */
export async function prepareAnswers(talk: Talk): Promise<PreparedAnswers | undefined> {
  const initialize: Record<string, AnswerText> = {}
  let legacy: Readonly<Record<string, AnswerText>> | undefined
  for (const revision of REVISIONS) {
    const answers = await answersTo(talk, [
      { id: idOf('initialize'), method: 'initialize', params: initializeParams(revision) },
      { method: 'notifications/initialized' },
      ...LISTS.map((method) => ({ id: idOf(method), method })),
    ])
    const { initialize: first, ...lists } = answers
    if (!first || Object.keys(lists).length !== LISTS.length) return undefined
    if (legacy && JSON.stringify(legacy) !== JSON.stringify(lists)) return undefined
    initialize[revision] = first
    legacy = lists
  }
  const asked = ['server/discover', ...LISTS]
  const modern = await answersTo(
    talk,
    asked.map((method) => ({ id: idOf(method), method, params: { _meta: ENVELOPE } })),
  )
  return legacy && Object.keys(modern).length === asked.length ? { initialize, legacy, modern } : undefined
}

function initializeParams(protocolVersion: string) {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'satchel', version: '1' } }
}

/** The results by method; refusals are missing. */
async function answersTo(
  talk: Talk,
  messages: readonly Message[],
): Promise<Readonly<Record<string, AnswerText>>> {
  const lines = await talk(messages)
  const asked = messages.flatMap(({ id, method }) =>
    id === undefined ? [] : [{ id: JSON.stringify(id), method }],
  )
  return Object.fromEntries(
    lines.flatMap((line) => {
      const answered = asked.find(({ id }) => line.includes(`"id":${id}`))
      const message: { result?: unknown } = JSON.parse(line)
      if (!answered || message.result === undefined) return []
      const [before = '', after = ''] = line.trimEnd().split(answered.id)
      return [[answered.method, [before, after]] as const]
    }),
  )
}

/**
 * Gives a server the messages of a client, which leaves when the last one, a request, is answered. Returns the lines that
 * the server writes to `stdout`.
 */
export async function talkTo(
  serve: (io: ProcessIo) => Promise<unknown>,
  messages: readonly (Message | string)[],
): Promise<readonly string[]> {
  const stdin = new PassThrough()
  const lines: string[] = []
  const last = messages.at(-1)
  const isLast = (text: string): boolean =>
    typeof last === 'object' && text.includes(`"id":${JSON.stringify(last.id)}`)
  const stdout: RealStdout = {
    write(text, done) {
      if (text.trim() !== '') lines.push(text)
      if (isLast(text)) stdin.end()
      setImmediate(() => done?.())
      return true
    },
    on: () => undefined,
    isTTY: false,
    columns: undefined,
  }
  stdin.write(messages.map(lineOf).join(''))
  await serve({ stdin, stdout })
  return lines
}

function lineOf(message: Message | string): string {
  return `${typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

/** An id that is in no text. */
function idOf(method: string): string {
  return `\u0001prepared ${method}\u0001`
}
