import { join } from 'node:path'
import { homeFolder } from './platform/home-folder.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The home of this user. */
export function homeOf(env: Env): string {
  return env['HOME'] || env['USERPROFILE'] || homeFolder()
}

/** Where satchel keeps what belongs to this user on this machine: tokens, and what undoes a setup. */
export function satchelStateFolder(env: Env, platform: NodeJS.Platform = process.platform): string {
  const home = homeOf(env)
  const state =
    platform === 'win32'
      ? env['LOCALAPPDATA'] || join(home, 'AppData', 'Local')
      : env['XDG_STATE_HOME'] || join(home, '.local', 'state')
  return join(state, 'satchel')
}
