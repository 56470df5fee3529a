import type { Disk } from '../../server/plugin.ts'

/** A disk as one process has it, which is killed at one of its calls. */
export interface MortalDisk {
  readonly disk: Disk
  isDead(): boolean
  /** Resolves when the process is dead and the calls that were under way have ended, as a kill waits for them. */
  readonly died: Promise<void>
}

/**
 * The process dies at its `calls`-th call of `disk`, which is not made. What it does afterwards in memory is of no
 * account: no call of it reaches the disk, none returns.
 */
export function mortalDisk(disk: Disk, calls: number): MortalDisk {
  const underWay = new Set<Promise<unknown>>()
  let left = calls
  let die = (): void => {}
  const died = new Promise<void>((resolve) => {
    die = () => void Promise.allSettled(underWay).then(() => resolve())
  })
  const lives = (): boolean => {
    if (left > 0) left -= 1
    if (left === 0) die()
    return left > 0
  }
  const soon = <A extends readonly unknown[], R>(call: (...given: A) => Promise<R>) => {
    return (...given: A): Promise<R> =>
      new Promise((resolve, reject) => {
        if (!lives()) return
        const made = call(...given)
        underWay.add(made)
        made
          .then(
            (answer) => left > 0 && resolve(answer),
            (thrown: unknown) => left > 0 && reject(thrown),
          )
          .finally(() => underWay.delete(made))
      })
  }
  const atOnce = <A extends readonly unknown[], R>(call: (...given: A) => R) => {
    return (...given: A): R => {
      if (!lives()) throw new Error('The process is dead')
      return call(...given)
    }
  }
  const mortal: Disk = {
    statSync: atOnce(disk.statSync),
    readFileSync: atOnce(disk.readFileSync),
    appendSync: atOnce(disk.appendSync),
    openSync: atOnce(disk.openSync),
    openToReadSync: atOnce(disk.openToReadSync),
    sizeSync: atOnce(disk.sizeSync),
    readSync: atOnce(disk.readSync),
    writeSync: atOnce(disk.writeSync),
    truncateSync: atOnce(disk.truncateSync),
    flushSync: atOnce(disk.flushSync),
    closeSync: atOnce(disk.closeSync),
    createSync: atOnce(disk.createSync),
    syncDirectorySync: atOnce(disk.syncDirectorySync),
    stat: soon(disk.stat),
    stamp: soon(disk.stamp),
    readFile: soon(disk.readFile),
    readPart: soon(disk.readPart),
    flush: soon(disk.flush),
    create: soon(disk.create),
    list: soon(disk.list),
    mkdir: soon(disk.mkdir),
    rename: soon(disk.rename),
    link: soon(disk.link),
    unlink: soon(disk.unlink),
    syncDirectory: soon(disk.syncDirectory),
  }
  return { disk: mortal, isDead: () => left === 0, died }
}
