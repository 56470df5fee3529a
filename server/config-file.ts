import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ConfigText } from './config-text.ts'
import { SatchelError } from './contract/errors.ts'

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

/**
 * Finds and reads the configuration file: `file`, else `SERVICE_CONFIG`, `./satchel.yaml`, `./config.yaml`; undefined when
 * there is none. `ownKeys` are the top-level keys by which a `config.yaml` is known as ours.
 * Errors: `not_found`/`config_not_found` for a file that was named; `invalid`/`config_syntax`.
 */
export async function findConfigFile(
  request: FileRequest,
  ownKeys: readonly string[],
): Promise<FoundFile | undefined> {
  const named = request.file ?? request.env['SERVICE_CONFIG']
  if (named) {
    const file = resolve(request.cwd, named)
    const content = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'does not exist' : `cannot be read (${cause.code})`
      throw new SatchelError(
        'not_found',
        'config_not_found',
        `The configuration file ${named} ${why}. Write one with: satchel init ${named}`,
        { cause },
      )
    })
    return { file, text: await parseText(content, named) }
  }
  return (await findImplicit(request.cwd, 'satchel.yaml')) ?? (await findForeign(request.cwd, ownKeys))
}

async function findImplicit(cwd: string, name: string): Promise<FoundFile | undefined> {
  const file = resolve(cwd, name)
  const content = await readFile(file, 'utf8').catch(() => undefined)
  return content === undefined ? undefined : { file, text: await parseText(content, name) }
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
