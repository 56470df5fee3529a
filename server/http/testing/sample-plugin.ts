import * as z from 'zod'
import {
  CAPABILITIES,
  type Capability,
  type Credentials,
  definePlugin,
  defineResource,
  defineStream,
  defineTool,
  type ErrorCode,
  type Host,
  type Inbox,
  type Principal,
  type Route,
  SatchelError,
} from '../../plugin.ts'

export const SESSION = `ses_${'a'.repeat(20)}`
export const READER = `ses_${'r'.repeat(20)}`

const READ_ONLY = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const CHANGES = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
const ANYWHERE = ['api', 'owner', 'ingress', 'local']

/** What a test sees and steers of the plugin. */
export interface Sample {
  readonly calls: unknown[]
  readonly inboxes: Set<Inbox>
  readonly revoked: Set<string>
  host: Host | undefined
}

/** A plugin with one of everything that the HTTP door serves. */
export function samplePlugin() {
  const sample: Sample = { calls: [], inboxes: new Set(), revoked: new Set(), host: undefined }
  const plugin = definePlugin({
    name: 'sample',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    async setup(host) {
      sample.host = host
      return {
        tools: [
          echoTool(sample),
          noteTool(),
          patchTool(sample),
          deleteTool(sample),
          failTool(),
          crashTool(),
          waitTool(sample),
          rawTool(),
          roomTool(),
        ],
        resources: resources(),
        streams: [feed(sample)],
        routes: routes(sample),
        authenticate: (credentials: Credentials) => authenticate(credentials, sample),
      }
    },
  })
  return { plugin, sample }
}

function session(id: string, capabilities: readonly Capability[]): Principal {
  return { id, kind: 'session', plugin: 'sample', capabilities }
}

async function authenticate(
  { bearer, cookie }: Credentials,
  { revoked }: Sample,
): Promise<Principal | undefined> {
  if (bearer === SESSION && !revoked.has('all')) return session('all', CAPABILITIES)
  if (bearer === READER && !revoked.has('reader')) return session('reader', ['read'])
  if (cookie?.includes(`sample=${SESSION}`)) return session('page', CAPABILITIES)
  return undefined
}

function echoTool({ calls }: Sample) {
  return defineTool({
    name: 'echo',
    title: 'Echo',
    description: 'Gives back what it was sent.',
    profile: 'core',
    input: z.object({
      text: z.string().describe('Any text.'),
      value: z.unknown().optional().describe('Any value.'),
    }),
    output: z.object({ text: z.string(), door: z.string(), principal: z.string() }),
    annotations: CHANGES,
    http: { method: 'POST', path: '/echo', listeners: ANYWHERE },
    example: { text: 'hello' },
    async handler(ctx, { text }) {
      calls.push(text)
      return { text, door: ctx.door, principal: ctx.principal.id }
    },
    headline: ({ text }) => text,
  })
}

function noteTool() {
  return defineTool({
    name: 'note_get',
    title: 'Get a note',
    description: 'Gives one note.',
    profile: 'core',
    input: z.object({
      id: z.string().describe('Its id.'),
      limit: z.number().int().min(1).max(10).optional().describe('At most so many.'),
      where: z.object({ size: z.number() }).optional().describe('Only such.'),
      deep: z.boolean().optional().describe('With everything below.'),
      tags: z.array(z.string()).optional().describe('Only these.'),
      sizes: z.array(z.number()).optional().describe('Only these sizes.'),
    }),
    output: z.object({ id: z.string(), version: z.number(), given: z.record(z.string(), z.unknown()) }),
    annotations: READ_ONLY,
    http: { method: 'GET', path: '/notes/{id}', etag: 'version', untagged: ({ deep }) => deep === true },
    example: { id: 'first' },
    handler: async (_ctx, { id, ...given }) => ({ id, version: 7, given }),
    headline: ({ id }) => id,
  })
}

function patchTool({ calls }: Sample) {
  return defineTool({
    name: 'note_update',
    title: 'Update a note',
    description: 'Changes a note.',
    profile: 'core',
    input: z.object({
      id: z.string().describe('Its id.'),
      text: z.string().describe('New text.'),
      if_match: z.string().optional().describe('The version it must have.'),
    }),
    output: z.object({ id: z.string(), if_match: z.string().optional() }),
    annotations: CHANGES,
    http: { method: 'PATCH', path: '/notes/{id}', headers: { 'if-match': 'if_match' }, maxBodyBytes: 1024 },
    example: { id: 'first', text: 'new' },
    async handler(_ctx, { id, if_match }) {
      calls.push(id)
      return { id, ...(if_match !== undefined && { if_match }) }
    },
    headline: ({ id }) => id,
  })
}

function deleteTool({ calls }: Sample) {
  return defineTool({
    name: 'note_delete',
    title: 'Delete a note',
    description: 'Removes a note.',
    profile: 'full',
    input: z.object({
      id: z.string().describe('Its id.'),
      force: z.boolean().optional().describe('Also a pinned one.'),
    }),
    output: z.object({ id: z.string(), force: z.boolean() }),
    annotations: { ...CHANGES, destructive: true },
    http: { method: 'DELETE', path: '/notes/{id}' },
    example: { id: 'first' },
    async handler(_ctx, { id, force = false }) {
      calls.push(id)
      return { id, force }
    },
    headline: ({ id }) => id,
  })
}

function failTool() {
  return defineTool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails with a code.',
    profile: 'full',
    input: z.object({
      code: z.string().describe('The code.'),
      reason: z.string().default('because').describe('The reason.'),
    }),
    output: z.object({}),
    annotations: CHANGES,
    http: { method: 'POST', path: '/fail' },
    example: { code: 'conflict' },
    async handler(_ctx, { code, reason }) {
      const known = code as ErrorCode // the test names only codes of the list
      throw new SatchelError(known, reason, 'It failed; try another code.', {
        details: { sent: code },
        next: { tool: 'echo', args: { text: 'x' } },
      })
    },
    headline: () => '',
  })
}

function crashTool() {
  return defineTool({
    name: 'crash',
    title: 'Crash',
    description: 'Throws what no caller may see.',
    profile: 'full',
    input: z.object({}),
    output: z.object({}),
    annotations: CHANGES,
    http: { method: 'POST', path: '/crash' },
    example: {},
    handler: () => Promise.reject(new TypeError('secret text')),
    headline: () => '',
  })
}

function waitTool({ calls }: Sample) {
  return defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits until the caller disconnects.',
    profile: 'full',
    input: z.object({ ms: z.number().optional().describe('Or so long.') }),
    output: z.object({}),
    annotations: CHANGES,
    http: { method: 'POST', path: '/wait' },
    example: {},
    async handler({ signal }, { ms }) {
      calls.push('waiting')
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true })
        if (ms !== undefined) setTimeout(resolve, ms)
      })
      calls.push(signal.aborted ? 'aborted' : 'done')
      return {}
    },
    headline: () => '',
  })
}

/** A record as a plugin declares one: a schema with definitions, an address of its own and a field named like a keyword. */
const noteRecord = z.unknown().meta({
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'https://note.example/v1.json',
  title: 'Note record',
  type: 'object',
  properties: {
    $schema: { type: 'string' },
    definitions: { type: 'string' },
    parts: { type: 'array', items: { $ref: '#/definitions/Part' } },
    above: { $ref: '#' },
  },
  definitions: { Part: { type: 'object', properties: { parts: { $ref: '#/definitions/Part' } } } },
})

function rawTool() {
  return defineTool({
    name: 'raw',
    title: 'Raw',
    description: 'Takes text.',
    profile: 'full',
    input: z.object({ yaml: z.string().describe('YAML text.') }),
    output: z.object({ yaml: z.string(), record: noteRecord.optional() }),
    annotations: CHANGES,
    http: { method: 'POST', path: '/raw', rawBody: { field: 'yaml', contentType: 'application/yaml' } },
    example: { yaml: 'a: 1' },
    handler: async (_ctx, { yaml }) => ({ yaml }),
    headline: ({ yaml }) => yaml,
  })
}

function roomTool() {
  return defineTool({
    name: 'room_commit',
    title: 'Commit',
    description: 'Needs the capability commit.',
    profile: 'full',
    requires: 'commit',
    input: z.object({}),
    output: z.object({ by: z.string() }),
    annotations: CHANGES,
    http: { method: 'POST', path: '/room/commit', listeners: ANYWHERE },
    example: {},
    handler: async ({ principal }) => ({ by: principal.id }),
    headline: ({ by }) => by,
  })
}

function resources() {
  const read = async () => ({ mimeType: 'text/plain', text: 'x' })
  const base = { title: 'Note', description: 'A note.', mimeType: 'text/plain', subscribable: true, read }
  return [
    defineResource({ ...base, uri: 'note://{id}', name: 'note' }),
    defineResource({ ...base, uri: 'room://status', name: 'status', requires: 'read' }),
  ]
}

function feed({ inboxes }: Sample) {
  return defineStream({
    name: 'feed',
    path: '/feed',
    listeners: ANYWHERE,
    guard: 'bearer-or-cookie',
    requires: 'observe',
    retryMs: 5000,
    async open(_ctx, cursor = '0', inbox) {
      if (!/^\d{1,16}$/.test(cursor)) throw new SatchelError('invalid', 'bad_cursor', 'A cursor is a number.')
      inboxes.add(inbox)
      const ids = [1, 2, 3].filter((id) => id > Number(cursor))
      const replay = cursor === BROKEN_CURSOR ? brokenHistory() : ids.map(eventFrame)
      return {
        replay,
        onLag: () => Buffer.from('event: resync\ndata: {"reason":"lagged"}\n\n'),
        close: () => void inboxes.delete(inbox),
      }
    },
  })
}

/** With this one the history of the feed cannot be read to its end. */
export const BROKEN_CURSOR = '666'

function* brokenHistory(): Generator<Buffer> {
  yield eventFrame(1)
  throw new Error('secret of the disk')
}

/** Event `id` as the feed sends it. */
export function eventFrame(id: number): Buffer {
  return Buffer.from(`id: ${id}\ndata: {"event":${id}}\n\n`)
}

function routes({ calls }: Sample): Route[] {
  const handle: Route['handle'] = async ({ principal, params, peer }, request) => {
    const body = request.method === 'POST' ? await request.text() : ''
    calls.push(body)
    return Response.json({ principal: principal?.id ?? null, params, peer, body })
  }
  return [
    { method: 'GET', path: '/page', listeners: ['owner', 'api'], guard: 'open', handle },
    { method: 'POST', path: '/page/claim', listeners: ['owner'], guard: 'open', maxBodyBytes: 100, handle },
    { method: 'POST', path: '/page/invite', listeners: ['owner'], guard: 'cookie', handle },
    { method: 'GET', path: '/things/{name}', listeners: ANYWHERE, guard: 'bearer', handle },
    { method: 'GET', path: '/local/ping', listeners: ['local', 'api'], guard: 'socket', handle },
  ]
}
