import { stat } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import * as z from 'zod'
import {
  type Command,
  createFile,
  defineCommand,
  type Host,
  isSatchelError,
  type Terminal,
} from '../../../server/plugin.ts'
import { publicUrl, type WorkspaceConfig } from '../config.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { refusals } from '../reasons.ts'
import { workspaceRow } from '../room/change.ts'
import { print } from './printing.ts'

const PORT = z.coerce.number().int().min(0).max(65_535)
const LOOPBACK = '127.0.0.1'
const LAST_ANSWERS_MS = 1000
const STORE_FAILED = 7 // surface: the exit code of `unavailable`

const input = z.object({
  file: z.string().describe('the Markdown file'),
  create: z.boolean().optional().describe('make the file when it is missing'),
  name: z.string().optional().describe('name of the room, at its first opening'),
  owner_port: PORT.optional().describe('port of the owner page, default 4180'),
  ingress_port: PORT.optional().describe('port for agents, default 4181'),
  ingress_host: z.string().optional().describe('address for agents, default 127.0.0.1'),
  public_url: publicUrl
    .optional()
    .describe('address at which guests reach the ingress, as of a reverse proxy'),
  staleness: z.enum(['strict', 'section']).optional().describe('when a proposal is out of date'),
  max_streams: PORT.optional().describe('concurrent observe streams'),
  take_over: z
    .boolean()
    .optional()
    .describe('open it although an owner on another host had it: that process has ended'),
  database: z.string().min(1).optional().describe('keep it in the database, under this name of the project'),
  ephemeral: z.boolean().optional().describe('remove the sidecar at the end'),
})

/** `satchel workspace open FILE.md`: owns the room, serves the owner page and the ingress until it is stopped. */
export function openCommand(host: Host, config: WorkspaceConfig, room: RoomProcess): Command {
  return defineCommand({
    cli: 'workspace open',
    title: 'open a room and serve it',
    description:
      'Opens the room around a Markdown file, serves the owner page and the ingress for agents, and prints the link that opens the page once.',
    positional: ['file'],
    input,
    example: 'satchel workspace open plan.md',
    async run(ctx, flags, terminal) {
      const file = resolve(flags.file)
      if (flags.create) await createDocument(file)
      const { name, staleness, take_over: takeOver, ephemeral, max_streams: maxStreams } = flags
      const database = flags.database ?? config.database
      if (database !== undefined && ephemeral) throw refusals.only_in_files({ flag: '--ephemeral' })
      if (database !== undefined && takeOver) throw refusals.only_in_files({ flag: '--take-over' })
      room.configure({
        ...{ file, name, staleness, takeOver, ephemeral, maxStreams, database },
        publicUrl: flags.public_url,
        say: (line) => terminal.note(line),
        once: true,
      })
      const owner = await room.connection.owner('listener').catch(async (thrown) => {
        const isOwned = isSatchelError(thrown) && thrown.reason === 'room_not_running'
        throw (isOwned && (await room.elsewhere())) || thrown
      })
      await warnOfHardLink(file, terminal)
      await listen(host, config, room, flags, terminal)
      const workspace_id = await owner.room.readAsSystem((rows) => workspaceRow(rows).workspace_id)
      announce({ room, publicAddress: flags.public_url ?? config.public_url }, terminal, workspace_id)
      return served(ctx.signal, owner.room.poisoned)
    },
  })
}

async function createDocument(file: string): Promise<void> {
  const title = basename(file, extname(file))
  await createFile(file, `# ${title}\n`).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return
    throw refusals.file_not_created({ file, cause: String(cause.code) }, { cause })
  })
}

async function warnOfHardLink(file: string, terminal: Terminal): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found && found.nlink > 1) {
    terminal.note('The file has another hard link: the first commit separates the two.')
  }
}

async function listen(
  host: Host,
  config: WorkspaceConfig,
  room: RoomProcess,
  flags: z.output<typeof input>,
  terminal: Terminal,
): Promise<void> {
  const ingressHost = flags.ingress_host ?? LOOPBACK
  if (ingressHost !== LOOPBACK) terminal.note('The ingress is open to other machines and has no TLS.')
  const owner = { host: LOOPBACK, port: flags.owner_port ?? config.owner_port }
  const ingress = { host: ingressHost, port: flags.ingress_port ?? config.ingress_port }
  room.listen(await host.openListener({ name: 'owner', at: owner, mcp: false, nextFreePort: true }))
  const guests = { name: 'ingress', at: ingress, mcp: true, servesPage: true, nextFreePort: true } as const
  room.listen(await host.openListener({ ...guests, ...reachedAs(flags.public_url ?? config.public_url) }))
}

/** What a proxy passes on of the public address: the name, and the origin of the page that guests load there. */
function reachedAs(publicAddress: string | undefined) {
  if (publicAddress === undefined) return undefined
  const { hostname, origin } = new URL(publicAddress)
  return { allowedHosts: [hostname], allowedOrigins: [origin] }
}

interface Announced {
  readonly room: RoomProcess
  readonly publicAddress: string | undefined
}

function announce({ room, publicAddress }: Announced, terminal: Terminal, workspace_id: string): void {
  const owner = room.addressOf('owner')
  const ingress = room.addressOf('ingress')
  const link = `${owner}/#k=${room.claims.issue()}`
  const { file } = room.place()
  const agents = `satchel mcp --room ${shellWord(file)}`
  const setup = `satchel setup --room ${shellWord(file)}`
  const outside = publicAddress !== undefined && { public: new URL(publicAddress).origin }
  print(terminal, { workspace_id, file, owner, ingress, ...outside, link, agents, setup }, () =>
    [
      `room     ${file}`,
      `owner    ${link}`,
      `ingress  ${ingress}`,
      ...(outside ? [`public   ${outside.public}`] : []),
      `agents   ${agents}`,
      `clients  ${setup}`,
      'next     Open the link, then run the line of clients in another shell.',
    ].join('\n'),
  )
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Waits for the end and returns the exit code: 0 after a signal, 7 after the store failed. In that case it waits a
 * second longer, so that pending and further calls are still answered with the reason.
 */
function served(stop: AbortSignal, poisoned: AbortSignal): Promise<number> {
  return new Promise((done) => {
    if (stop.aborted) done(0)
    stop.addEventListener('abort', () => done(0), { once: true })
    poisoned.addEventListener('abort', () => setTimeout(done, LAST_ANSWERS_MS, STORE_FAILED), { once: true })
  })
}
