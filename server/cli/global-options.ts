import { type Command, Option } from 'commander'
import { GLOBAL_ROWS } from './global-rows.ts'
import { settingRowsOf } from './setting-flags.ts'

/** Adds the options every verb has, `-c` only where the verb does not use it itself, and those that set its plugin's configuration. */
export function addGlobalOptions(
  command: Command,
  firstWord: string | undefined,
  ownShorts: readonly string[] = [],
): void {
  for (const { verb: flags, summary } of [...settingRowsOf(firstWord), ...GLOBAL_ROWS]) {
    const free = ownShorts.includes('c') ? flags.replace('-c, ', '') : flags
    command.addOption(new Option(free, summary).helpGroup('Global options:'))
  }
  command.helpOption('-h, --help', 'show this help')
}
