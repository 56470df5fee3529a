import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { TestContext } from 'node:test'
import type { RunningHost } from '../../host.ts'
import type { RealStdout } from '../../process-io.ts'
import { serveStdio } from '../stdio.ts'
import type { Message } from './messages.ts'

/** The other end of a served pair of pipes, inside this process. */
export interface StdioClient {
  readonly received: readonly Message[]
  readonly signals: EventEmitter
  readonly exit: Promise<number>
  write(raw: string | Buffer): void
  send(...messages: Message[]): void
  /** Waits for the answer to this id. */
  answer(id: string | number | null): Promise<Message>
  /** Waits until a message passes. */
  find(wanted: (message: Message) => boolean): Promise<Message>
  end(): Promise<number>
  /** While true nothing is read from the server's stdout. */
  stall(stalled: boolean): void
  /** Bytes that the server wrote and that are not read yet. */
  unread(): number
}

/** Serves the host over two in-memory pipes, as `satchel mcp` does; ended after the test. */
export function openStdio(
  t: Pick<TestContext, 'after'>,
  boot: RunningHost | Promise<RunningHost>,
  more: Partial<Pick<Parameters<typeof serveStdio>[0], 'log' | 'resolvePath'>> = {},
): StdioClient {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const signals = new EventEmitter()
  const received: Message[] = []
  const arrived = new EventEmitter().setMaxListeners(0)
  let rest = ''
  stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    received.push(...lines.map((line) => JSON.parse(line) as Message))
    arrived.emit('message')
  })
  const real: RealStdout = {
    write: (text, done) => stdout.write(text, done),
    on: (event, listener) => stdout.on(event, listener),
    isTTY: false,
    columns: undefined,
  }
  const exit = serveStdio({
    boot: Promise.resolve(boot),
    version: '1.0.0',
    instructions: 'Sample instructions.',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    resolvePath: async (path) => path,
    io: { stdin, stdout: real },
    signals,
    ...more,
  })
  t.after(() => stdin.end())
  const find = async (wanted: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const found = received.find(wanted)
      if (found) return found
      await new Promise((resolve) => arrived.once('message', resolve))
    }
  }
  return {
    received,
    signals,
    exit,
    write: (raw) => void stdin.write(raw),
    send: (...messages) => {
      for (const message of messages) stdin.write(`${JSON.stringify(message)}\n`)
    },
    answer: (id) => find((message) => message.id === id && !('method' in message)),
    find,
    end() {
      stdin.end()
      return exit
    },
    stall: (stalled) => void (stalled ? stdout.pause() : stdout.resume()),
    unread: () => stdout.readableLength + stdout.writableLength,
  }
}
