import type { PluginInstance } from './contract/plugin.ts'
import { DECLARATIONS } from './declaration-shape.ts'
import { didYouMean, nearest } from './platform/nearest.ts'

/** What the host and a room open. */
const LISTENERS: readonly string[] = ['api', 'mcp', 'owner', 'ingress', 'socket']

/**
 * Returns a sentence for each declaration of a plugin that nothing reads: of a name that the host does not know, at a
 * listener that nothing opens, and tasks whose results no caller could get. None is refused: another release may read it.
 */
export function unreadDeclarations(instance: PluginInstance): readonly string[] {
  const { tools = [], routes = [], streams = [], listeners = [], tasks } = instance
  const opened = [...LISTENERS, ...listeners.map(({ name }) => name)]
  const places = [
    ...tools.flatMap(({ http }) =>
      [http ?? []].flat().map(({ method, path, listeners: at }) => [`${method} ${path}`, at ?? []] as const),
    ),
    ...routes.map(({ method, path, listeners: at }) => [`${method} ${path}`, at] as const),
    ...streams.map(({ path, listeners: at }) => [`GET ${path}`, at] as const),
  ]
  return [
    ...Object.keys(instance).flatMap((name) => {
      if (DECLARATIONS.includes(name)) return []
      const near = nearest(name, DECLARATIONS)
      return [`setup gives "${name}", which nothing reads${near === undefined ? '' : `: is it "${near}"?`}`]
    }),
    ...places.flatMap(([route, at]) =>
      at
        .filter((name) => !opened.includes(name))
        .map(
          (name) =>
            `${route} is served at "${name}", which nothing opens: ${didYouMean(nearest(name, opened), opened)}`,
        ),
    ),
    ...tools
      .filter(({ task }) => task === true && tasks === undefined)
      .map(
        ({ name }) =>
          `${name} may start tasks, and setup gives no tasks: no caller could ask for their results`,
      ),
  ]
}
