import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CallContext, isSatchelError, type SatchelError, systemCode } from '../../../server/plugin.ts'
import { MAX_BUNDLE_RECORDS } from '../domain/record-size.ts'
import { quoted } from '../domain/secrets.ts'
import { refusals } from '../reasons.ts'
import { readFileInside } from './read-file.ts'

/** One file, or the given content. */
export interface ImportSource {
  /** The name shown to the caller. */
  readonly source: string
  /** The content, or why a file of a folder could not be read. */
  readonly content: Uint8Array | SatchelError
}

/**
 * The sources of an import: a text, a file, or every record file of a folder or of a store, sorted by name. A link, a folder or a
 * file that cannot be read does not stop the others of its folder.
 * Errors: `invalid`/`invalid_arguments`, `not_found`/`file_not_found`, `too_large`/`bundle_too_large`.
 */
export async function importSources(
  ctx: CallContext,
  given: { readonly content: string | undefined; readonly path: string | undefined },
): Promise<readonly ImportSource[]> {
  const { content, path } = given
  if ((content === undefined) === (path === undefined)) {
    throw refusals.one_argument({ names: 'content and path' })
  }
  if (path === undefined) return [{ source: 'content', content: Buffer.from(content ?? '') }]
  const real = await ctx.resolvePath(path)
  if (!(await isFolder(real))) return [{ source: path, content: await readFileInside(ctx, path) }]
  const folder = (await isStore(real)) ? join(path, 'records') : path
  const all = await readdir(await ctx.resolvePath(folder))
  const names = all.filter((name) => /\.(?:json|jsonl|md)$/.test(name)).sort()
  if (names.length > MAX_BUNDLE_RECORDS) {
    throw refusals.bundle_too_large({ count: names.length, limit: MAX_BUNDLE_RECORDS })
  }
  const sources: ImportSource[] = []
  for (const name of names) {
    const file = join(folder, name)
    sources.push({ source: file, content: await contentOf(ctx, file) })
  }
  return sources
}

/** A folder like `.handoffs`: it has no records beside the folder of its records. */
async function isStore(folder: string): Promise<boolean> {
  const names = await readdir(folder)
  const isRecord = (name: string) => /\.(?:json|jsonl|md)$/.test(name) && name !== 'config.json'
  return !names.some(isRecord) && (await isFolder(join(folder, 'records')))
}

async function contentOf(ctx: CallContext, file: string): Promise<Uint8Array | SatchelError> {
  try {
    return await readFileInside(ctx, file)
  } catch (thrown) {
    if (isSatchelError(thrown)) return thrown
    if (systemCode(thrown) === undefined) throw thrown
    return refusals.path_refused({ path: quoted(file, 200) }, { cause: thrown })
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
    return false
  }
}
