import { LAB_VERBS } from '../../lab/verbs.ts'
import type { HostVerbRow } from './world.ts'

/** The host's verbs in the order of the help; the verbs of one row share their first word. */
export const HOST_VERBS: readonly HostVerbRow[] = [
  {
    verb: 'mcp',
    summary: 'serve MCP over stdio or HTTP',
    bare: (world) => world.doors.serveStdio(world, {}),
    load: async () => [(await import('./verbs/mcp.ts')).mcpVerb],
  },
  {
    verb: 'serve',
    summary: 'serve REST, its documentation and /mcp',
    load: async () => [(await import('./verbs/serve.ts')).serveVerb],
  },
  {
    verb: 'setup',
    summary: 'connect satchel to your clients, check that, undo it',
    load: async () => [(await import('./verbs/setup.ts')).setupVerb],
  },
  {
    verb: 'tools',
    summary: 'list the tools and what each costs a model',
    load: async () => [(await import('./verbs/tools.ts')).toolsVerb],
  },
  {
    verb: 'config',
    summary: 'show the merged configuration',
    load: async () => [(await import('./verbs/config-show.ts')).configShowVerb],
  },
  {
    verb: 'doctor',
    summary: 'check installation, configuration and stores',
    load: async () => [(await import('./verbs/doctor.ts')).doctorVerb],
  },
  {
    verb: 'token',
    summary: 'create, list and revoke tokens for callers',
    load: async () => {
      const { tokenCreateVerb, tokenListVerb, tokenRevokeVerb } = await import('./verbs/token.ts')
      return [tokenCreateVerb, tokenListVerb, tokenRevokeVerb]
    },
  },
  {
    verb: 'backup',
    summary: 'copy what the plugins store to a new folder',
    load: async () => [(await import('./verbs/backup.ts')).backupVerb],
  },
  {
    verb: 'restore',
    summary: 'put back what satchel backup copied',
    load: async () => [(await import('./verbs/backup.ts')).restoreVerb],
  },
  {
    verb: 'storage',
    summary: 'prepare a PostgreSQL database, copy records to and from it',
    load: async () => {
      const { storageMigrateVerb, storageImportVerb, storageExportVerb } = await import('./verbs/storage.ts')
      return [storageMigrateVerb, storageImportVerb, storageExportVerb]
    },
  },
  {
    verb: 'completion',
    summary: 'print a completion script for a shell',
    load: async () => [(await import('./verbs/completion.ts')).completionVerb],
  },
  {
    verb: 'plugin',
    summary: 'make, check or pack a plugin',
    load: async () => [
      (await import('./verbs/plugin-new.ts')).pluginNewVerb,
      (await import('./verbs/plugin-check.ts')).pluginCheckVerb,
      (await import('./verbs/plugin-pack.ts')).pluginPackVerb,
    ],
  },
  ...LAB_VERBS,
]
