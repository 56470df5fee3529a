import { statSync } from 'node:fs'
import { isJsonObject } from '../../../server/plugin.ts'

/**
 * What tells this sidecar from a copy of it, by whatever path it is reached: device and inode. Undefined where there is
 * none. A folder copied while its room is open holds a lock that names the owner of the first.
 */
export function placeMark(sidecar: string): string | undefined {
  const stat = statSync(sidecar, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** True when the owner that gave `ping` keeps another room than the one at `sidecar`. An owner that does not say is believed. */
export function isOfAnotherPlace(ping: unknown, sidecar: string): boolean {
  const mark = isJsonObject(ping) ? ping['place'] : undefined
  return mark !== undefined && mark !== placeMark(sidecar)
}
