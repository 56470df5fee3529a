import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { TypedFiles } from '../contract/advanced/verb.ts'
import { excessOfJson, MAX_JSON_DEPTH } from '../platform/json-bounds.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { readFileBounded } from '../platform/regular-file.ts'
import { refusals } from './refusals.ts'

/** Maximum size in bytes of a text read from a file or standard input: no door accepts more. */
const TEXT_MAX_BYTES = 32 * 1024 * 1024

/** Reads files named on the command line: paths are relative to the working directory, `-` is standard input. */
export function typedFiles(cwd: string, stdin: Readable): TypedFiles {
  return {
    async readText(path) {
      const bytes = path === '-' ? await readStream(stdin) : await readBytes(resolve(cwd, path), path)
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      } catch {
        throw refusals.not_utf8({ file: nameOf(path) })
      }
    },
    async exists(path) {
      return access(resolve(cwd, path)).then(
        () => true,
        () => false,
      )
    },
  }
}

/**
 * Reads the JSON object in `path` (`-`: standard input).
 * Errors: as `readText`; `invalid`/`input_not_json` if it is empty, not JSON or not an object; `too_deep`.
 */
export async function readJsonInput(path: string, files: TypedFiles): Promise<Record<string, unknown>> {
  const text = await files.readText(path)
  if (text.trim() === '') throw refusals.input_not_json({ file: nameOf(path), fault: 'is empty' })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw refusals.input_not_json({ file: nameOf(path), fault: 'is not JSON' }, { cause })
  }
  if (!isJsonObject(value))
    throw refusals.input_not_json({ file: nameOf(path), fault: 'is not a JSON object' })
  if (excessOfJson(text) === 'depth') {
    throw refusals.too_deep({ file: nameOf(path), levels: MAX_JSON_DEPTH })
  }
  return value as Record<string, unknown> // checked above
}

async function readBytes(path: string, typed: string): Promise<Uint8Array> {
  try {
    const bytes = await readFileBounded(path, TEXT_MAX_BYTES)
    if (bytes) return bytes
    throw refusals.input_too_large({ file: nameOf(typed), max_bytes: TEXT_MAX_BYTES })
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code // set on file system errors
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw refusals.file_not_found({ file: typed }, { cause: thrown })
    }
    if (code === 'EISDIR') throw refusals.not_a_file({ file: typed })
    if (code === 'EACCES' || code === 'EPERM') {
      throw refusals.file_not_readable({ file: typed })
    }
    throw thrown
  }
}

async function readStream(stdin: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string) // a stream without object mode
    size += bytes.length
    if (size > TEXT_MAX_BYTES)
      throw refusals.input_too_large({ file: nameOf('-'), max_bytes: TEXT_MAX_BYTES })
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : path
}
