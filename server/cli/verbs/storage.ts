import * as z from 'zod'
import type { CopiedRecords, DatabaseStore } from '../../contract/advanced/database.ts'
import { defineHostVerb } from '../host-verb.ts'
import { printResult } from '../render.ts'
import { withDatabase } from '../with-database.ts'
import type { World } from '../world.ts'

/** `satchel storage migrate`. */
export const storageMigrateVerb = defineHostVerb({
  path: ['storage', 'migrate'],
  summary: 'create or update the tables of storage.url',
  description: [
    'Creates the tables of satchel in the database of storage.url, or brings them to the version of this release, in one',
    'transaction. Tables of a newer release, and those of another application, are left alone.',
  ].join(' '),
  input: z.object({}),
  examples: ['satchel storage migrate --storage postgres://satchel@db:5432/satchel'],
  run: (world) =>
    withDatabase(world, async (_, database) => {
      const parts = await database.migrate()
      const lines = parts.map(({ owner, from, to }) =>
        from === to ? `${owner}: version ${to} already` : `${owner}: version ${from} to ${to}`,
      )
      printResult(world.terminal, { data: { database: database.place, parts }, text: lines.join('\n') })
      return 0
    }),
})

/** `satchel storage import`. */
export const storageImportVerb = defineHostVerb({
  path: ['storage', 'import'],
  summary: "copy this project's files into the database",
  description: [
    'Copies what belongs to this project, and what its configuration names there, from files into the database of',
    'storage.url, byte by byte. What is there with the same bytes is left; if anything differs, nothing is copied.',
    'A file that is not a valid record is named and left out (exit code 3); once corrected, it also replaces such a row.',
    'The files stay. It can be run again.',
  ].join(' '),
  input: z.object({}),
  examples: ['satchel storage import'],
  run: (world) => copied(world, 'import'),
})

/** `satchel storage export`. */
export const storageExportVerb = defineHostVerb({
  path: ['storage', 'export'],
  summary: "copy this project's rows of the database into files",
  description: [
    'Copies what belongs to this project, and what its configuration names there, from the database of storage.url',
    'into files, byte by byte. What is there with the same bytes is left; if anything differs, nothing is copied.',
    'The rows stay. It can be run again.',
  ].join(' '),
  input: z.object({}),
  examples: ['satchel storage export'],
  run: (world) => copied(world, 'export'),
})

const WAYS = {
  import: {
    check: (store: DatabaseStore, signal: AbortSignal) => store.checkImport?.(signal),
    copy: (store: DatabaseStore, signal: AbortSignal) => store.importFiles?.(signal),
  },
  export: {
    check: (store: DatabaseStore, signal: AbortSignal) => store.checkExport?.(signal),
    copy: (store: DatabaseStore, signal: AbortSignal) => store.exportFiles?.(signal),
  },
}

interface Done extends CopiedRecords {
  readonly store: string
}

/** Copies each kind. Errors: those of any kind before the first one is copied. */
function copied(world: World, way: keyof typeof WAYS): Promise<number> {
  const { signal, terminal } = world
  const { check, copy } = WAYS[way]
  return withDatabase(world, async (host) => {
    const stores = host.registry.instances.flatMap(({ instance }) => instance.database ?? [])
    for (const store of stores) await check(store, signal)
    const done: Done[] = []
    try {
      for (const store of stores) {
        const did = await copy(store, signal)
        if (did) done.push({ store: store.name, ...did })
      }
    } catch (thrown) {
      // What was copied stays, and the error says nothing of it.
      for (const one of done) terminal.note(lineOf(one))
      throw thrown
    }
    return told(done, terminal)
  })
}

/** Prints what was done; 3 where something was left out. */
function told(done: readonly Done[], terminal: World['terminal']): number {
  for (const { note } of done) if (note !== undefined) terminal.note(note)
  const damaged = done.flatMap((one) => one.damaged ?? [])
  for (const path of damaged) terminal.note(`${path} is damaged and was left out.`)
  if (damaged.length > 0) terminal.note('Correct what was left out, or remove it, and run this again.')
  printResult(terminal, { data: { stores: done }, text: done.map(lineOf).join('\n') })
  return damaged.length > 0 ? 3 : 0
}

function lineOf({ store, from, to, copied: count, present }: Done): string {
  return `${store}: ${count} copied from ${from} to ${to}, ${present} there already`
}
