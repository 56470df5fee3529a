import { BUILTIN_PLUGINS } from '../builtin-plugins.ts'
import { ERROR_TABLE, USAGE_EXIT } from '../error-table.ts'
import { DESCRIPTION } from '../version.ts'
import { GLOBAL_ROWS, settingRowsOf } from './global-flags.ts'
import { helpItem, usageRows, wrapWords } from './help-item.ts'
import { HOST_VERBS } from './host-verbs.ts'

/** The meaning of each exit code, from the error table. */
const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'internal error',
  [USAGE_EXIT]: 'wrong usage',
  3: 'input or record invalid, or a check found something',
  4: 'not found',
  5: 'conflict: stale, locked, illegal transition',
  6: 'refused: unauthorized, forbidden, policy',
  7: 'unavailable: network, full disk, busy',
  130: 'interrupted',
}

const MORE = 'More on a verb:'

/** A verb in the overview. */
export interface HelpRow {
  readonly verb: string
  readonly summary: string
}

/** Returns the overview of all top-level verbs from tables alone, without loading a plugin or a parser. */
export function overview(columns: number): string {
  const listed = new Set<string>()
  const blocks = sections().map(({ heading, rows }) => {
    const fresh = rows.filter(({ verb }) => !listed.has(verb))
    for (const { verb } of fresh) listed.add(verb)
    return fresh.length === 0 ? '' : `${heading}\n${table(fresh, columns)}`
  })
  return paragraphs([
    'Usage: satchel <verb> [options]',
    wrapWords(DESCRIPTION, columns).join('\n'),
    ...blocks,
    `Options of every verb:\n${table(GLOBAL_ROWS, columns)}`,
    `Exit codes:\n${table(exitRows(), columns)}`,
    'More on a verb:  satchel <verb> --help\nExample:         satchel doctor --json',
  ])
}

/** Returns the help of one group of verbs: `satchel handoff`. */
export function groupHelp(path: readonly string[], rows: readonly HelpRow[], columns: number): string {
  const name = ['satchel', ...path].join(' ')
  return paragraphs([
    `Usage: ${usageRows(`${name} <verb> [options]`, columns)}`,
    `Verbs:\n${table(rows, columns)}`,
    `Options of every verb:\n${table([...settingRowsOf(path[0]), ...GLOBAL_ROWS], columns)}`,
    helpItem(MORE, MORE.length, `${name} <verb> --help`, columns).trimStart(),
  ])
}

/** Returns the top-level verbs that are known without loading a plugin. */
export function topLevelVerbs(): string[] {
  return [...new Set(sections().flatMap(({ rows }) => rows.map(({ verb }) => verb)))]
}

function sections(): { heading: string; rows: readonly HelpRow[] }[] {
  const plugins = BUILTIN_PLUGINS.map(({ name, verbs }) => ({
    heading: `${name[0]?.toUpperCase()}${name.slice(1)}:`,
    rows: verbs,
  }))
  return [...plugins, { heading: 'Satchel:', rows: HOST_VERBS }]
}

function exitRows(): HelpRow[] {
  const codes = [...new Set([0, USAGE_EXIT, ...Object.values(ERROR_TABLE).map(({ exit }) => exit)])]
  return codes
    .sort((a, b) => a - b)
    .map((code) => ({ verb: String(code), summary: EXIT_MEANINGS[code] ?? '' }))
}

function table(rows: readonly HelpRow[], columns: number): string {
  const width = Math.max(...rows.map(({ verb }) => verb.length))
  return rows.map(({ verb, summary }) => helpItem(verb, width, summary, columns)).join('\n')
}

function paragraphs(blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}
