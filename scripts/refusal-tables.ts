/** Finds the tables of refusals in the sources and checks them against what the sources throw. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { RefusalRow } from '../server/contract/refusals.ts'

export interface RefusalTable {
  /** Heading in docs/errors.md. */
  readonly title: string
  readonly file: string
  /** By the name of the row; the reason is filled in. */
  readonly rows: ReadonlyMap<string, RefusalRow & { readonly reason: string }>
}

type Defined = Readonly<Record<string, { readonly row: RefusalRow }>>
/** The form before `defineRefusals`: code and when it is given. */
type Listed = Readonly<Record<string, readonly [code: RefusalRow['code'], when: string]>>

/** Every table: those of the host, then one for each plugin. */
export async function loadRefusalTables(): Promise<readonly RefusalTable[]> {
  const plugins = readdirSync('plugins').sort()
  const places: [title: string, file: string][] = [
    ['Host', 'server/refusals.ts'],
    ['HTTP', 'server/http/refusals.ts'],
    ['MCP', 'server/mcp/refusals.ts'],
    ['Command line', 'server/cli/refusals.ts'],
    ['Backups', 'server/backup/refusals.ts'],
    ['Tokens', 'server/tokens/refusals.ts'],
    ['Files', 'server/platform/refusals.ts'],
    ['Setup', 'server/setup/refusals.ts'],
    ['Database', 'server/storage/refusals.ts'],
    ...plugins.map((plugin): [string, string] => [plugin, `plugins/${plugin}/reasons.ts`]),
  ]
  const found: RefusalTable[] = []
  for (const [title, file] of places) {
    if (!existsSync(file)) continue
    const { refusals, REASONS } = (await import(pathToFileURL(file).href)) as {
      refusals?: Defined
      REASONS?: Listed
    }
    const rows = Object.entries(refusals ?? {}).map(
      ([name, { row }]) => [name, { reason: name, ...row }] as const,
    )
    const listed = Object.entries(REASONS ?? {}).map(
      ([reason, [code, message]]) => [reason, { reason, code, message }] as const,
    )
    if (rows.length + listed.length > 0) found.push({ title, file, rows: new Map([...listed, ...rows]) })
  }
  return found
}

/** The text of every source file of the product, by its path; tests left out. */
export function productSources(): ReadonlyMap<string, string> {
  const names = ['server', 'plugins'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const sources = names.filter((name) => name.endsWith('.ts') && !/\.test\.ts$|\/testing\//.test(name))
  return new Map(sources.map((name) => [name, readFileSync(name, 'utf8')]))
}

/** Errors that have no row, and rows that no importer of their table uses. A table in the form before is not judged. */
export function refusalFaults(
  tables: readonly RefusalTable[],
  sources: ReadonlyMap<string, string>,
): readonly string[] {
  const judged = tables.filter(({ file }) => !/export const REASONS\b/.test(sources.get(file) ?? ''))
  const thrown = [...sources].flatMap(([file, text]) => {
    const isJudged = judged.some((table) => file.startsWith(`${dirname(table.file)}/`))
    return isJudged && !file.startsWith('server/contract/') && text.includes('new SatchelError(')
      ? [`${file}: throws a SatchelError that has no row`]
      : []
  })
  const unused = judged.flatMap(({ file, rows }) => {
    const users = [...sources].filter(([name, text]) => importsOf(name, text).includes(file))
    return [...rows.keys()]
      .filter((row) => !users.some(([, text]) => new RegExp(`\\.${row}\\b|'${row}'`).test(text)))
      .map((row) => `${file}: nothing uses the row ${row}`)
  })
  return [...thrown, ...unused]
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, name = '']) => join(dirname(file), name))
}
