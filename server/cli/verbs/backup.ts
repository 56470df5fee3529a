import { join, resolve } from 'node:path'
import * as z from 'zod'
import { refusals } from '../../backup/refusals.ts'
import type { RunningHost } from '../../host.ts'
import { counted } from '../../platform/counted.ts'
import { withUserLock } from '../../platform/user-lock.ts'
import { satchelStateFolder } from '../../state-folder.ts'
import { unreadConfig } from '../../unread-config.ts'
import { VERSION } from '../../version.ts'
import { defineHostVerb } from '../host-verb.ts'
import { printResult } from '../render.ts'
import type { World } from '../world.ts'

const LONGEST_WAIT_MS = 2_000

/** `satchel backup DIR`. */
export const backupVerb = defineHostVerb({
  path: ['backup'],
  summary: 'copy what the plugins store to a new folder',
  description: [
    'Copies what the plugins store for this project and configuration to a new folder, while servers run. Each store is',
    'copied as it was at one moment. The folder has mode 0700, its files 0600; manifest.json has the digest of each.',
  ].join(' '),
  input: z.object({ folder: z.string().describe('the new folder') }),
  typing: { positional: ['folder'] },
  examples: ['satchel backup ../backup'],
  async run(world, { folder }) {
    const { backUp } = await import('../../backup/back-up.ts')
    return withHost(world, async (host) => {
      const path = resolve(world.io.cwd, folder)
      const { stores, created_at } = await backUp(host, {
        folder: path,
        satchel: VERSION,
        signal: world.signal,
      })
      const lines = stores.map(
        ({ plugin, store, files }) => `${plugin}/${store}: ${counted(files.length, 'file')}`,
      )
      if (host.database) world.terminal.note('What is in the database is not part of it: use pg_dump.')
      printResult(world.terminal, {
        data: {
          folder: path,
          created_at,
          stores: stores.map(({ plugin, store, files }) => ({ plugin, store, files: files.length })),
        },
        text: lines.join('\n'),
      })
      return 0
    })
  },
})

/** `satchel restore DIR`. */
export const restoreVerb = defineHostVerb({
  path: ['restore'],
  summary: 'put back what satchel backup copied',
  description: [
    'Puts the stores of a backup back for this project and configuration. First the backup is verified by its digests. A',
    'store that has other content is left alone; with --force that content is moved aside and kept. A store that is in use is left alone.',
  ].join(' '),
  input: z.object({
    folder: z.string().describe('the folder of the backup'),
    force: z.boolean().default(false).describe('replace stores that have other content'),
  }),
  typing: { positional: ['folder'] },
  examples: ['satchel restore ../backup'],
  async run(world, { folder, force }) {
    const { restore } = await import('../../backup/restore.ts')
    return withHost(world, (host) =>
      alone(world, async () => {
        const stores = await restore(host, { folder: resolve(world.io.cwd, folder), force })
        const lines = stores.map(({ plugin, store, files, changed, kept }) => {
          const end = kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''
          return `${plugin}/${store}: ${changed ? `${counted(files, 'file')} restored` : 'the same already'}${end}`
        })
        printResult(world.terminal, { data: { stores }, text: lines.join('\n') })
        return 0
      }),
    )
  },
})

async function withHost(world: World, work: (host: RunningHost) => Promise<number>): Promise<number> {
  const { doors, line, io, terminal } = world
  const config = await doors.loadConfig(line)
  const host = await doors.setUpHost({ kind: 'all' }, config, line)
  const unread = unreadConfig(config, { projectRoot: host.projectRoot, cwd: io.cwd })
  if (unread !== undefined) terminal.note(`satchel: ${unread}`)
  try {
    return await work(host)
  } finally {
    await host.stop()
  }
}

/** Does `work` while no other restore of this user runs. Errors: `restore_running`, `restore_lock_not_written`. */
async function alone<T>({ io }: World, work: () => Promise<T>): Promise<T> {
  const folder = satchelStateFolder(io.env)
  const lock = {
    path: join(folder, 'restore.lock'),
    waitMs: LONGEST_WAIT_MS,
    held: () => refusals.restore_running(),
    failed: (error: string, cause: unknown) =>
      refusals.restore_lock_not_written({ folder, error }, { cause }),
  }
  return withUserLock(lock, work)
}
