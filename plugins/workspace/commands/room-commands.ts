import type { Command, Host } from '../../../server/plugin.ts'
import type { WorkspaceConfig } from '../config.ts'
import type { RoomProcess } from '../connection/room-process.ts'
import { checkHandoffRecord } from '../handoff-record.ts'
import { roomTools } from '../tools/room-tools.ts'
import { callCommand } from './call.ts'
import { joiningCommands } from './joining.ts'
import { lookingCommands } from './looking.ts'
import { openCommand } from './open.ts'

/** The verbs of `satchel workspace`. */
export function roomCommands(host: Host, config: WorkspaceConfig, room: RoomProcess): readonly Command[] {
  return [
    openCommand(host, config, room),
    ...lookingCommands(host, room),
    ...joiningCommands(host, room),
    callCommand(host, room, roomTools(room.connection, checkHandoffRecord)),
  ]
}
