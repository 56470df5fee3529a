import { resolve } from 'node:path'
import * as z from 'zod'
import { counted, defineCommand, showHidden } from '../../server/plugin.ts'
import { upgradeAnswer } from './answers/upgrade.ts'
import { refusals } from './reasons.ts'
import type { CallFile } from './service/call-file.ts'
import type { FileChange } from './service/call-files.ts'
import { type ModuleService, placeOf } from './service/module-service.ts'

/**
 * `satchel modules upgrade FILE|DIR`: the plan of `module_upgrade` for files, as a diff; with `--write` the files are
 * changed, each as a whole or not at all. Exit code 3: something breaks.
 */
export function upgradeCommand(service: ModuleService) {
  const { workingDirectory, config } = service
  return defineCommand({
    cli: 'modules upgrade',
    title: 'Upgrade module calls',
    description:
      'Compares the version that each module block of a file or directory calls with another one, for that call: what breaks, new names (guesses), changed defaults, provider floors, the changelog between the two, and a diff of the files. Writes nothing without --write. The exit code is 3 if something breaks.',
    positional: ['path'],
    input: z.object({
      path: z.string().min(1).max(4096).describe('A Terraform file, or a directory with such files.'),
      to: z.string().min(1).max(255).default('latest').describe('The ref to upgrade to.'),
      call: z.string().max(255).optional().describe('Only the block of this name.'),
      write: z.boolean().default(false).describe('Change the files.'),
      output_dir: z.string().max(4096).optional().describe('Where the summaries are.'),
    }),
    example: 'satchel modules upgrade main.tf --to v2.0.0',
    async run({ signal }, { path, to, call, write, output_dir }, terminal) {
      const outputDir = placeOf(service, resolve(workingDirectory, output_dir ?? config.output_dir))
      const { diffOf, readCallFiles, writeCallFiles } = await import('./service/call-files.ts')
      const { upgradeCalls } = await import('./service/upgrade-calls.ts')
      const { upgradeText } = await import('./answers/upgrade-text.ts')
      const index = await service.storedIndex(outputDir)
      if (index === undefined) throw refusals.no_index()
      const files = await readCallFiles(workingDirectory, path)
      const upgrade = await upgradeCalls(service, { files, to, call, outputDir, index, signal })
      const answer = upgradeAnswer().parse({ calls: upgrade.calls, skipped: upgrade.skipped })
      const changes = changesOf(files, upgrade.files)
      const diff = await diffOf(changes)
      if (!terminal.json) terminal.write(`${upgradeText(answer)}\n${showHidden(diff)}`)
      if (write) await writeCallFiles(workingDirectory, changes)
      const written = write ? changes.map(({ after }) => after.name) : []
      if (terminal.json) await terminal.answer('', { ...answer, diff, written })
      terminal.note(write ? `Wrote ${counted(written.length, 'file')}.` : 'Nothing was written: add --write.')
      return answer.calls.some(({ verdict }) => verdict === 'breaking') ? 3 : 0
    },
  })
}

function changesOf(before: readonly CallFile[], after: readonly CallFile[]): FileChange[] {
  return after.flatMap((now) => {
    const old = before.find(({ name }) => name === now.name)
    return old === undefined ? [] : [{ before: old, after: now }]
  })
}
