import * as z from 'zod'
import { assetPath } from '../../server/assets.ts'
import { createPump } from '../../server/fanout/pump.ts'
import { createHost } from '../../server/host.ts'
import { openListener } from '../../server/http/listener.ts'
import { OPTIONS } from '../../server/http/testing/listen.ts'
import { createLog } from '../../server/log.ts'
import { createHttpMount } from '../../server/mcp/http.ts'
import { definePlugin, type Host } from '../../server/plugin.ts'
import { askingTools } from './asking-tools.ts'
import { inputRequiredTools, requestState } from './input-required.ts'
import { plainTools } from './plain-tools.ts'
import { prompts, resources } from './prompts-and-resources.ts'
import { createTaskBook } from './task-book.ts'

/**
 * Serves what the official suite asks for at a free port, prints the address, and ends with stdin. With
 * `SATCHEL_STORAGE_URL` it is one of the servers of that database, which is migrated.
 */
async function serve(): Promise<void> {
  const databaseUrl = process.env['SATCHEL_STORAGE_URL']
  let opened: Host | undefined
  const now = (): Date => new Date()
  const book = createTaskBook(now, (taskId) => opened?.taskChanged(taskId, ['local']))
  const plugin = definePlugin({
    name: 'conformance',
    version: '1.0.0',
    apiVersion: 1,
    config: z.object({}),
    async setup(host) {
      opened = host
      return { tasks: book.tasks }
    },
  })
  const log = createLog('error', (line) => process.stderr.write(line), now)
  const host = await createHost([{ plugin, config: {}, source: 'conformance' }], {
    log,
    now,
    projectRoot: process.cwd(),
    configFile: undefined,
    env: {},
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    assetPath,
    openListener: () => Promise.reject(new Error('no further listener')),
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  await host.database?.migrate()
  const mcp = createHttpMount({
    boot: Promise.resolve(host),
    version: '1.0.0',
    log,
    resolvePath: async (path) => path,
    pump: createPump(),
    raw: {
      tools: [...plainTools, ...askingTools, ...inputRequiredTools, ...book.tools],
      resources,
      prompts,
      capabilities: { logging: {} },
      requestState,
      complete: () => ['test value'],
    },
  })
  const listener = await openListener(
    host,
    { name: 'mcp', at: { host: '127.0.0.1', port: 0 }, mcp: true },
    { ...OPTIONS, mcp },
  )
  process.stdout.write(`${listener.address}/mcp\n`)
  process.stdin.resume().once('end', () => process.exit(0))
}

await serve()
