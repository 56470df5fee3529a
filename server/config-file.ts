import { resolve } from 'node:path'
import type { ConfigText } from './config-text.ts'
import { readRegularFile } from './platform/regular-file.ts'
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
 * Errors: `not_found`/`config_not_found` for an explicitly named file, or for a folder, pipe or device;
 * `invalid`/`config_syntax`.
 */
export async function findConfigFile(
  request: FileRequest,
  ownKeys: readonly string[],
): Promise<FoundFile | undefined> {
  const named = request.file ?? request.env['SERVICE_CONFIG']
  if (named) {
    const file = resolve(request.cwd, named)
    const read = await readRegularFile(file, MAX_BYTES).catch((cause: NodeJS.ErrnoException) => {
      const isMissing = cause.code === 'ENOENT'
      throw isMissing
        ? refusals.config_missing({ file: named }, { cause })
        : refusals.config_unreadable({ file: named, error: String(cause.code) }, { cause })
    })
    if (read.kind === 'text') return { file, text: await parseText(read.text, named) }
    throw (read.kind === 'no file' ? refusals.config_not_a_file : refusals.config_too_large)({ file: named })
  }
  return (await findImplicit(request.cwd, 'satchel.yaml')) ?? (await findForeign(request.cwd, ownKeys))
}

async function findImplicit(cwd: string, name: string): Promise<FoundFile | undefined> {
  const file = resolve(cwd, name)
  const read = await readRegularFile(file, MAX_BYTES).catch(() => undefined)
  return read?.kind === 'text' ? { file, text: await parseText(read.text, name) } : undefined
}

/** Ignores a `config.yaml` without any of our keys, because other programs use the name too. */
async function findForeign(cwd: string, ownKeys: readonly string[]): Promise<FoundFile | undefined> {
  const found = await findImplicit(cwd, 'config.yaml').catch(() => undefined)
  const ours =
    found && Object.keys(found.text.values).some((key) => key !== 'plugins' && ownKeys.includes(key))
  return ours ? found : undefined
}

async function parseText(content: string, name: string): Promise<ConfigText> {
  const { readConfigText } = await import('./config-text.lazy.ts')
  return readConfigText(content, name)
}
