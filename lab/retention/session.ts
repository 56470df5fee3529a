import { Readable } from 'node:stream'
import { handoffConfig } from '../../plugins/handoff/config.ts'
import { hookCommand } from '../../plugins/handoff/hooks.ts'
import { plugin } from '../../plugins/handoff/index.ts'
import { createHandoffs } from '../../plugins/handoff/project.ts'
import { contextOf, testHost } from '../../plugins/handoff/testing/fixture.ts'
import { assetPath } from '../../server/assets.ts'
import { createHost } from '../../server/host.ts'
import { openStdio } from '../../server/mcp/testing/stdio-client.ts'
import { confineTo } from '../../server/platform/paths.ts'
import type { Log } from '../../server/plugin.ts'
import { quietTerminal } from '../../test/fixtures/quiet-terminal.ts'

/** What a client's model gets of a call: some get the text, others the data. */
export interface Given {
  readonly text: string
  readonly data: string
}

/** One session of a harness: its hooks, and its MCP server over stdio. The caller closes it. */
export interface Session {
  /** Runs a hook with the harness's input and gives the context it adds; empty where it adds none. */
  hook(event: string, more?: Readonly<Record<string, unknown>>): Promise<string>
  /** What the hook printed. */
  lastOutput(): string
  call(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Given>
  /** The same, as the object of the data. Errors: a refusal. */
  data(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  read(uri: string): Promise<string>
  close(): Promise<void>
}

export interface SessionOptions {
  readonly root: string
  /** The search path of programs. */
  readonly path: string | undefined
  /** The harness's own id. */
  readonly id: string
  /** False for a harness that gives its servers no id: only their ancestors tell. */
  readonly hasVariable: boolean
  now(): Date
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const META = 'io.modelcontextprotocol/'
/** A hook is not judged by its time here. */
const PATIENT = {
  totalMs: 600_000,
  wallMs: 600_000,
  writeMs: 600_000,
  inputMs: 300,
  gitMs: 60_000,
  evidenceMs: 60_000,
  lookMs: 60_000,
}

/** Starts a session in this process: the entry points are those of the processes that a harness starts. */
export async function openSession({ root, path, id, hasVariable, now }: SessionOptions): Promise<Session> {
  const env = { ...(hasVariable && { CLAUDE_CODE_SESSION_ID: id }) }
  const config = handoffConfig.parse({})
  const host = await createHost([{ plugin, config, source: 'built in' }], {
    log: silent,
    now,
    projectRoot: root,
    configFile: undefined,
    env: { PATH: path, HOME: root, ...env },
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    assetPath,
    openListener: () => Promise.reject(new Error('no listener')),
  })
  await host.start()
  const served = serve(host, root)
  let output = ''
  return {
    async hook(event, more = {}) {
      output = ''
      const command = hookCommand(createHandoffs(testHost(root, now, env), config), {}, PATIENT)
      const input = JSON.stringify({ session_id: id, cwd: root, ...more })
      const { log, signal } = contextOf(root)
      await command.run(
        { log, signal, projectRoot: root },
        { event },
        quietTerminal(
          (text) => {
            output += text
          },
          { stdin: Readable.from([input]) },
        ),
      )
      if (output === '') return ''
      return JSON.parse(output).hookSpecificOutput?.additionalContext ?? ''
    },
    lastOutput: () => output,
    async call(tool, input = {}) {
      const result = await served.ask('tools/call', { name: tool, arguments: input })
      const text = result.content.map((block: { text?: string }) => block.text ?? '').join('\n')
      return { text, data: JSON.stringify(result.structuredContent) }
    },
    async data(tool, input = {}) {
      const result = await served.ask('tools/call', { name: tool, arguments: input })
      if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.structuredContent)}`)
      return result.structuredContent
    },
    async read(uri) {
      const { contents } = await served.ask('resources/read', { uri })
      return contents[0].text
    },
    async close() {
      await served.close()
      await host.stop()
    },
  }
}

/** MCP on a pair of pipes. */
function serve(host: Awaited<ReturnType<typeof createHost>>, root: string) {
  const client = openStdio({ after: () => {} }, host, { resolvePath: confineTo([root], root) })
  let last = 0
  return {
    // biome-ignore lint/suspicious/noExplicitAny: results of every method
    async ask(method: string, params: object): Promise<any> {
      const id = ++last
      const _meta = {
        [`${META}protocolVersion`]: '2026-07-28',
        [`${META}clientInfo`]: { name: 'satchel-retention', version: '1.0.0' },
        [`${META}clientCapabilities`]: {},
      }
      client.send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
      const { error, result } = await client.answer(id)
      if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
      return result
    },
    close: () => client.end(),
  }
}
