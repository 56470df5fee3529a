import { createHash } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderSync, removeFileSync } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

// 108 bytes on Linux, 104 on macOS; Node 20 cuts a longer path silently and listens under another name.
const SOCKET_PATH_MAX_BYTES = 100 // design workspace-engine 3

export interface SocketPlace {
  readonly platform: NodeJS.Platform
  /** `XDG_RUNTIME_DIR`, if set. */
  readonly runtimeDir: string | undefined
  readonly uid: number
  /** The number of the owner where each has a socket of its own: one that was taken for dead may still have its socket. */
  readonly owner?: number
}

/** Where the owner of the room around `file` (its real path) listens. Always short enough for the system. */
export function socketPath(sidecar: string, file: string, place: SocketPlace): string {
  const suffix = place.owner === undefined ? '' : `-${place.owner}`
  const name = createHash('sha256').update(`${file}${suffix}`).digest('hex').slice(0, 16)
  if (place.platform === 'win32') return `\\\\.\\pipe\\satchel-${name}`
  const beside = join(sidecar, `owner${suffix}.sock`)
  if (fits(beside)) return beside
  const roots = [place.runtimeDir, '/tmp'].filter((root) => root !== undefined && root !== '')
  const paths = roots.map((root) => join(root ?? '/tmp', `satchel-${place.uid}`, `${name}.sock`))
  return paths.find(fits) ?? join('/tmp', `satchel-${place.uid}`, `${name}.sock`)
}

/**
 * Makes room for the owner's socket: its folder private, a dead owner's socket removed. Only for the owner.
 * Errors: `forbidden`/`socket_folder_unsafe` when others could put a socket of theirs there.
 */
export function prepareSocket(path: string, sidecar: string, place: SocketPlace): void {
  if (place.platform === 'win32') return
  if (dirname(path) !== sidecar) privateFolder(dirname(path), place.uid)
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) removeFileSync(path)
}

function privateFolder(path: string, uid: number): void {
  makeFolderSync(path, 0o700)
  const found = lstatSync(path)
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return
  throw refusals.socket_folder_unsafe()
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES
}
