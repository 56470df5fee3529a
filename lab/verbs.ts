import type { HostVerbRow } from '../server/cli/world.ts'

/** The verbs of the lab. To remove the lab, delete its folder and the two lines of `server/cli/host-verbs.ts` that name this table. */
export const LAB_VERBS: readonly HostVerbRow[] = [
  {
    verb: 'bench',
    summary: 'measure this installation',
    takesPluginCommands: true,
    load: async () => (await import('./bench/verbs.ts')).benchVerbs,
  },
  {
    verb: 'torture',
    summary: 'run the crash tests of the plugins on this disk',
    takesPluginCommands: true,
    load: async () => (await import('./torture/verbs.ts')).tortureVerbs,
  },
  {
    verb: 'handoff retention',
    summary: 'measure what a compaction loses',
    load: async () => [(await import('./retention/command.ts')).retentionVerb],
  },
]
