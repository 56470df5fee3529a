import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { packageRoot } from '../package-root.ts'
import { SETUP_CLIENTS, type SetupClient } from './clients.ts'
import type { ServerCommand } from './entries.ts'
import { folderOf, type SetupPlace } from './folders.ts'

/** The clients that this user has: their program is on the PATH, or they made their folder. */
export function installedClients(at: SetupPlace): readonly SetupClient[] {
  return SETUP_CLIENTS.filter(
    ({ programs, traces }) =>
      programs.some((program) => programOnPath(program, at) !== undefined) ||
      traces.some(([folder, name]) => existsSync(join(folderOf(folder, at), name))),
  )
}

/** What starts this satchel: its name where the PATH leads to it, else Node and its file. */
export function launchCommand(at: SetupPlace): ServerCommand {
  const script = realpathSync(ownScript())
  const found = at.platform === 'win32' ? undefined : programOnPath('satchel', at) // a client there starts no `.cmd`
  if (found !== undefined && realpathSync(found) === script) return { command: 'satchel', args: [] }
  return { command: process.execPath, args: [script] }
}

/** Whether npm may remove this satchel: `npx` keeps it in a cache. */
export function isInCacheOfNpx(): boolean {
  return /[\\/]_npx[\\/]/.test(packageRoot())
}

function ownScript(): string {
  const built = join(packageRoot(), 'dist', 'satchel.js')
  return existsSync(built) ? built : (process.argv[1] ?? built)
}

function programOnPath(name: string, { env, platform }: SetupPlace): string | undefined {
  const ends = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.flatMap((folder) => ends.map((end) => join(folder, `${name}${end}`))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
