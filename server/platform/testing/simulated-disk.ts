import { basename, dirname } from 'node:path'
import { bytesOfContent, type Disk, type FileFacts } from '../disk.ts'

/** What lies on a disk: path to content. */
export type Image = ReadonlyMap<string, Buffer | 'directory'>

/** One file or directory; its name may change. */
export interface SimulatedNode {
  readonly id: number
  readonly kind: 'file' | 'directory'
}

/** One call that changed the disk or made something durable, as the medium saw it. */
export type Change =
  | {
      readonly kind: 'names'
      /** The directory whose flush makes this durable. */
      readonly directory: string
      readonly set: readonly (readonly [path: string, node: SimulatedNode | undefined])[]
    }
  | { readonly kind: 'write'; readonly node: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly node: number; readonly length: number }
  /** Everything of this file before change number `before` is durable. */
  | { readonly kind: 'flush'; readonly node: number; readonly before: number }
  | { readonly kind: 'flush names'; readonly directory: string; readonly before: number }

/** Which call fails, and how. `landed`: the bytes arrived, but the call said they did not. */
export interface Fault {
  readonly call: 'write' | 'flush' | 'rename'
  /** Counted from the first call of the run; with `every` also each further one at that distance. */
  readonly nth: number
  readonly every?: number
  readonly code: 'ENOSPC' | 'EIO' | 'EACCES'
  readonly how?: 'whole' | 'partial' | 'landed'
}

export interface SimulatedDisk {
  readonly disk: Disk
  /** Everything that happened, in order; the power can be cut between any two. */
  readonly changes: readonly Change[]
  /** The present content, as a running system sees it. */
  image(): Map<string, Buffer | 'directory'>
  /** Calls of this kind so far. */
  calls(call: Fault['call']): number
  /** Arms a fault, or disarms with undefined. */
  fail(fault: Fault | undefined): void
}

interface File {
  readonly node: SimulatedNode
  content: Buffer
  length: number
  modifiedMs: number
  mode: number
}

/** A disk in memory that remembers every change. `chance` only decides how many turns a flush takes. */
export function createSimulatedDisk(start: Image, chance: { below(limit: number): number }): SimulatedDisk {
  const state = new Files(start)
  return {
    disk: diskOf(state, async () => {
      for (let left = chance.below(4); left >= 0; left -= 1) await Promise.resolve()
    }),
    changes: state.changes,
    image: () => new Map([...state.names].map(([path, file]) => [path, contentOf(file)])),
    calls: (call) => state.counts[call],
    fail: (fault) => {
      state.fault = fault
    },
  }
}

/** The running system's view of the files, and the log of what it did to them. */
class Files {
  readonly changes: Change[] = []
  readonly names = new Map<string, File>()
  readonly counts = { write: 0, flush: 0, rename: 0 }
  fault: Fault | undefined
  readonly #files = new Map<number, File>()

  constructor(start: Image) {
    for (const [path, content] of start) {
      const file =
        content === 'directory'
          ? this.make('directory', Buffer.alloc(0), 0o700)
          : this.make('file', Buffer.from(content), 0o600)
      this.names.set(path, file)
    }
  }

  make(kind: SimulatedNode['kind'], content: Buffer, mode: number): File {
    const node = { id: this.#files.size + 1, kind }
    const file = { node, content, length: content.length, modifiedMs: this.changes.length, mode }
    this.#files.set(node.id, file)
    return file
  }

  find(path: string): File {
    return this.names.get(path) ?? refuse('ENOENT', path)
  }

  free(path: string): void {
    if (this.names.has(path)) refuse('EEXIST', path)
  }

  opened(id: number): File {
    return this.#files.get(id) ?? refuse('EBADF', String(id))
  }

  rename(directory: string, set: readonly (readonly [string, File | undefined])[]): void {
    for (const [path, file] of set) {
      if (file) this.names.set(path, file)
      else this.names.delete(path)
    }
    this.changes.push({ kind: 'names', directory, set: set.map(([path, file]) => [path, file?.node]) })
    for (const [path] of set) {
      const parent = this.names.get(dirname(path))
      if (parent) parent.modifiedMs = this.changes.length
    }
  }

  /** Counts the call; gives the fault it meets. */
  due(call: Fault['call']): Fault | undefined {
    this.counts[call] += 1
    const { fault } = this
    if (fault?.call !== call) return undefined
    const past = this.counts[call] - fault.nth
    return past === 0 || (fault.every !== undefined && past > 0 && past % fault.every === 0)
      ? fault
      : undefined
  }

  write(file: File, bytes: Uint8Array, offset: number): void {
    const failing = this.due('write')
    const share = failing ? { whole: 0, partial: 0.5, landed: 1 }[failing.how ?? 'whole'] : 1
    const landed = Math.floor(bytes.length * share)
    if (landed > 0) this.#store(file, bytes.subarray(0, landed), offset)
    if (failing) refuse(failing.code, 'write')
  }

  #store(file: File, bytes: Uint8Array, offset: number): void {
    const copy = Buffer.from(bytes)
    const end = offset + copy.length
    if (end > file.content.length) {
      const grown = Buffer.alloc(Math.max(end, file.content.length * 2))
      file.content.copy(grown, 0, 0, file.length)
      file.content = grown
    }
    copy.copy(file.content, offset)
    file.length = Math.max(file.length, end)
    this.changes.push({ kind: 'write', node: file.node.id, offset, bytes: copy })
    file.modifiedMs = this.changes.length
  }

  truncate(file: File, length: number): void {
    file.content.fill(0, Math.min(length, file.length))
    file.length = length
    this.changes.push({ kind: 'truncate', node: file.node.id, length })
    file.modifiedMs = this.changes.length
  }

  flush(node: number, before: number): void {
    const failing = this.due('flush')
    if (failing) refuse(failing.code, 'fdatasync')
    this.changes.push({ kind: 'flush', node, before })
  }

  flushNames(directory: string, before: number): void {
    const failing = this.due('flush')
    if (failing) refuse(failing.code, 'fsync')
    this.changes.push({ kind: 'flush names', directory, before })
  }
}

function diskOf(state: Files, turns: () => Promise<void>): Disk {
  return {
    ...lookingAt(state, turns),
    openSync: (path) => state.find(path).node.id,
    openToReadSync: (path) => state.find(path).node.id,
    sizeSync: (id) => state.opened(id).length,
    readSync: (id, into, position) => {
      const { content, length } = state.opened(id)
      return content.copy(into, 0, position, Math.min(length, position + into.length))
    },
    writeSync: (id, bytes, position) => state.write(state.opened(id), bytes, position),
    truncateSync: (id, length) => state.truncate(state.opened(id), length),
    flushSync: (id) => state.flush(id, state.changes.length),
    closeSync: () => {},
    flush: async (id) => {
      const before = state.changes.length
      await turns()
      state.flush(id, before)
    },
    create: async (path, content, mode = 0o644) => {
      state.free(path)
      state.find(dirname(path))
      const file = state.make('file', Buffer.alloc(0), mode)
      state.rename(dirname(path), [[path, file]])
      await turns()
      state.write(file, bytesOfContent(content), 0)
      const before = state.changes.length
      await turns()
      state.flush(file.node.id, before)
    },
    createSync: (path, content, mode = 0o644) => {
      state.free(path)
      state.find(dirname(path))
      const file = state.make('file', Buffer.alloc(0), mode)
      state.rename(dirname(path), [[path, file]])
      state.write(file, bytesOfContent(content), 0)
      state.flush(file.node.id, state.changes.length)
    },
    appendSync: (path, text) => {
      state.find(dirname(path))
      const file = state.names.get(path) ?? state.make('file', Buffer.alloc(0), 0o600)
      if (!state.names.has(path)) state.rename(dirname(path), [[path, file]])
      state.write(file, Buffer.from(text), file.length)
    },
    mkdir: async (path, mode) => {
      state.free(path)
      state.find(dirname(path))
      state.rename(dirname(path), [[path, state.make('directory', Buffer.alloc(0), mode)]])
    },
    ...namingOf(state, turns),
  }
}

function lookingAt(
  state: Files,
  turns: () => Promise<void>,
): Pick<Disk, 'stat' | 'statSync' | 'stamp' | 'readFile' | 'readFileSync' | 'readPart' | 'list'> {
  const statSync = (path: string): FileFacts | undefined => {
    const file = state.names.get(path)
    return file && factsOf(file)
  }
  const readFileSync = (path: string): Buffer => {
    const content = contentOf(state.find(path))
    return content === 'directory' ? refuse('EISDIR', path) : content
  }
  return {
    statSync,
    readFileSync,
    stat: async (path) => {
      await turns()
      return statSync(path)
    },
    stamp: async (path) => {
      await turns()
      const facts = statSync(path)
      const ns = `${facts?.modifiedMs}000000`
      return facts && [facts.size, ns, ns, facts.inode, 1].join(' ')
    },
    readFile: async (path) => {
      await turns()
      return readFileSync(path)
    },
    readPart: async (path, position, length) => {
      await turns()
      return readFileSync(path).subarray(position, position + length)
    },
    list: async (directory) => {
      await turns()
      if (state.find(directory).node.kind === 'file') refuse('ENOTDIR', directory)
      return [...state.names.keys()]
        .filter((path) => path !== '/' && dirname(path) === directory)
        .map((path) => basename(path))
    },
  }
}

function namingOf(
  state: Files,
  turns: () => Promise<void>,
): Pick<Disk, 'rename' | 'link' | 'unlink' | 'syncDirectory' | 'syncDirectorySync'> {
  return {
    rename: async (from, to) => {
      await turns()
      const failing = state.due('rename')
      if (failing) refuse(failing.code, 'rename')
      const file = state.find(from)
      state.rename(dirname(to), [
        [to, file],
        [from, undefined],
      ])
    },
    link: async (from, to) => {
      await turns()
      state.free(to)
      state.rename(dirname(to), [[to, state.find(from)]])
    },
    unlink: async (path) => {
      await turns()
      state.find(path)
      state.rename(dirname(path), [[path, undefined]])
    },
    syncDirectory: async (directory) => {
      const before = state.changes.length
      await turns()
      state.flushNames(directory, before)
    },
    syncDirectorySync: (directory) => state.flushNames(directory, state.changes.length),
  }
}

function contentOf(file: File): Buffer | 'directory' {
  return file.node.kind === 'directory' ? 'directory' : Buffer.from(file.content.subarray(0, file.length))
}

function factsOf(file: File): FileFacts {
  return {
    kind: file.node.kind,
    size: file.length,
    mode: file.mode,
    inode: String(file.node.id),
    modifiedMs: file.modifiedMs,
  }
}

/** An error as the system's own, with the call that failed where the engine tells flushes from writes. */
function refuse(code: string, syscall: string): never {
  throw Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall })
}
