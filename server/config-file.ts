import { isUtf8 } from 'node:buffer'
import { lstat } from 'node:fs/promises'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import type { ConfigText } from './config-text.ts'
import { type RegularBytes, readRegularBytes } from './platform/regular-file.ts'
import { refusals } from './refusals.ts'

interface FileRequest {
  readonly file?: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

interface FoundFile {
  /** Absolute. */
  readonly file: string
  readonly text: ConfigText
}

/** Maximum size in bytes, far above any real configuration. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Finds and reads the configuration file: `file`, else `SERVICE_CONFIG`, `./satchel.yaml`, `./config.yaml`; undefined when
 * there is none. `ownKeys` are the top-level keys that identify a `config.yaml` as ours.
 * Errors: `not_found`/`config_not_found` for an explicitly named file, or for a folder, pipe or device, and for a
 * `satchel.yaml` that cannot be read; `invalid`/`config_not_utf8`, `config_syntax`.
 */
export async function findConfigFile(
  request: FileRequest,
  ownKeys: readonly string[],
): Promise<FoundFile | undefined> {
  const named = request.file ?? request.env['SERVICE_CONFIG']
  if (named) {
    const file = resolve(request.cwd, named)
    const read = await readBytes(file).catch((cause: NodeJS.ErrnoException) => {
      const isMissing = cause.code === 'ENOENT'
      throw isMissing
        ? refusals.config_missing({ file: named }, { cause })
        : refusals.config_unreadable({ file: named, error: String(cause.code) }, { cause })
    })
    if (read.kind === 'bytes') return { file, text: await parseBytes(read.bytes, named) }
    throw (read.kind === 'no file' ? refusals.config_not_a_file : refusals.config_too_large)({ file: named })
  }
  return (await findOwn(request.cwd)) ?? (await findForeign(request.cwd, ownKeys))
}

/** What limits a server may be in a file that this user cannot read: the defaults would lift it. */
async function findOwn(cwd: string): Promise<FoundFile | undefined> {
  const name = 'satchel.yaml'
  const file = resolve(cwd, name)
  const read = await readBytes(file).catch(async (cause: NodeJS.ErrnoException) => {
    const isThere = await lstat(file).catch(() => undefined)
    if (isThere) throw refusals.config_unreadable({ file: name, error: String(cause.code) }, { cause })
  })
  if (read?.kind === 'too large') throw refusals.config_too_large({ file: name })
  return read?.kind === 'bytes' ? { file, text: await parseBytes(read.bytes, name) } : undefined
}

/** Ignores a `config.yaml` without any of our keys, because other programs use the name too. */
async function findForeign(cwd: string, ownKeys: readonly string[]): Promise<FoundFile | undefined> {
  const name = 'config.yaml'
  const file = resolve(cwd, name)
  const text = await readBytes(file)
    .then((read) => (read.kind === 'bytes' ? parseText(read.bytes.toString('utf8'), name) : undefined))
    .catch(() => undefined)
  const ours = text && Object.keys(text.values).some((key) => key !== 'plugins' && ownKeys.includes(key))
  return ours ? { file, text } : undefined
}

/** The null device is an empty file. */
async function readBytes(file: string): Promise<RegularBytes | { kind: 'bytes'; bytes: Buffer }> {
  return file === devNull ? { kind: 'bytes', bytes: Buffer.alloc(0) } : readRegularBytes(file, MAX_BYTES)
}

async function parseBytes(bytes: Buffer, name: string): Promise<ConfigText> {
  if (!isUtf8(bytes)) throw refusals.config_not_utf8({ file: name })
  return parseText(bytes.toString('utf8'), name)
}

async function parseText(content: string, name: string): Promise<ConfigText> {
  const { readConfigText } = await import('./config-text.lazy.ts')
  return readConfigText(content, name)
}
