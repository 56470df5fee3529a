import { type Database, type DatabaseStore, definePlugin, type Host } from '../../server/plugin.ts'
import { freshEvidence } from './actions/fresh-evidence.ts'
import { handoffConfig } from './config.ts'
import { hookCommand } from './hooks.ts'
import { createHandoffs, type Handoffs } from './project.ts'
import { MIGRATIONS } from './store/record-rows.ts'

/** What the plugin is called, and its configuration. */
export const HANDOFF = { name: 'handoff', version: '0.1.0', apiVersion: 1, config: handoffConfig } as const

/**
 * The plugin as `satchel handoff hook` needs it: harnesses wait for it at every turn, and the schemas of the tools would
 * take as long to make as its own work.
 */
export const hookPlugin = definePlugin({
  ...HANDOFF,
  setup: async (host, config) => hookParts(createHandoffs(host, config), host),
})

/** The hook, the evidence that it judges, and the tables that it reads. */
export function hookParts(handoffs: Handoffs, host: Pick<Host, 'verb' | 'database'>) {
  return {
    evidence: [freshEvidence(handoffs.projectAt)],
    commands: [hookCommand(handoffs, host)],
    ...(host.database && { database: databaseStore(host.database, handoffs) }),
  }
}

/** The tables of this plugin, and the copies between them and the project's files. */
function databaseStore(database: Database, handoffs: Handoffs): DatabaseStore {
  const copying = async () => {
    const { checkExport, checkImport, copyOf, exportFiles, importFiles } = await import(
      './actions/copy-records.ts'
    )
    const copy = copyOf(database, await handoffs.ownProject())
    return { copy, checkExport, checkImport, exportFiles, importFiles }
  }
  return {
    name: 'handoffs',
    migrations: MIGRATIONS,
    async checkImport(signal) {
      const { copy, checkImport } = await copying()
      await checkImport(copy, signal)
    },
    async checkExport(signal) {
      const { copy, checkExport } = await copying()
      await checkExport(copy, signal)
    },
    async importFiles(signal) {
      const { copy, importFiles } = await copying()
      return importFiles(copy, signal)
    },
    async exportFiles(signal) {
      const { copy, exportFiles } = await copying()
      return exportFiles(copy, signal)
    },
  }
}
