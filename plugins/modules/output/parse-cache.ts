import { readFile } from 'node:fs/promises'
import { appendToFile, parsedJson, removeFile } from '../../../server/plugin.ts'
import type { ModuleFacts } from '../domain/module-facts.ts'
import type { Flavour } from '../domain/module-files.ts'

/** Facts of files, by blob: 20 tags hold most blobs many times (modules design 2.3). */
export interface ParseCache {
  find(oid: string, flavour: Flavour): ModuleFacts | undefined
  add(oid: string, flavour: Flavour, facts: ModuleFacts): void
  /** Appends what was added since the last save. A cache: never waited for to be on disk. */
  save(): Promise<void>
}

/** A larger cache file is discarded. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024

/** The cache of one store. Lines that cannot be read, or of another parser, are ignored; so is a file that is too large. */
export async function openParseCache(path: string, parserVersion: string): Promise<ParseCache> {
  const known = new Map<string, ModuleFacts>()
  const text = await readFile(path, 'utf8').catch(() => '')
  let stale = text.length > MAX_CACHE_BYTES
  for (const line of stale ? [] : text.split('\n')) {
    const row = parseRow(line)
    if (row?.parser === parserVersion) known.set(row.key, row.facts)
    else if (row !== undefined) stale = true
  }
  let added: Row[] = []
  return {
    find: (oid, flavour) => known.get(`${oid}:${flavour}`),
    add(oid, flavour, facts) {
      const key = `${oid}:${flavour}`
      if (known.has(key)) return
      known.set(key, facts)
      added.push({ key, parser: parserVersion, facts })
    },
    async save() {
      if (added.length === 0) return
      const lines = added
      added = []
      if (stale) await removeFile(path)
      stale = false
      // The first line break ends a line that a killed run left half written.
      await appendToFile(path, `\n${lines.map((row) => JSON.stringify(row)).join('\n')}\n`)
    },
  }
}

interface Row {
  readonly key: string
  readonly parser: string
  readonly facts: ModuleFacts
}

function parseRow(line: string): Row | undefined {
  const row = parsedJson(line) as Partial<Row> | null | undefined // our own file; looked at next
  if (typeof row?.key !== 'string' || typeof row.parser !== 'string') return undefined
  return typeof row.facts === 'object' && row.facts !== null ? (row as Row) : undefined
}
