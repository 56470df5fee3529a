import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { processorTime } from './hook-process.ts'
import { BUILT } from './workspace-process.ts'

/** An empty home and folder, and what programs started there get. */
export interface EmptyHome {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

/**
 * Makes an empty home below `folder`, and a PATH on which `satchel` is the built program. The time limit of hooks counts
 * processor time, so that a busy machine does not stop one, and a room takes free ports.
 */
export function makeEmptyHome(folder: string): EmptyHome {
  const [home, bin] = [join(folder, 'home'), join(folder, 'bin')]
  for (const path of [home, bin]) mkdirSync(path)
  const program = [process.execPath, ...BUILT].map(quoted).join(' ')
  const patient = `[ "$1 $2" != "handoff hook" ] || export NODE_OPTIONS=${quoted(processorTime())}`
  const freePorts = `[ "$1 $2" != "workspace open" ] || set -- "$@" --owner-port 0 --ingress-port 0`
  writeFileSync(join(bin, 'satchel'), `#!/bin/sh\n${patient}\n${freePorts}\nexec ${program} "$@"\n`)
  chmodSync(join(bin, 'satchel'), 0o755)
  const author = { NAME: 'Example', EMAIL: 'someone@example.org' }
  const git = Object.entries(author).flatMap(([key, value]) =>
    ['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_${key}`, value] as const),
  )
  const PATH = [bin, dirname(process.execPath), process.env['PATH']].join(delimiter)
  return { home, env: { HOME: home, PATH, ...Object.fromEntries(git) } }
}

/** A word as the shell takes it literally. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
