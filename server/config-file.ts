import { resolve } from 'node:path'
import type { ConfigText } from './config-text.ts'
import { SatchelError } from './contract/errors.ts'
import { readRegularFile } from './platform/regular-file.ts'

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

/** Far more than any configuration of repositories needs. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Finds and reads the configuration file: `file`, else `SERVICE_CONFIG`, `./satchel.yaml`, `./config.yaml`; undefined when
 * there is none. `ownKeys` are the top-level keys by which a `config.yaml` is known as ours.
 * Errors: `not_found`/`config_not_found` for a file that was named, also for a folder, pipe or device;
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
      const why = cause.code === 'ENOENT' ? 'does not exist' : `cannot be read (${cause.code})`
      throw notFound(named, `${why}. Write one with: satchel init ${named}`, cause)
    })
    if (read.kind === 'text') return { file, text: await parseText(read.text, named) }
    throw notFound(named, read.kind === 'no file' ? NO_FILE : 'is larger than 16 MiB.')
  }
  return (await findImplicit(request.cwd, 'satchel.yaml')) ?? (await findForeign(request.cwd, ownKeys))
}

const NO_FILE = 'is a folder, pipe or device. Name a regular file.'

function notFound(named: string, why: string, cause?: unknown): SatchelError {
  return new SatchelError('not_found', 'config_not_found', `The configuration file ${named} ${why}`, {
    cause,
  })
}

async function findImplicit(cwd: string, name: string): Promise<FoundFile | undefined> {
  const file = resolve(cwd, name)
  const read = await readRegularFile(file, MAX_BYTES).catch(() => undefined)
  return read?.kind === 'text' ? { file, text: await parseText(read.text, name) } : undefined
}

/** `config.yaml` is everybody's name: one without any key of ours belongs to another program and is left alone. */
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
