import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where satchel keeps what belongs to this user on this machine: tokens. */
export function satchelStateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const state =
    env['XDG_STATE_HOME'] || env['LOCALAPPDATA'] || join(env['HOME'] || homedir(), '.local', 'state')
  return join(state, 'satchel')
}
