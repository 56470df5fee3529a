import { access, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { TypedFiles } from '../contract/advanced/verb.ts'
import { SatchelError } from '../contract/errors.ts'
import { isTooDeep, MAX_JSON_DEPTH } from '../platform/json-depth.ts'
import { isJsonObject } from '../platform/json-object.ts'

/** Largest text read from a file or standard input, in bytes: what no door would take anyway is not read into memory. */
const TEXT_MAX_BYTES = 32 * 1024 * 1024

/** Reads what was typed: paths start at the working directory, `-` is standard input. */
export function typedFiles(cwd: string, stdin: Readable): TypedFiles {
  return {
    async readText(path) {
      const bytes = path === '-' ? await readStream(stdin) : await readBytes(resolve(cwd, path), path)
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      } catch {
        throw new SatchelError('invalid', 'not_utf8', `${nameOf(path)} is not UTF-8 text.`)
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
 * The JSON object in `path` (`-`: standard input).
 * Errors: as `readText`; `invalid`/`input_not_json` when it is empty, no JSON or no object; `too_deep`.
 */
export async function readJsonInput(path: string, files: TypedFiles): Promise<Record<string, unknown>> {
  const text = await files.readText(path)
  if (text.trim() === '') throw notJson(path, 'is empty')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw notJson(path, 'is not JSON', cause)
  }
  if (!isJsonObject(value)) throw notJson(path, 'is no JSON object')
  if (isTooDeep(value)) {
    throw new SatchelError(
      'invalid',
      'too_deep',
      `${nameOf(path)} nests deeper than ${MAX_JSON_DEPTH} levels.`,
    )
  }
  return value as Record<string, unknown> // checked above
}

function notJson(path: string, what: string, cause?: unknown): SatchelError {
  return new SatchelError(
    'invalid',
    'input_not_json',
    `${nameOf(path)} ${what}: --input takes the whole input as one JSON object.`,
    { cause },
  )
}

async function readBytes(path: string, typed: string): Promise<Uint8Array> {
  try {
    const bytes = await readFile(path)
    if (bytes.length > TEXT_MAX_BYTES) throw tooLarge(typed)
    return bytes
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code // errors of the file system have one
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new SatchelError('not_found', 'file_not_found', `There is no file ${typed}.`, { cause: thrown })
    }
    if (code === 'EISDIR')
      throw new SatchelError('invalid', 'not_a_file', `${typed} is a folder, not a file.`)
    if (code === 'EACCES' || code === 'EPERM') {
      throw new SatchelError('forbidden', 'file_not_readable', `${typed} may not be read by this user.`)
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
    if (size > TEXT_MAX_BYTES) throw tooLarge('-')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

function tooLarge(path: string): SatchelError {
  return new SatchelError(
    'too_large',
    'input_too_large',
    `${nameOf(path)} is larger than ${TEXT_MAX_BYTES} bytes.`,
  )
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : path
}
