import { existsSync } from 'node:fs'
import type { MergeDriver } from '../builtin-plugins.ts'
import type { FilePlan } from './change.ts'
import type { SetupClient } from './clients.ts'
import { valueAt } from './config-edits.ts'
import type { ServerCommand } from './entries.ts'
import { gitFolder } from './git-folder.ts'
import { offeredOptions } from './plans.ts'
import { type Origin, originOfLine } from './program-origin.ts'
import { refusals } from './refusals.ts'
import { shellWords } from './shell-words.ts'

/** git, which a setup can configure too: it runs merge drivers and no server. */
export const GIT: SetupClient = {
  name: 'git',
  title: 'git',
  programs: ['git'],
  traces: [],
  servers: {},
  key: '',
  shape: 'plain',
}

/** The merge drivers that the plugins offer under these options; all of them without a list. */
export function offeredDrivers(options?: readonly string[]): readonly MergeDriver[] {
  return offeredOptions(options).flatMap(({ mergeDriver }) => mergeDriver ?? [])
}

/** The lines of a repository that make git run the drivers: which files, and the command. */
export function gitPlans(drivers: readonly MergeDriver[], program: ServerCommand): FilePlan[] {
  const line = (key: string, value: string, originOf: (found: string) => Origin) =>
    ({
      kind: 'member',
      place: ['lines', key],
      value: { value },
      originOf: (found: unknown) => originOf(String(valueAt(found, ['value']))),
    }) as const
  const command = ({ words }: MergeDriver) =>
    `${shellWords([program.command, ...program.args])} ${words.join(' ')}`
  return [
    {
      place: { in: 'project', names: ['.gitattributes'], format: 'lines' },
      wanted: drivers.map(({ name, pattern }) =>
        line(`${pattern} merge`, name, (found) => (found === name ? 'plain' : 'foreign')),
      ),
    },
    {
      place: { in: 'git', names: ['config'], format: 'lines' },
      wanted: drivers.map((driver) =>
        line(`[merge "${driver.name}"] driver`, quoted(command(driver)), (found) =>
          originOfLine(unquoted(found), driver.words.join(' ')),
        ),
      ),
    },
  ]
}

/** A value of git's configuration. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function unquoted(value: string): string {
  return value.replace(/^"(.*)"$/, '$1').replaceAll(/\\(.)/g, '$1')
}

/** Errors: `not_found`/`no_repository`. */
export function requireRepository(projectRoot: string): void {
  if (!existsSync(gitFolder(projectRoot))) throw refusals.no_repository({ path: projectRoot })
}
