import { EventEmitter } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BUILTIN_PLUGINS } from '../builtin-plugins.ts'
import type { DoorOptions } from '../mcp/door.ts'
import { serveStdio } from '../mcp/stdio.ts'
import { realDisk, removeQuietly } from '../platform/disk.ts'
import { replaceFile } from '../platform/durable-file.ts'
import { makeFolder } from '../platform/file-tree.ts'
import { cachePath, findAnswers, type Start } from './find-answers.ts'
import { prepareAnswers, talkTo } from './prepare.ts'
import type { PreparedIndex } from './prepared-answers.ts'

/** Kept configurations of one user. */
const MAX_KEPT = 32

/**
 * Keeps the answers of this server for later starts with the same program, command line and configuration, if they are
 * not known yet. Does nothing where plugins of others or a remote server add to them. Errors: the file system's own.
 */
export async function keepAnswers(start: Start, index: PreparedIndex, options: DoorOptions): Promise<void> {
  const { registry } = await options.boot
  const isOurs = registry.instances.every(
    ({ plugin, instance }) =>
      instance.remote === undefined && BUILTIN_PLUGINS.some(({ name }) => name === plugin),
  )
  const path = isOurs ? await cachePath(start, index) : undefined
  if (path === undefined || (await findAnswers(start))) return
  const answers = await prepareAnswers((messages) =>
    talkTo((io) => serveStdio({ ...options, io, signals: new EventEmitter() }), messages),
  )
  if (!answers) return
  const folder = dirname(path)
  await makeFolder(folder, 0o700)
  await replaceFile(path, JSON.stringify(answers), { mode: 0o600 })
  await removeOldest(folder)
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= MAX_KEPT) return
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  )
  const oldest = files.sort((a, b) => a.at - b.at).slice(0, names.length - MAX_KEPT)
  for (const { path } of oldest) await removeQuietly(realDisk, path)
}
