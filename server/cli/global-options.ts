import { type Command, Option } from 'commander'
import { GLOBAL_ROWS } from './global-rows.ts'
import { settingRowsOf } from './setting-flags.ts'

/** Adds the options of every verb (`-c` only if the verb does not define it) and those that set its plugin's configuration. */
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
