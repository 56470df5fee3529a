import { join } from 'node:path'
import { didYouMean, nearest } from '../platform/nearest.ts'
import { configValue } from './change.ts'
import { SCOPES, type Scope, SETUP_CLIENTS, type SetupClient } from './clients.ts'
import { type ConfiguredServer, configuredServer } from './entries.ts'
import { folderOf, type SetupPlace } from './folders.ts'
import { refusals } from './refusals.ts'
import { switchedOffBy } from './switches.ts'

/** One client in one scope. */
export interface Target {
  readonly client: SetupClient
  readonly scope: Scope
}

/** The clients of these names. Errors: `not_found`/`client_unknown`. */
export function clientsNamed(names: readonly string[]): readonly SetupClient[] {
  const known = SETUP_CLIENTS.map(({ name }) => name)
  return [...new Set(names)].map((name) => {
    const client = SETUP_CLIENTS.find((each) => each.name === name)
    if (client) return client
    throw refusals.client_unknown({
      client: name.slice(0, 80),
      hint: didYouMean(nearest(name, known), known),
    })
  })
}

/** Refuses a scope that the client does not have. */
export function requireScope({ client, scope }: Target): void {
  if (client.servers[scope]) return
  const other = scope === 'user' ? 'project' : 'user'
  throw refusals.client_without_scope({ client: client.title, scope, other })
}

/** Every scope that these clients have. Where the project is the home, a file of both is the user's. */
export function targetsOf(
  clients: readonly SetupClient[],
  scope: Scope | undefined,
  at: SetupPlace,
): readonly Target[] {
  return clients.flatMap((client) => {
    const paths = new Set<string>()
    return SCOPES.filter((each) => scope === undefined || each === scope).flatMap((each) => {
      const place = client.servers[each]
      const path = place && join(folderOf(place.in, at), place.names[0] ?? '')
      if (path === undefined || paths.has(path)) return []
      paths.add(path)
      return [{ client, scope: each }]
    })
  })
}

/** What the configuration of a client names as satchel; undefined if it has no such server. Errors: the `config_*` refusals. */
export async function serverOf(target: Target, at: SetupPlace): Promise<ConfiguredServer | undefined> {
  const { client, scope } = target
  const place = client.servers[scope]
  const server = place && configuredServer(client, (await configValue(place, at)).value)
  const disabledBy = server && (server.disabledBy ?? (await switchedOffBy(target, at)))
  return server && { ...server, ...(disabledBy !== undefined && { disabledBy }) }
}
