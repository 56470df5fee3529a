import * as z from 'zod'
import type { Config } from '../../config.ts'
import { isSatchelError } from '../../contract/errors.ts'
import type { Plugin } from '../../contract/plugin.ts'
import { loadBuiltins, loadListed } from '../../plugin-entries.ts'
import { unreadConfig } from '../../unread-config.ts'
import { defineHostVerb } from '../host-verb.ts'
import { printDocument, printText } from '../render.ts'

const input = z.object({
  origin: z.boolean().default(false).describe('say where each value came from'),
})

/** `satchel config show`: prints the merged configuration without secrets. */
export const configShowVerb = defineHostVerb({
  path: ['config', 'show'],
  summary: 'show the merged configuration',
  description:
    'Shows the configuration as it is after flags, environment, file and defaults were merged. Secrets are hidden.',
  input,
  examples: ['satchel config show --origin'],
  async run({ doors, io, line, terminal }, { origin }) {
    const config = await doors.loadConfig(line)
    const unread = unreadConfig(config, { projectRoot: await doors.findProjectRoot(line), cwd: io.cwd })
    if (unread !== undefined) terminal.note(`satchel: ${unread}`)
    const values = config.origins([
      ...(await loadBuiltins()),
      ...(await listedPlugins(config, terminal.note)),
    ])
    if (terminal.json) {
      const document = origin ? values : Object.fromEntries(values.map(({ key, value }) => [key, value]))
      printDocument(terminal, { file: config.file ?? null, values: document })
      return 0
    }
    terminal.note(config.file === undefined ? 'no configuration file' : `configuration file: ${config.file}`)
    const width = Math.max(...values.map(({ key }) => key.length))
    const lines = values.map(({ key, value, origin: from }) => {
      const shown = `${key.padEnd(width)}  ${JSON.stringify(value) ?? ''}`
      return origin ? `${shown}  (${from})` : shown
    })
    printText(terminal, lines.join('\n'))
    return 0
  },
})

/** Returns the plugins of the file that load; the settings of the others are shown as written. */
async function listedPlugins(config: Config, note: (text: string) => void) {
  const loaded: { readonly plugin: Plugin; readonly section: { readonly listedAs: string } }[] = []
  for (const name of Object.keys(config.plugins)) {
    try {
      const { plugin } = await loadListed(config, name)
      loaded.push({ plugin, section: { listedAs: name } })
    } catch (thrown) {
      if (!isSatchelError(thrown)) throw thrown
      note(`${thrown.message} Its settings are shown as written.`)
    }
  }
  return loaded
}
