import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

export const NO_SMALL_DISK = 'NOT RUN: this system has no small disk (mount, tmpfs)'

/** A disk of one megabyte that the server can write; undefined where this system allows none: say `NO_SMALL_DISK`. */
export function openSmallDisk(t: TestContext) {
  const parent = mkdtempSync(join(tmpdir(), 'satchel-disk-'))
  t.after(() => {
    spawnSync('umount', ['-l', join(parent, 'disk')])
    rmSync(parent, { recursive: true, force: true })
  })
  const [disk, folder] = [join(parent, 'disk'), join(parent, 'disk/small')]
  mkdirSync(disk)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status !== 0) return undefined
  mkdirSync(folder, { mode: 0o700 })
  chmodSync(parent, 0o755)
  chownSync(folder, 65534, 65534)
  const resize = (size: string): void => void spawnSync('mount', ['-o', `remount,size=${size}`, disk])
  const filler = join(disk, 'filler')
  return {
    folder,
    grow: () => resize('16m'),
    /** Takes all the room that is left, until `free`. */
    fill: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']),
    free: () => rmSync(filler, { force: true }),
  }
}
