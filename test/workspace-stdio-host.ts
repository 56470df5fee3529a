import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { listenerOf } from './workspace-server-fixture.ts'

/** Writes a document of its own and returns its path. */
export async function roomFile(t: TestContext): Promise<string> {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, '# Plan\n')
  return file
}

/** A host as `satchel mcp --room FILE` has it, in this process, called as its stdio client. */
export async function stdioHost(
  t: TestContext,
  file: string,
  settings: Record<string, unknown> = {},
  client = 'robot',
) {
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(realWorld), settings: { file, ...settings } }],
    openListener: listenerOf({}),
  })
  const hints: string[] = []
  opened.host.hub.on('*', (signal) => void (signal.kind === 'resource' && hints.push(signal.uri)))
  const call = (tool: string, input: Record<string, unknown> = {}) =>
    opened.call(tool, input, { localTransport: 'stdio', client: { name: client, version: '1' } })
  return { ...opened, call, hints }
}
