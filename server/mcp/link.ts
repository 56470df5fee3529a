import { randomUUID } from 'node:crypto'
import { ProtocolError } from '@modelcontextprotocol/server'
import type { RemoteMcp } from '../contract/advanced/remote.ts'
import type { RunningHost } from '../host.ts'
import { declaresTasks, TASKS_EXTENSION } from './caller.ts'
import { createFollower, type Follower } from './link-follower.ts'
import { waitInTurns } from './link-wait.ts'
import type { RawPrompt, RawResource, RawTable, RawTool, WireResult, WireTask } from './raw-table.ts'
import { createRemoteRequests, type RemoteRequests } from './remote-requests.ts'
import { maskedTask } from './task-wire.ts'

const TASKS = { extensions: { [TASKS_EXTENSION]: {} } }

/** The links of one stdio process, which closes them. */
export interface Links {
  /** Loads the declarations of a plugin's remote server; undefined without one. Errors: `unavailable`, `unauthorized`. */
  tableOf(host: RunningHost): Promise<RawTable | undefined>
  close(): void
}

/** Creates the links. Nothing is sent before a client requests a list or makes a call; `clientName` is asked for then. */
export function createLinks(clientName: () => string | undefined): Links {
  const closing = new AbortController()
  return {
    async tableOf(host) {
      const owner = host.registry.instances.find(({ instance }) => instance.remote !== undefined)
      return (
        owner?.instance.remote &&
        loadTable(host, owner.instance.remote, { client: clientName(), signal: closing.signal })
      )
    },
    close: () => closing.abort(),
  }
}

async function loadTable(
  host: RunningHost,
  remote: RemoteMcp,
  { client, signal }: { readonly client: string | undefined; readonly signal: AbortSignal },
): Promise<RawTable> {
  const requests = createRemoteRequests(remote, client)
  const follower = createFollower(host, requests, signal)
  const ask = (method: string, params: WireResult = {}): Promise<WireResult> =>
    requests.send({ method, params, repeatable: true, signal })
  const list = async (method: string, key: string): Promise<WireResult[]> => {
    const listed = (await ask(method))[key]
    return Array.isArray(listed) ? (listed as WireResult[]) : [] // the protocol's lists hold objects
  }
  const [tools, fixed, templates, prompts] = await Promise.all([
    list('tools/list', 'tools'),
    list('resources/list', 'resources'),
    list('resources/templates/list', 'resourceTemplates'),
    list('prompts/list', 'prompts'),
  ])
  const isOurs = (uri: unknown): uri is string =>
    typeof uri === 'string' && remote.uriPrefixes.some((prefix) => uri.startsWith(prefix))
  return {
    tools: tools
      .filter((tool) => isTaken(tool, remote, host))
      .map((tool) => remoteTool(tool, remote, { requests, follower })),
    resources: [...fixed, ...templates]
      .filter(({ uri, uriTemplate }) => isOurs(uri ?? uriTemplate))
      .map(
        (descriptor): RawResource => ({
          descriptor,
          read: (uri) => (isOurs(uri) ? ask('resources/read', { uri }) : undefined),
        }),
      ),
    prompts: prompts
      .filter(({ name }) => remote.prompts.includes(String(name)))
      .map(
        (prompt): RawPrompt => ({
          descriptor: { ...prompt, name: String(prompt['name']) },
          get: (args) => ask('prompts/get', { name: prompt['name'], arguments: args }),
        }),
      ),
    capabilities: {},
    async complete({ ref, argument }) {
      const { name, uri } = ref as { name?: string; uri?: string } // the handler's schema parsed it
      if (!isOurs(uri) && !remote.prompts.includes(name ?? '')) return undefined
      const { completion } = await ask('completion/complete', { ref, argument })
      return (completion as { values: readonly string[] }).values
    },
    async watch(uri) {
      if (!isOurs(uri)) return false
      await follower.watch(uri)
      return true
    },
    findTask: (taskId) => findRemoteTask(requests, taskId),
  }
}

/** The remote server applies its profile; our `read_only` and `exclude` always take precedence. */
function isTaken(tool: WireResult, remote: RemoteMcp, { filter }: RunningHost): boolean {
  const name = String(tool['name'])
  const annotations = tool['annotations'] as { readonly readOnlyHint?: unknown } | undefined // as the protocol has it
  const isHidden = filter.exclude.includes(name) || (filter.readOnly && annotations?.readOnlyHint !== true)
  return name.startsWith(remote.toolPrefix) && !isHidden
}

interface Wires {
  readonly requests: RemoteRequests
  readonly follower: Follower
}

function remoteTool(tool: WireResult, remote: RemoteMcp, { requests, follower }: Wires): RawTool {
  const { keyField, waitingTool } = remote
  const name = String(tool['name'])
  const waits = waitingTool?.name === name ? waitingTool : undefined
  const annotations = tool['annotations'] as { readonly readOnlyHint?: unknown } | undefined
  const isReading = annotations?.readOnlyHint === true
  return {
    descriptor: { ...tool, name },
    async call(args, { ctx, report }) {
      follower.start()
      const takesKey = keyField !== undefined && !isReading
      const keyed = takesKey ? { [keyField]: `link-${randomUUID()}`, ...args } : args
      const { signal } = ctx.mcpReq
      const ask = (given: WireResult): Promise<WireResult> =>
        requests.send({
          method: 'tools/call',
          params: { name, arguments: given },
          ...(declaresTasks(ctx.mcpReq.envelope) && { capabilities: TASKS }),
          signal,
          repeatable: takesKey || isReading,
          waits: waits !== undefined,
        })
      return waits ? waitInTurns(waits, keyed, { ask, report, signal }) : ask(keyed)
    },
  }
}

async function findRemoteTask(requests: RemoteRequests, taskId: string): Promise<WireTask | undefined> {
  const send = (method: string, more: WireResult = {}): Promise<WireResult> =>
    requests.send({
      method,
      params: { taskId, ...more },
      capabilities: { ...TASKS, elicitation: {} },
      repeatable: true,
    })
  const sent = (method: string, more?: WireResult): Promise<boolean> =>
    send(method, more).then(() => true, refusedAsFalse)
  const found = await send('tasks/get').catch(refusedAsFalse)
  if (!found) return undefined
  const { resultType: _, ...task } = found
  return {
    detailed: (canAsk) => maskedTask(task, canAsk),
    update: (inputResponses) => sent('tasks/update', { inputResponses }),
    cancel: () => sent('tasks/cancel'),
  }
}

function refusedAsFalse(thrown: unknown): false {
  if (ProtocolError.isInstance(thrown)) return false
  throw thrown
}
