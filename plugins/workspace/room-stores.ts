import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import type { BackupStore, Host } from '../../server/plugin.ts'
import { runningOwner } from './commands/target.ts'
import { type RoomPlace, roomPlace } from './engine/open-room.ts'
import { roomNamesIn } from './room-files.ts'

/** Locks, and what an interrupted write left. */
const EXCEPT = /^lock-|(^|\/)\.tmp-|\.tmp$/

/** The rooms of the project: the configured one, those that were opened there, and those of the backup `saved`. */
export async function roomStores(
  host: Host,
  file: string | undefined,
  saved: readonly string[],
): Promise<readonly BackupStore[]> {
  const opened = await roomNamesIn(host.projectRoot)
  const at = (path: string): RoomPlace => roomPlace(resolve(host.projectRoot, path), host.env)
  const configured = file === undefined ? undefined : at(file)
  const others = [...new Set([...opened, ...saved])]
    .filter((name) => basename(name) === name)
    .map(at)
    .filter((place) => place.file !== configured?.file)
  const inRoot = others.map((place) => storeOf(place, basename(place.file)))
  return configured ? [storeOf(configured, nameOf(configured, at('.').file)), ...inRoot] : inRoot
}

/** The document below the root as a path with slashes; one elsewhere cannot have the name of another. */
function nameOf({ file }: RoomPlace, root: string): string {
  const below = relative(root, file).split(sep)
  return below[0] === '..' || isAbsolute(below.join(sep)) ? `elsewhere/${basename(file)}` : below.join('/')
}

function storeOf(place: RoomPlace, name: string): BackupStore {
  return {
    name,
    parts: [
      { name: 'sidecar', path: place.sidecar, except: EXCEPT },
      { name: 'document', path: place.file },
    ],
    inUse: async () =>
      (await runningOwner(place)) === undefined
        ? undefined
        : `The room of ${name} is open in another process: close it first.`,
  }
}
