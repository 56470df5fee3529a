/** The code of ingested modules, in one file for each repository: blocks by blob, and the blobs of each module directory. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appendToFile, parsedJson, realDisk } from '../../../server/plugin.ts'
import type { FileCode, ModuleCode } from '../domain/module-code.ts'
import { CODE_VERSION } from '../hcl/code-blocks.ts'
import { stateDir } from './module-index.ts'
import { storageFailure } from './summary-files.ts'

/** What a module directory at one commit consists of. */
export interface DirectoryCode {
  readonly files: readonly (readonly [name: string, oid: string])[]
  readonly uses: readonly (readonly [path: string, digest: string])[]
}

/** Adds code to the file of one repository. Owned by the run that holds the lock of the output directory. */
export interface CodeWriter {
  /** What a blob with this name holds, if it is stored; only the paths that it uses. */
  usesOf(name: string, oid: string): readonly string[] | undefined
  addFile(name: string, oid: string, code: FileCode): void
  hasDirectory(commit: string, path: string): boolean
  addDirectory(commit: string, path: string, code: DirectoryCode): void
  /** Appends what was added; only then may the index note the reading. Errors: `unavailable`/`storage_failed`. */
  save(): Promise<void>
}

/** A module directory of one repository. */
export interface CodePlace {
  readonly repository: string
  readonly commit: string
  readonly path: string
}

/** Lines of another format say something else. */
export const CODE_FORMAT = `code-${CODE_VERSION}`

const FILE = 'file'
const DIRECTORY = 'directory'

/** Opens the file of a repository to add to it; what it holds is not added again. */
export async function openCodeWriter(outputDir: string, repository: string): Promise<CodeWriter> {
  const file = codePath(outputDir, repository)
  const text = await readFile(file, 'utf8').catch(() => '')
  return createCodeWriter(text, async (lines) => {
    try {
      await appendToFile(file, lines)
    } catch (thrown) {
      throw storageFailure(thrown)
    }
  })
}

/** A writer that knows what `text` holds, and gives what is added to `append`. */
export function createCodeWriter(text: string, append: (lines: string) => Promise<void>): CodeWriter {
  const known = new Map<string, readonly string[]>()
  for (const line of text.split('\n')) {
    const row = parseRow(line.replace(/\],"(?:blocks|files)":.*$/s, ']}')) // only what is needed: they are long
    if (row) known.set(row.key, row.uses.map(String))
  }
  // A line break first: it ends a line that a killed run left half written.
  let added: string[] = text === '' ? [] : ['']
  const add = (key: string, uses: readonly string[], row: object): void => {
    if (known.has(key)) return
    known.set(key, uses)
    added.push(JSON.stringify({ key, ...row }))
  }
  return {
    usesOf: (name, oid) => known.get(fileKey(name, oid)),
    addFile: (name, oid, { blocks, uses }) =>
      add(fileKey(name, oid), uses, {
        uses,
        blocks: blocks.map((block) => [block.address, block.attributes]),
      }),
    hasDirectory: (commit, path) => known.has(directoryKey(commit, path)),
    addDirectory: (commit, path, { files, uses }) => add(directoryKey(commit, path), [], { uses, files }),
    async save() {
      if (added.length === 0 || (added.length === 1 && added[0] === '')) return
      const lines = added
      added = []
      await append(`${lines.join('\n')}\n`)
    },
  }
}

/** Whether any code of a repository is stored: that of older versions of this program is not. */
export async function hasCode(outputDir: string, repository: string): Promise<boolean> {
  return (await realDisk.stat(codePath(outputDir, repository))) !== undefined
}

/** The code of module directories; undefined for one that is not stored, or not whole. Reads each repository's file once. */
export async function loadCode(
  outputDir: string,
  places: readonly CodePlace[],
): Promise<readonly (ModuleCode | undefined)[]> {
  const found = new Map<CodePlace, ModuleCode>()
  for (const repository of new Set(places.map((place) => place.repository))) {
    const text = await readFile(codePath(outputDir, repository), 'utf8').catch(() => '')
    const own = places.filter((place) => place.repository === repository)
    for (const [at, code] of codeIn(text, own).entries()) {
      const place = own[at]
      if (code && place) found.set(place, code)
    }
  }
  return places.map((place) => found.get(place))
}

/** The same from the text that writers of one repository have appended. */
export function codeIn(
  text: string,
  places: readonly Omit<CodePlace, 'repository'>[],
): readonly (ModuleCode | undefined)[] {
  const directories = directoriesIn(text, places)
  const files = rowsIn(text, [...directories.values()].flatMap(fileKeys))
  return places.map((place) => codeOf(place, { directories, files }, MAX_NESTED))
}

/** The rows of these directories and of the nested modules that they use. */
function directoriesIn(
  text: string,
  places: readonly Omit<CodePlace, 'repository'>[],
): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>()
  let wanted = places
  for (let depth = 0; depth <= MAX_NESTED && wanted.length > 0; depth += 1) {
    const keys = wanted.map(({ commit, path }) => directoryKey(commit, path))
    const rows = rowsIn(text, keys)
    for (const [key, row] of rows) found.set(key, row)
    wanted = wanted.flatMap(({ commit, path }) => {
      const uses = rows.get(directoryKey(commit, path))?.uses as [string, string][] | undefined // as `addDirectory` wrote it
      const inner = (uses ?? []).map(([used]) => ({ commit, path: used }))
      return inner.filter((one) => !found.has(directoryKey(commit, one.path)))
    })
  }
  return found
}

function fileKeys({ files = [] }: Row): string[] {
  return files.map(([name, oid]) => fileKey(name, oid))
}

interface Rows {
  readonly directories: ReadonlyMap<string, Row>
  readonly files: ReadonlyMap<string, Row>
}

function codeOf(place: Omit<CodePlace, 'repository'>, rows: Rows, depth: number): ModuleCode | undefined {
  const directory = rows.directories.get(directoryKey(place.commit, place.path))
  const files = directory && fileKeys(directory).map((key) => rows.files.get(key))
  if (directory === undefined || files === undefined || files.includes(undefined)) return undefined
  const uses = new Map(directory.uses as [string, string][]) // as `addDirectory` wrote it
  const nested = new Map<string, ModuleCode>()
  for (const path of depth > 0 ? uses.keys() : []) {
    const code = path === place.path ? undefined : codeOf({ commit: place.commit, path }, rows, depth - 1)
    if (code) nested.set(path, code)
  }
  return {
    files: new Map(directory.files),
    uses,
    nested,
    blocks: files.flatMap((row) =>
      (row?.blocks ?? []).map(([address, attributes]) => ({ address, attributes })),
    ),
  }
}

/** How deep nested modules of nested modules are read and compared. */
export const MAX_NESTED = 4

interface Row {
  readonly key: string
  readonly uses: readonly unknown[]
  readonly files?: readonly (readonly [string, string])[]
  readonly blocks?: readonly (readonly [string, Readonly<Record<string, string>>])[]
}

/** The rows with these keys; only their lines are parsed. */
function rowsIn(text: string, keys: readonly string[]): ReadonlyMap<string, Row> {
  const wanted = new Set(keys)
  const found = new Map<string, Row>()
  for (let at = 0; at < text.length && found.size < wanted.size; ) {
    const next = text.indexOf('\n', at)
    const end = next === -1 ? text.length : next
    const close = text.indexOf('","uses"', at)
    if (text.startsWith('{"key":"', at) && close !== -1 && close < end) {
      const key = JSON.parse(text.slice(at + 7, close + 1)) as string // a JSON text
      const row = wanted.has(key) ? parseRow(text.slice(at, end)) : undefined
      if (row) found.set(key, row)
    }
    at = end + 1
  }
  return found
}

function parseRow(line: string): Row | undefined {
  const row = parsedJson(line) as Partial<Row> | null | undefined // our own file; looked at next
  return typeof row?.key === 'string' && Array.isArray(row.uses) ? (row as Row) : undefined
}

/** The file of a repository's code, to which writers only append. */
export function codePath(outputDir: string, repository: string): string {
  const name = createHash('sha256').update(repository).digest('hex').slice(0, 24)
  return join(stateDir(outputDir), CODE_FORMAT, `${name}.ndjson`)
}

/** The name counts: `.tf.json` is read otherwise than `.tf`, and what cannot be read is addressed by it. */
function fileKey(name: string, oid: string): string {
  return `${FILE}:${oid}:${name}`
}

function directoryKey(commit: string, path: string): string {
  return `${DIRECTORY}:${commit}:${path}`
}
