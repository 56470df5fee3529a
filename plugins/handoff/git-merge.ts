import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import * as z from 'zod'
import { decodeUtf8, defineCommand, type Host, writeFileDurably } from '../../server/plugin.ts'
import { mergeVersions, type RecordVersion, recordVersion } from './domain/git-merge.ts'
import { documentOf } from './domain/json-text.ts'
import { placeOfConflict } from './domain/merge-conflicts.ts'
import { shortId } from './domain/record-id.ts'
import { schemaVerdict } from './domain/schema-verdict.ts'

/** Exit code by which git learns that the file is still in conflict. */
const CONFLICT_EXIT = 1

/**
 * `satchel handoff git-merge %O %A %B`: a merge driver for records. It writes the result into the second file, as git
 * expects. What is not a record is left as it is, in conflict.
 */
export function gitMergeCommand(host: Pick<Host, 'workingDirectory'>) {
  return defineCommand({
    cli: 'handoff git-merge',
    title: 'Merge driver for git',
    description:
      'For git: merges two versions of a record, given as files (%O %A %B), into the second one. Exits 1 if both sides changed the same in different ways; the record then is flagged conflicted, stays readable and keeps both positions.',
    positional: ['base', 'ours', 'theirs'],
    input: z.object({
      base: z.string().describe('file with the common version: %O'),
      ours: z.string().describe('file with our version, which gets the result: %A'),
      theirs: z.string().describe('file with their version: %B'),
    }),
    example: 'satchel handoff git-merge base.json ours.json theirs.json',
    async run(_ctx, input, terminal) {
      const at = (path: string) => resolve(host.workingDirectory, path)
      const [base, ours, theirs] = await Promise.all(
        [input.base, input.ours, input.theirs].map((path) => versionIn(at(path))),
      )
      if (!ours || !theirs || ours.record.id.toLowerCase() !== theirs.record.id.toLowerCase()) {
        terminal.note(
          'satchel handoff git-merge: these are not two versions of one record; resolve the conflict by hand',
        )
        return CONFLICT_EXIT
      }
      const { text, conflicts } = mergeVersions(base, ours, theirs)
      if (schemaVerdict(documentOf(text).value).length > 0) {
        terminal.note(
          'satchel handoff git-merge: the versions do not fit together; resolve the conflict by hand',
        )
        return CONFLICT_EXIT
      }
      await writeFileDurably(at(input.ours), text)
      if (conflicts.length === 0) return 0
      for (const conflict of conflicts)
        terminal.note(
          `satchel handoff git-merge: both sides changed ${placeOfConflict(conflict)} (${conflict.id})`,
        )
      terminal.note(
        `satchel handoff git-merge: decide with satchel handoff merge --child ${shortId(ours.record.id)}, then add the file and go on; satchel handoff resume shows both sides`,
      )
      return CONFLICT_EXIT
    },
  })
}

/** The record in a file; undefined if it holds none. An empty file is git's base of a file that both sides added. */
async function versionIn(path: string): Promise<RecordVersion | undefined> {
  const text = decodeUtf8(await readFile(path).catch(() => Buffer.alloc(0)))
  return text === undefined ? undefined : recordVersion(text)
}
