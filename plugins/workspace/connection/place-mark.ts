import { statSync } from 'node:fs'
import { isJsonObject } from '../../../server/plugin.ts'

/**
 * Device and inode of the sidecar, which tell it from a copy on every path; undefined if it does not exist. The copy of
 * an open room holds a lock that names the owner of the original.
 */
export function placeMark(sidecar: string): string | undefined {
  const stat = statSync(sidecar, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}`
}

/** True if the owner that answered `ping` has another sidecar than this one. False if its answer does not say. */
export function isOfAnotherPlace(ping: unknown, sidecar: string): boolean {
  const mark = isJsonObject(ping) ? ping['place'] : undefined
  return mark !== undefined && mark !== placeMark(sidecar)
}
