import type { Command, Host } from '../../../server/plugin.ts'
import { churnCommand } from '../bench/churn-command.ts'
import { benchCommand } from '../bench/command.ts'
import { benchEventsCommand } from '../bench/events-command.ts'
import type { WorkspaceConfig } from '../config.ts'
import { tortureCommand } from '../engine/torture/command.ts'
import { checkHandoffRecord } from '../handoff-record.ts'
import type { RoomProcess } from '../house/room-process.ts'
import { roomTools } from '../tools/room-tools.ts'
import { callCommand } from './call.ts'
import { joiningCommands } from './joining.ts'
import { lookingCommands } from './looking.ts'
import { openCommand } from './open.ts'

/** The verbs of `satchel workspace`, and `bench room`, `bench events`, `torture room` and `torture churn`. */
export function roomCommands(host: Host, config: WorkspaceConfig, room: RoomProcess): readonly Command[] {
  return [
    openCommand(host, config, room),
    ...lookingCommands(host, room),
    ...joiningCommands(host, room),
    callCommand(host, room, roomTools(room.house, checkHandoffRecord)),
    benchCommand(host),
    benchEventsCommand(),
    tortureCommand(host),
    churnCommand(host),
  ]
}
