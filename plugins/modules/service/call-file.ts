import { posix } from 'node:path'
import { inTurns } from '../../../server/plugin.ts'
import { moduleFlavour } from '../domain/module-files.ts'
import type { OutputUse } from '../domain/upgrade.ts'
import { readingJsonOutputUses } from '../hcl/json-output-uses.ts'
import { readingOutputUses } from '../hcl/output-uses.ts'

/** One file of a configuration; `name` is how the caller knows it. */
export interface CallFile {
  readonly name: string
  readonly text: string
}

/** Whether a file is in JSON syntax: its calls have no lines, and are not edited. */
export function isJsonFile({ name }: Pick<CallFile, 'name'>): boolean {
  return moduleFlavour(posix.basename(name)) === 'json'
}

/** Where the outputs of each call are read, over all files. */
export async function usesOf(
  files: readonly CallFile[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly OutputUse[]>> {
  const found = new Map<string, OutputUse[]>()
  for (const one of files) {
    const { name: file, text } = one
    const reading = isJsonFile(one) ? readingJsonOutputUses(text) : readingOutputUses(text)
    for (const [call, uses] of await inTurns(reading, signal)) {
      found.set(call, [...(found.get(call) ?? []), ...uses.map((use) => ({ ...use, file }))])
    }
  }
  return found
}
