import {
  definePlugin,
  type Finding,
  type Host,
  type OpenListener,
  type PluginInstance,
} from '../../server/plugin.ts'
import { callCommand } from './commands/call.ts'
import { editHookCommand } from './commands/edit-hook.ts'
import { joiningCommands } from './commands/joining.ts'
import { lookingCommands, roomFindings } from './commands/looking.ts'
import { openCommand } from './commands/open.ts'
import { completingRooms, namedPlace } from './commands/target.ts'
import { type WorkspaceConfig, workspaceConfig } from './config.ts'
import { type RoomWorld, realWorld } from './connection/clock.ts'
import { createRoomProcess, type RoomProcess } from './connection/room-process.ts'
import { openServed } from './connection/served-room.ts'
import { MIGRATIONS } from './engine/database-rows.ts'
import { observeStream } from './feed.ts'
import { checkHandoffRecord } from './handoff-record.ts'
import { createJoint, type Joint } from './joint.ts'
import { roomMeasurements } from './measurements.ts'
import { claimRoute } from './owner/claim.ts'
import { documentRoutes } from './owner/document-route.ts'
import { pageRoutes } from './owner/page-route.ts'
import { roomPrompts } from './prompts.ts'
import { refusals } from './reasons.ts'
import { remoteRoom } from './remote-room.ts'
import { roomResources } from './resources.ts'
import { roomEvidence } from './room-evidence.ts'
import { roomStores } from './room-stores.ts'
import { localRoutes } from './routes/local.ts'
import { passedOn } from './routes/passed-on.ts'
import { replicaRoutes } from './routes/replica.ts'
import { roomRoute } from './routes/room.ts'
import { sessionJoinRoute } from './routes/session-join.ts'
import { sessionRenewRoute } from './routes/session-renew.ts'
import { wellKnownRoutes } from './routes/well-known.ts'
import { roomSearcher } from './searcher.ts'
import { roomTasks, taskRoute } from './tasks.ts'
import { connectorFetch } from './tools/fetch.ts'
import { roomTools } from './tools/room-tools.ts'
import { connectorSearch } from './tools/search.ts'

const VERSION = '0.1.0'

/** The workspace plugin with the given clock and disk; `plugin` uses the real ones. */
export function workspacePlugin(world: RoomWorld) {
  return definePlugin({
    name: 'workspace',
    version: VERSION,
    apiVersion: 1,
    config: workspaceConfig,
    env: { SATCHEL_REPLICA_URL: 'replica_url' },
    setup: async (host, config) => setUp(host, config, world),
  })
}

/** The room: one Markdown file that people and agents edit together. */
export const plugin = workspacePlugin(realWorld)

/** Without a configured room, only the verbs that open one are offered. */
function setUp(host: Host, config: WorkspaceConfig, world: RoomWorld): PluginInstance {
  const room = createRoomProcess(host, config, world)
  const joint = createJoint(host)
  const { connection } = room
  const own = roomTools(connection, checkHandoffRecord, {
    feed: () => room.feed,
    closing: host.closing,
    joint,
  })
  const tools = config.connector ? [...own, connectorSearch(connection), connectorFetch(connection)] : own
  const commands = [
    openCommand(host, config, room),
    ...lookingCommands(host, room),
    ...joiningCommands(host, room),
    callCommand(host, room, own),
    editHookCommand(host),
  ].map(completingRooms)
  const stores = (saved: readonly string[]) => roomStores(host, config.file, saved)
  const database = { name: 'rooms', migrations: MIGRATIONS }
  const hasRoom = config.file !== undefined || host.verb === 'workspace'
  if (!hasRoom) {
    const remote = remoteRoom(host, config)
    const evidence = [roomEvidence(host, room)]
    return { commands, stores, database, evidence, ...(remote && { remote }), stop: room.stop }
  }
  return {
    ...offered(room, joint),
    tools,
    commands,
    stores,
    database,
    searchers: [roomSearcher(host, room)],
    evidence: [roomEvidence(host, room)],
    doctor: () => findingsOf(host, room),
    measurements: async () => roomMeasurements(room.meter),
    refusals,
    howToJoin: 'Join the room first.',
    served: (listener) => openAt(listener, { host, room, world }),
    stop: room.stop,
  }
}

/** Opens the room as soon as `serve` or `mcp --transport` listens, so that invitations to it work. */
async function openAt(
  listener: OpenListener,
  { host, room, world }: { host: Host; room: RoomProcess; world: RoomWorld },
): Promise<void> {
  room.listen(listener)
  if (['api', 'mcp'].includes(listener.name)) await openServed(room, host, world)
}

/** Findings for the host's `doctor`; reads only, and returns none where no room is configured. */
async function findingsOf(host: Host, room: RoomProcess): Promise<readonly Finding[]> {
  const place = namedPlace(room, undefined)
  return place ? roomFindings(host, place) : []
}

function offered(room: RoomProcess, joint: Joint): PluginInstance {
  const { connection } = room
  return {
    resources: roomResources(connection),
    prompts: roomPrompts(connection),
    streams: [observeStream(connection, () => room.feed)],
    tasks: roomTasks(connection, joint),
    routes: [
      sessionJoinRoute(connection),
      sessionRenewRoute(connection),
      passedOn(connection, roomRoute(connection)),
      passedOn(connection, taskRoute(connection, joint)),
      ...replicaRoutes(connection),
      ...pageRoutes(),
      claimRoute(connection, room.claims),
      ...documentRoutes(connection).map((route) => passedOn(connection, route)),
      ...localRoutes({
        connection,
        urls: () => ['owner', 'ingress'].flatMap((name) => room.addressOf(name) ?? []),
        ownerLink: () => ownerLink(room),
        yieldRoom: room.yieldRoom,
      }),
      ...wellKnownRoutes(VERSION),
    ],
    authenticate: connection.authenticate,
  }
}

/** A fresh link to the owner page: its key is in the fragment, which reaches no log and no other site. */
export function ownerLink(room: RoomProcess): string | undefined {
  const address = room.addressOf('owner')
  return address === undefined ? undefined : `${address}/#k=${room.claims.issue()}`
}
