import { join, sep } from 'node:path'
import { homeOf, satchelStateFolder } from '../state-folder.ts'
import type { FolderName } from './clients.ts'
import { gitFolder } from './git-folder.ts'

/** The process as a setup sees it. */
export interface SetupPlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly projectRoot: string
  readonly platform: NodeJS.Platform
}

/** The folder of that name. The environment names of each client are those that the client itself reads. */
export function folderOf(name: FolderName, { env, projectRoot, platform }: SetupPlace): string {
  const home = homeOf(env)
  const config = env['XDG_CONFIG_HOME'] || join(home, '.config')
  const roaming = env['APPDATA'] || join(home, 'AppData', 'Roaming')
  const isWindows = platform === 'win32'
  const application = platform === 'darwin' ? join(home, 'Library', 'Application Support') : config
  const folders: Readonly<Record<FolderName, string>> = {
    home,
    project: projectRoot,
    git: name === 'git' ? gitFolder(projectRoot) : '',
    config,
    zed: isWindows
      ? join(roaming, 'Zed')
      : join(platform === 'darwin' ? join(home, '.config') : config, 'zed'),
    code: join(isWindows ? roaming : application, 'Code', 'User'),
    claude: env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'),
    'claude-state': env['CLAUDE_CONFIG_DIR'] || home,
    codex: env['CODEX_HOME'] || join(home, '.codex'),
    gemini: join(env['GEMINI_CLI_HOME'] || home, '.gemini'),
    qwen: env['QWEN_HOME'] || join(home, '.qwen'),
    continue: env['CONTINUE_GLOBAL_DIR'] || join(home, '.continue'),
  }
  return folders[name]
}

/** Where satchel keeps what it needs to undo a setup. */
export function stateFolder({ env, platform }: SetupPlace): string {
  return join(satchelStateFolder(env, platform), 'setup')
}

/** A path as a person writes it: from the home, or from the project. */
export function shownPath(path: string, { env }: Pick<SetupPlace, 'env'>): string {
  const home = homeOf(env)
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}
