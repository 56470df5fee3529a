import { BUILTIN_PLUGINS, type SettingFlag } from '../builtin-plugins.ts'
import { type CommandLine, typedValueOf } from './command-line.ts'

/** Settings from flags, by dotted configuration key: `{ 'http.port': 8000 }`. */
export type Settings = Readonly<Record<string, unknown>>

/** The flags of every verb as help shows them, without `-c` for a verb that defines it. */
export const GLOBAL_ROWS: readonly { readonly verb: string; readonly summary: string }[] = [
  { verb: '--json', summary: 'print one JSON document' },
  { verb: '-q, --quiet', summary: 'no notes on stderr' },
  { verb: '-c, --config <file>', summary: 'configuration file (default: ./satchel.yaml)' },
  { verb: '--project <dir>', summary: 'project root (default: the git root)' },
  { verb: '--storage <url>', summary: 'PostgreSQL database instead of files (default: files)' },
]

/** Returns the flags that set configuration for every verb under this first word. */
export function settingFlagsOf(firstWord: string | undefined): readonly SettingFlag[] {
  const owner = BUILTIN_PLUGINS.find(({ verbs }) => verbs.some(({ verb }) => verb === firstWord))
  return owner?.settings ?? []
}

/** Returns these flags as help shows them. */
export function settingRowsOf(firstWord: string | undefined) {
  return settingFlagsOf(firstWord).map(({ flag, value, summary }) => ({
    verb: `${flag} <${value}>`,
    summary,
  }))
}

/** Returns the settings that a command line gives with these flags, by configuration key. */
export function settingsIn({ words, argv }: CommandLine): Settings {
  const typed = settingFlagsOf(words[0]).map(({ flag, key }) => [key, typedValueOf(argv, flag)] as const)
  return Object.fromEntries(typed.filter(([, value]) => value !== undefined))
}
