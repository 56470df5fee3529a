import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type Host, type OpenListener, openableAddress, type SatchelError } from '../../../server/plugin.ts'
import type { WorkspaceConfig } from '../config.ts'
import { createMeter, type Meter } from '../engine/meter.ts'
import { type RoomPlace, roomPlace } from '../engine/open-room.ts'
import type { Rank } from '../engine/room-lock.ts'
import { createFeed, type Feed } from '../feed.ts'
import { refusals } from '../reasons.ts'
import { createAttachment, HOLD_BACK_MS } from './attachment.ts'
import { type Claims, createClaims } from './claims.ts'
import type { RoomWorld } from './clock.ts'
import { databaseRoom, ownedElsewhere } from './database-room.ts'
import { tellOfFile } from './file-states.ts'
import { createFollower } from './follower.ts'
import { createLocalSession } from './local-session.ts'
import { type OwnerAttempt, takeRoom } from './owner.ts'
import { createReplicaWatch } from './replica-watch.ts'
import { createRoomConnection, type RoomConnection } from './room-connection.ts'

/** What a command may set before the room is touched. */
export interface OpenOptions {
  readonly file: string
  readonly name?: string | undefined
  readonly staleness?: 'strict' | 'section' | undefined
  readonly takeOver?: boolean | undefined
  readonly ephemeral?: boolean | undefined
  readonly maxStreams?: number | undefined
  /** The address that invitations name; absent: that of the listener. */
  readonly publicUrl?: string | undefined
  /** The name of the project in the database, for a room that is kept there. */
  readonly database?: string | undefined
  /** Says where people look that the file is missing, invalid, or readable again; absent: the log. */
  readonly say?: ((line: string) => void) | undefined
  /** The process ends with this room: after its store failed it is not opened again. */
  readonly once?: boolean | undefined
}

/** One process's state of its room. Owned by the plugin, which stops it once; nothing is opened before the first call. */
export interface RoomProcess {
  readonly connection: RoomConnection
  readonly feed: Feed
  readonly claims: Claims
  readonly meter: Meter
  /** Where the room is. Errors: `unavailable`/`room_not_running` where none is configured; `not_found`/`room_not_found`. */
  place(): RoomPlace
  /** Where another machine has the room open, as a refusal; undefined for a room in files. Errors: those of the database. */
  elsewhere(): Promise<SatchelError | undefined>
  configure(options: OpenOptions): void
  /** Registers an open listener, whose address invitations then name. */
  listen(listener: OpenListener): void
  addressOf(name: string): string | undefined
  /** Releases the room; the next call attaches again. */
  yieldRoom(): Promise<void>
  stop(): Promise<void>
}

/** The configured room of this process, not yet open. */
export function createRoomProcess(host: Host, config: WorkspaceConfig, world: RoomWorld): RoomProcess {
  let options: OpenOptions | undefined =
    config.file === undefined ? undefined : { file: config.file, database: config.database }
  let feed = createFeed()
  const listeners: OpenListener[] = []
  const meter = createMeter()
  const addressOf = (name: string): string | undefined =>
    listeners.find((listener) => listener.name === name)?.address
  const isServed = (): boolean => ['api', 'mcp'].some((name) => addressOf(name) !== undefined)
  const place = (): RoomPlace => {
    if (!options) throw refusals.room_not_named()
    return findPlace(resolve(host.projectRoot, options.file), host.env)
  }
  const lost = (reason: unknown): void => {
    const released = options?.once ? attachment.end(reason) : attachment.letGo()
    released.catch((error) => host.log.error('the room was not released', { error }))
  }
  let known: string | undefined
  const take = async (rank: Rank): Promise<OwnerAttempt> => {
    const at = place()
    // Do not start a new room silently where the sidecar of an open one disappeared.
    if (known === at.sidecar && !existsSync(known)) {
      throw refusals.sidecar_removed({ folder: basename(at.sidecar), file: basename(at.file) })
    }
    const attempt = await takeRoom({
      host,
      world,
      feed,
      meter,
      rank,
      place: at,
      inDatabase: databaseRoom(host, at, options?.database),
      staleness: options?.staleness ?? config.staleness,
      ...(options?.name !== undefined && { name: options.name }),
      ...(options?.takeOver !== undefined && { takeOver: options.takeOver }),
      ...(options?.ephemeral !== undefined && { ephemeral: options.ephemeral }),
      replicaUrl: isServed() ? config.replica_url : undefined,
      substrateChanged: tellOfFile(basename(at.file), options?.say ?? ((line) => host.log.warn(line))),
      endpoints: () => endpointsOf(options?.publicUrl ?? config.public_url, addressOf),
      lost,
    })
    known = at.sidecar
    return attempt
  }
  const attachment = createAttachment(take, place)
  const local = createLocalSession(attachment, { name: config.name, asOwner: config.as === 'owner' })
  const { follow, stop: stopFollowing } = createFollower(host, attachment)
  const replicaWatch = createReplicaWatch(host, attachment)
  return {
    elsewhere: () => ownedElsewhere(host, place(), options?.database ?? config.database),
    connection: createRoomConnection({ attachment, local, follow, watch: replicaWatch.follow, world }),
    get feed() {
      return feed
    },
    claims: createClaims(world.random),
    meter,
    place,
    configure(wanted) {
      options = wanted
      if (wanted.maxStreams !== undefined) feed = createFeed(wanted.maxStreams)
    },
    listen: (listener) => void listeners.push(listener),
    addressOf,
    yieldRoom: () => attachment.letGo(HOLD_BACK_MS),
    async stop() {
      stopFollowing()
      replicaWatch.stop()
      await local.leave().catch((error) => host.log.debug('could not leave', { error }))
      await attachment.letGo()
    },
  }
}

/** The addresses that invitations name: the public one alone, which is reached from everywhere, or those of the listeners. */
function endpointsOf(
  publicUrl: string | undefined,
  addressOf: (listener: string) => string | undefined,
): readonly string[] {
  if (publicUrl !== undefined) return [new URL(publicUrl).origin]
  return ['ingress', 'api', 'mcp'].flatMap((name) => reachable(addressOf(name)) ?? [])
}

/** A listener on all addresses is reached by loopback: it always works, and its traffic stays on this machine. */
function reachable(address: string | undefined): string | undefined {
  return address && openableAddress(address)
}

/** The place of the room around a file. Errors: `not_found`/`room_not_found` if its folder is missing. */
function findPlace(path: string, env: Host['env']): RoomPlace {
  try {
    return roomPlace(path, env)
  } catch (cause) {
    throw refusals.folder_not_found({ cause })
  }
}
