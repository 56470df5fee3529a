import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type RoomWorld, realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import type { Listener, OpenListener } from '../server/contract/advanced/route.ts'
import type { Plugin } from '../server/contract/plugin.ts'
import type { After } from '../server/fanout/after.ts'
import { createPump } from '../server/fanout/pump.ts'
import type { RunningHost } from '../server/host.ts'
import type { HttpOptions } from '../server/http/exchange.ts'
import { openListener } from '../server/http/listener.ts'
import { OPTIONS } from '../server/http/testing/listen.ts'
import { createHttpMount } from '../server/mcp/http.ts'
import { type Message, modernHeaders } from '../server/mcp/testing/messages.ts'
import type { Disk } from '../server/platform/disk.ts'
import { confineTo } from '../server/platform/paths.ts'
import { quietTerminal } from './fixtures/quiet-terminal.ts'
import { openHost, type TestHost, temporaryFolder } from './harness/index.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly json: Record<string, unknown>
}

export interface Ask {
  readonly token?: string
  readonly cookie?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface RoomServer {
  readonly opened: TestHost
  readonly file: string
  readonly owner: string
  readonly ingress: string
  readonly socket: string
  readonly workspaceId: string
  /** The key of the printed link. */
  readonly key: string
  ask(base: string, method: string, path: string, ask?: Ask): Promise<Answer>
  /** A session made by redeeming a fresh invitation. */
  join(name: string, capabilities?: readonly string[]): Promise<Session>
  /** The owner page's session. */
  claim(): Promise<{ readonly cookie: string }>
  /** What `workspace open` ends with. */
  readonly ended: Promise<number>
  /** Stops `workspace open` as a signal would. */
  stop(): Promise<void>
}

export interface Session {
  readonly token: string
  readonly session_id: string
  readonly participant_id: string
}

export interface ServerOptions {
  readonly text?: string
  /** Beside that of the room. */
  readonly plugins?: readonly Plugin[]
  readonly file?: string
  readonly after?: After
  /** Absent: this machine's. */
  readonly nowMicros?: () => number
  readonly maxStreams?: number
  /** Absent: the listener's. */
  readonly publicUrl?: string
  /** What the verb says in the terminal. */
  note?(line: string): void
  /** Absent: any free one. */
  readonly ingressPort?: number
  /** Absent: any free one. */
  readonly ownerPort?: number
  /** Absent: this machine's. */
  readonly disk?: Disk
  /** Waited for before the listener of this name is opened. */
  beforeListening?(name: string): Promise<void>
}

function worldOf({ nowMicros, disk }: ServerOptions): RoomWorld {
  return { ...realWorld, ...(nowMicros && { nowMicros }), ...(disk && { engine: { disk } }) }
}

/** A room opened by `satchel workspace open` on free ports of loopback; stopped after the test. */
export async function openRoomServer(t: TestContext, options: ServerOptions = {}): Promise<RoomServer> {
  const file = options.file ?? join(await temporaryFolder(t), 'plan.md')
  if (options.file === undefined) await writeFile(file, options.text ?? '# Plan\n\n## Goals\none\n')
  const stopping = new AbortController()
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(worldOf(options)), settings: { file } }, ...(options.plugins ?? [])],
    openListener: listenerOf(options),
  })
  const command = opened.host.registry.commands.find(
    (owned) => owned.command.cli === 'workspace open',
  )?.command
  if (!command) throw new Error('the verb is missing')
  let ended: Promise<number> | undefined
  const printed = await new Promise<Record<string, string>>((resolve, reject) => {
    const terminal = quietTerminal((text) => resolve(JSON.parse(text)), {
      json: true,
      quiet: true,
      note: (line) => options.note?.(line),
      answer: async (_headline, data) => resolve(data as Record<string, string>), // addresses
    })
    const context = { log: opened.host.log, signal: stopping.signal, projectRoot: opened.projectRoot }
    const input = {
      file,
      owner_port: options.ownerPort ?? 0,
      ingress_port: options.ingressPort ?? 0,
      ...(options.maxStreams && { max_streams: options.maxStreams }),
      ...(options.publicUrl !== undefined && { public_url: options.publicUrl }),
    }
    ended = command.run(context, input, terminal)
    ended.catch(reject)
  })
  const { owner = '', ingress = '', link = '', workspace_id: workspaceId = '' } = printed
  const ask = (base: string, method: string, path: string, more: Ask = {}): Promise<Answer> =>
    askOnce(base, method, path, more)
  const claim = async () => {
    const answer = await ask(owner, 'POST', '/owner/claim', {
      body: {
        key: (await ask(socketOf(file), 'POST', '/local/owner-link', { body: {} })).json['url']
          ?.toString()
          .split('#k=')[1],
      },
      headers: { origin: owner, 'x-satchel-request': '1' },
    })
    return { cookie: String([answer.headers['set-cookie']].flat()[0]).split(';')[0] ?? '' }
  }
  return {
    opened,
    file,
    owner,
    ingress,
    socket: socketOf(file),
    workspaceId,
    key: link.split('#k=')[1] ?? '',
    ended: ended ?? Promise.reject(new Error('it never began')),
    ask,
    claim,
    async join(name, capabilities) {
      const body = capabilities ? { capabilities } : {}
      const invited = await ask(socketOf(file), 'POST', '/local/invite', { body })
      const answer = await ask(socketOf(file), 'POST', '/session/join', {
        body: { invite: invited.json['uri'], name },
      })
      if (answer.status !== 200) throw new Error(answer.text)
      return answer.json as unknown as Session // what the route gives
    },
    async stop() {
      stopping.abort()
      await opened.host.stop()
    },
  }
}

function socketOf(file: string): string {
  return join(file, '..', '.plan.md.satchel', 'owner.sock')
}

/** The real HTTP and MCP doors on loopback, as `run.ts` wires them. */
export function listenerOf({ after, beforeListening }: Pick<ServerOptions, 'after' | 'beforeListening'>) {
  let shared: HttpOptions | undefined
  const optionsFor = (host: RunningHost): HttpOptions => {
    const resolvePath = confineTo([host.projectRoot], host.projectRoot)
    const pump = createPump()
    const mount = { boot: Promise.resolve(host), version: '0.0.0', log: host.log, resolvePath, pump }
    return {
      ...OPTIONS,
      version: '0.0.0',
      resolvePath,
      pump,
      graceMs: 100,
      ...(after && { after }),
      mcp: createHttpMount(mount),
    }
  }
  return async (host: RunningHost, listener: Listener): Promise<OpenListener> => {
    shared ??= optionsFor(host)
    await beforeListening?.(listener.name)
    return openListener(host, listener, shared)
  }
}

/** A message of MCP as `ask` sends it. */
export function mcpAsk(token: string, message: Message): Ask {
  const headers = { accept: 'application/json, text/event-stream', ...modernHeaders(message) }
  return { token, body: message, headers }
}

/** One request without any browser or agent in between: headers go out exactly as given. */
export function askOnce(base: string, method: string, path: string, ask: Ask): Promise<Answer> {
  const payload = ask.body === undefined ? undefined : JSON.stringify(ask.body)
  const headers: Record<string, string> = {
    ...(payload !== undefined && {
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(payload)}`,
    }),
    ...(ask.token !== undefined && { authorization: `Bearer ${ask.token}` }),
    ...(ask.cookie !== undefined && { cookie: ask.cookie }),
    ...ask.headers,
  }
  const target = base.startsWith('/') ? { socketPath: base } : { host: '127.0.0.1', port: new URL(base).port }
  return new Promise((resolve, reject) => {
    const sent = request({ ...target, method, path, headers, agent: false }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => {
        const isJson = /json/.test(answer.headers['content-type'] ?? '')
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          json: isJson ? JSON.parse(text) : {},
        })
      })
    })
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** Longer than anything takes that a test waits for at a stream. */
const LATE_MS = 60_000

/** A server-sent-event stream as its raw blocks. */
export interface OpenStream {
  readonly blocks: string[]
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly ended: Promise<void>
  /** Waits until `enough` says so about the blocks. */
  until(enough: (blocks: readonly string[]) => boolean): Promise<readonly string[]>
  close(): void
}

/** Opens a stream and collects its blocks. */
export function openStream(base: string, path: string, ask: Ask = {}): Promise<OpenStream> {
  const headers = {
    ...(ask.token !== undefined && { authorization: `Bearer ${ask.token}` }),
    ...(ask.cookie !== undefined && { cookie: ask.cookie }),
    ...ask.headers,
  }
  const target = base.startsWith('/') ? { socketPath: base } : { host: '127.0.0.1', port: new URL(base).port }
  return new Promise((resolve, reject) => {
    const sent = request({ ...target, path, headers, agent: false }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume()
        reject(new Error(`status ${answer.statusCode}`))
        return
      }
      const blocks: string[] = []
      let rest = ''
      let look = (): void => {}
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => {
        const parts = (rest + chunk).split('\n\n')
        rest = parts.pop() ?? ''
        blocks.push(...parts)
        look()
      })
      const ended = new Promise<void>((done) => answer.once('close', () => done()))
      resolve({
        blocks,
        headers: answer.headers,
        ended,
        until: (enough) =>
          new Promise((done, fail) => {
            const late = setTimeout(
              () => fail(new Error(`only ${JSON.stringify(blocks).slice(0, 2000)}`)),
              LATE_MS,
            )
            look = () => {
              if (!enough(blocks)) return
              clearTimeout(late)
              done(blocks)
            }
            look()
          }),
        close: () => sent.destroy(),
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
