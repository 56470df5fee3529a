import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { isSatchelError } from '../contract/errors.ts'
import { systemCode } from '../platform/disk.ts'
import { writeFileDurably } from '../platform/durable-file.ts'
import { giveFile, makeFolder, removeFile } from '../platform/file-tree.ts'
import { confineTo } from '../platform/paths.ts'
import { readRegularBytes } from '../platform/regular-file.ts'
import { homeOf } from '../state-folder.ts'
import type { ConfigPlace } from './clients.ts'
import { ConfigFault, LayoutFault } from './config-format.ts'
import { folderOf, type SetupPlace, shownPath } from './folders.ts'
import { refusals } from './refusals.ts'

/** Largest configuration that is edited: one client keeps its history in the same file. */
const MAX_BYTES = 64 * 1024 * 1024
const BYTE_ORDER_MARK = '\uFEFF'

/** A configuration file as it was read. */
export interface ConfigFile {
  /** With links followed. */
  readonly path: string
  /** As a person writes the path. */
  readonly shown: string
  /** Undefined: there is no file. */
  readonly bytes: Buffer | undefined
  /** Its text, without a byte order mark. */
  readonly text: string
  readonly mode?: number
  readonly owner?: { readonly uid: number; readonly gid: number }
}

/**
 * Reads the file at a place of a client. Links inside the home or the project are followed.
 * Errors: the `config_*` refusals.
 */
export async function readConfigFile(place: ConfigPlace, at: SetupPlace): Promise<ConfigFile> {
  const folder = folderOf(place.in, at)
  const root = place.in === 'project' ? folder : homeOf(at.env)
  const [first = '', ...others] = place.names
  const wanted = await firstThere(folder, [first, ...others], [root, folder])
  const shown = shownPath(wanted, at)
  const path = await confineTo(
    [root, folder],
    folder,
  )(wanted).catch((cause: unknown) => {
    throw isSatchelError(cause)
      ? refusals.config_link_leads_out({ path: shown, root: shownPath(root, at) }, { cause })
      : cause
  })
  return { path, shown, ...(await contentOf(path, shown)) }
}

async function firstThere(
  folder: string,
  names: readonly string[],
  roots: readonly string[],
): Promise<string> {
  const paths = names.map((name) => join(folder, name))
  const confined = confineTo(roots, folder)
  for (const path of paths) {
    const isThere = await confined(path)
      .then((real) => readRegularBytes(real, 0))
      .then(
        () => true,
        (thrown) => systemCode(thrown) !== 'ENOENT',
      )
    if (isThere) return path
  }
  return paths[0] ?? folder
}

type Content = Pick<ConfigFile, 'bytes' | 'text' | 'mode' | 'owner'>

async function contentOf(path: string, shown: string): Promise<Content> {
  const found = await readRegularBytes(path, MAX_BYTES).catch((cause: unknown) => {
    const error = systemCode(cause)
    if (error === 'ENOENT') return undefined
    if (error === 'ENOTDIR') throw refusals.config_not_a_file({ path: shown }, { cause })
    throw error === undefined ? cause : refusals.config_no_access({ path: shown, error }, { cause })
  })
  if (found === undefined) return { bytes: undefined, text: '' }
  if (found.kind === 'no file') throw refusals.config_not_a_file({ path: shown })
  if (found.kind === 'too large') throw refusals.config_too_large({ path: shown, max_bytes: MAX_BYTES })
  const { mode, uid, gid } = found.stats
  return { bytes: found.bytes, text: textOf(found.bytes, shown), mode: mode & 0o7777, owner: { uid, gid } }
}

function textOf(bytes: Buffer, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) // it drops a byte order mark
  } catch (cause) {
    throw refusals.config_not_utf8({ path: shown }, { cause })
  }
}

/** The bytes of a file whose text becomes `text`: a byte order mark stays. */
export function bytesOf({ bytes }: ConfigFile, text: string): Buffer {
  const mark = bytes?.subarray(0, 3).toString() === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
  return Buffer.from(mark + text)
}

/**
 * Runs an edit of the text of a file; `byHand` says what to do where satchel cannot edit its form.
 * Errors: `invalid`/`config_not_parsed`, `config_not_editable`.
 */
export function editing<T>(
  { shown }: ConfigFile,
  edit: () => T,
  byHand: () => ByHand = () => ({ step: '' }),
): T {
  try {
    return edit()
  } catch (thrown) {
    if (!(thrown instanceof ConfigFault)) throw thrown
    const where = { path: shown, line: thrown.line, fault: thrown.message }
    if (!(thrown instanceof LayoutFault)) throw refusals.config_not_parsed(where, { cause: thrown })
    const { step, lines } = byHand()
    throw refusals.config_not_editable(
      { ...where, by_hand: step },
      { cause: thrown, ...(lines !== undefined && { details: { lines } }) },
    )
  }
}

/** What a person does in place of an edit. */
export interface ByHand {
  readonly step: string
  /** The text to put in. */
  readonly lines?: string
}

/** Refuses a file that this user should not replace, although the rights of its folder might allow it. */
export function requireWritable({ shown, mode, owner }: ConfigFile): void {
  if (mode !== undefined && (mode & 0o200) === 0) throw refusals.config_read_only({ path: shown })
  const user = process.getuid?.()
  if (owner && user !== undefined && user !== 0 && user !== owner.uid)
    throw refusals.config_not_yours({ path: shown })
}

/**
 * Replaces a file with `content`, or removes it for undefined, unless it changed since it was read; owner and mode stay.
 * Errors: `conflict`/`config_changed`, `config_no_access`, `unavailable`/`config_not_written`.
 */
export async function replaceConfigFile(file: ConfigFile, content: Buffer | undefined): Promise<void> {
  const { path, shown, mode, owner } = file
  const requireUnchanged = async (): Promise<void> => {
    const now = (await contentOf(path, shown)).bytes
    if (now === undefined ? file.bytes !== undefined : !file.bytes?.equals(now))
      throw refusals.config_changed({ path: shown })
  }
  // One setup of a user runs at a time: what has this name was left by a killed one.
  const temp = join(dirname(path), `.${basename(path)}.satchel-setup`)
  try {
    await removeFile(temp)
    if (content === undefined) {
      await requireUnchanged()
      return await removeFile(path)
    }
    await makeFolder(dirname(path))
    await writeFileDurably(path, content, {
      temp,
      ...(mode !== undefined && { mode }),
      async beforeCommit() {
        if (owner && process.getuid) await giveFile(temp, owner)
        await requireUnchanged()
      },
    })
  } catch (cause) {
    const error = systemCode(cause)
    if (error === undefined) throw cause
    const isDenied = error === 'EACCES' || error === 'EPERM' || error === 'EROFS'
    const refuse = isDenied ? refusals.config_no_access : refusals.config_not_written
    throw refuse({ path: shown, error }, { cause })
  }
}

/** `sha256:` and the hash of the bytes. */
export function digestOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes && `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
