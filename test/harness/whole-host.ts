import { assetPath } from '../../server/assets.ts'
import { loadConfig } from '../../server/config.ts'
import { SatchelError } from '../../server/contract/errors.ts'
import { createHost, type RunningHost } from '../../server/host.ts'
import { createLog } from '../../server/log.ts'
import { loadEntries } from '../../server/plugin-entries.ts'

/**
 * A host with every built-in plugin and a room configured, set up but not started: what the documents, the snapshots
 * and the policy test look at. Touches no file of `projectRoot`; the caller stops it.
 */
export async function openWholeHost(projectRoot: string): Promise<RunningHost> {
  const config = await loadConfig({ cwd: projectRoot, env: {}, flags: { 'workspace.file': 'idea.md' } })
  const now = () => new Date(0)
  return createHost(await loadEntries(config, { kind: 'all' }), {
    log: createLog('error', (line) => process.stderr.write(line), now),
    now,
    projectRoot,
    configFile: undefined,
    env: {},
    filter: { profile: 'full', readOnly: false, include: [], exclude: [] },
    assetPath,
    openListener: () =>
      Promise.reject(new SatchelError('unavailable', 'no_listener', 'No listener is opened here.')),
  })
}
