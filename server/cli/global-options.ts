import { type Command, Option } from 'commander'
import { GLOBAL_ROWS } from './global-rows.ts'

/** Adds the options every verb has; `-c` only where the verb does not use it itself. */
export function addGlobalOptions(command: Command, ownShorts: readonly string[] = []): void {
  for (const { verb: flags, summary } of GLOBAL_ROWS) {
    const free = ownShorts.includes('c') ? flags.replace('-c, ', '') : flags
    command.addOption(new Option(free, summary).helpGroup('Global options:'))
  }
  command.helpOption('-h, --help', 'show this help')
}
