/** The files of a configuration that a command reads and, when it is told to, writes. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readRegularFile, systemCode, writeFileDurably } from '../../../server/plugin.ts'
import { MODULE_FILE_MAX_BYTES, moduleFlavour } from '../domain/module-files.ts'
import { refusals } from '../reasons.ts'
import type { CallFile } from './call-file.ts'
import { missing } from './call-tree.ts'

/** A file before and after an edit. */
export interface FileChange {
  readonly before: CallFile
  readonly after: CallFile
}

/**
 * The Terraform files of a directory, or the one file, by the names that the user will recognise: as typed, or below
 * the directory that was typed. Errors: `not_found`/`file_not_found`, `invalid`/`file_not_text`.
 */
export async function readCallFiles(workingDirectory: string, typed: string): Promise<readonly CallFile[]> {
  const path = resolve(workingDirectory, typed)
  const found = await stat(path).catch(missing)
  if (!found?.isDirectory()) return [await readOne(path, typed)]
  const names = (await readdir(path)).filter((name) => moduleFlavour(name) !== undefined).sort()
  const files: CallFile[] = []
  for (const name of names) files.push(await readOne(join(path, name), join(typed, name)))
  return files
}

async function readOne(path: string, name: string): Promise<CallFile> {
  const found = await readRegularFile(path, MODULE_FILE_MAX_BYTES).catch(missing)
  if (found === undefined) throw refusals.call_file_missing({ file: name })
  if (found.kind !== 'text' || found.text.includes('\ufffd'))
    throw refusals.call_file_unreadable({ file: name })
  return { name, text: found.text }
}

/** A unified diff of all files. */
export async function diffOf(changes: readonly FileChange[]): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  const patches = changes.map(({ before, after }) => {
    const patch = createTwoFilesPatch(before.name, after.name, before.text, after.text, '', '', {
      context: 3,
    })
    return patch.slice(patch.indexOf('--- ')) // an index and a rule are above the names
  })
  return patches.join('')
}

/**
 * Replaces the files, each as a whole or not at all.
 * Errors: `conflict`/`file_changed` for one that another program changed; `unavailable`/`storage_failed`.
 */
export async function writeCallFiles(
  workingDirectory: string,
  changes: readonly FileChange[],
): Promise<void> {
  for (const { before, after } of changes) {
    // The file itself: a symbolic link stays one.
    const path = await realpath(resolve(workingDirectory, before.name))
    const { mode } = await stat(path)
    try {
      await writeFileDurably(path, after.text, {
        mode: mode & 0o777,
        async beforeCommit() {
          const now = await readRegularFile(path, MODULE_FILE_MAX_BYTES)
          if (now.kind !== 'text' || now.text !== before.text)
            throw refusals.file_changed({ file: before.name })
        },
      })
    } catch (cause) {
      if (systemCode(cause) === undefined) throw cause
      throw refusals.file_not_written({ file: before.name }, { cause })
    }
  }
}
