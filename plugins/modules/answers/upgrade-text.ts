import { counted, showHidden } from '../../../server/plugin.ts'
import { type UpgradeAnswer, upgradeHeadline } from './upgrade.ts'

type Call = UpgradeAnswer['calls'][number]

/** The plan for a person, without the edited blocks: the diff shows them. Hidden characters are written out. */
export function upgradeText(answer: UpgradeAnswer): string {
  const skipped = answer.skipped.flatMap(({ name, file = '', line, message }) => [
    '',
    `module "${name}" (${file}:${line}) is left as written: ${message}`,
  ])
  const lines = [upgradeHeadline(answer), ...answer.calls.flatMap(linesOf), ...skipped]
  return showHidden(`${lines.join('\n')}\n`)
}

function linesOf(call: Call): string[] {
  const { name, file = '', line, repository, path, from, to, verdict, others, changelog } = call
  const directory = path === '.' ? '' : `//${path}`
  const news = changelog && ['', `  Changelog, ${changelog.versions.join(', ')}:`, ...quoted(changelog.text)]
  return [
    '',
    `module "${name}" (${file}:${line}): ${repository}${directory} ${from} -> ${to}: ${verdict}`,
    ...call.changes.map((one) => `  ${one.class.padEnd(9)} ${one.message}${placeOf(one, file)}`),
    ...(others > 0
      ? [
          `  ${counted(others, 'other change')} of the module: of no concern to this call, or more code to review (see modules diff).`,
        ]
      : []),
    ...(call.edited === undefined ? ['  The block cannot be edited for sure: change it by hand.'] : []),
    ...call.remaining.map((one) => `  left to do, line ${one.line}: ${one.message}`),
    ...(news ?? []),
  ]
}

function placeOf({ line, file }: Call['changes'][number], own: string): string {
  return line === undefined ? '' : ` (${file ?? own}:${line})`
}

function quoted(text: string): string[] {
  return text.split('\n').map((line) => `  | ${line}`.trimEnd())
}
