import { BUILTIN_PLUGINS } from '../../server/builtin-plugins.ts'
import { SETUP_CLIENTS } from '../../server/setup/clients.ts'

/** The hooks that `satchel setup CLIENT --hooks` adds, as the client reads them from the file of a package. */
export function hooksOf(client: string): Readonly<Record<string, unknown>> {
  const { events, matchers } = SETUP_CLIENTS.find(({ name }) => name === client)?.hooks ?? {}
  if (events === undefined) throw new Error(`${client} has no hooks that are commands`)
  const options = BUILTIN_PLUGINS.flatMap(({ setup = [] }) => setup.filter(({ name }) => name === 'hooks'))
  const declared = options.flatMap(({ hooks = [] }) => hooks)
  const entries = declared.flatMap(({ event, words }) => {
    const command = ['satchel', ...words, '--harness', client].join(' ')
    const matcher = matchers?.[event]
    const hooks = [{ type: 'command', command }]
    return events[event] === undefined ? [] : [[events[event], [{ ...(matcher && { matcher }), hooks }]]]
  })
  return { hooks: Object.fromEntries(entries) }
}
