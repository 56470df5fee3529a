import { homedir } from 'node:os'
import { join } from 'node:path'

/** What a machine needs to reach a registry: its proxy, its certificate authority. */
const REACH = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS']

/** The environment with which npm, in an empty home, asks the registry of the user who runs the test. */
export function npmReach(): Readonly<Record<string, string>> {
  const names = REACH.flatMap((name) => [name, name.toLowerCase()])
  const found = names.flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...Object.fromEntries(found),
    NPM_CONFIG_USERCONFIG: process.env['NPM_CONFIG_USERCONFIG'] ?? join(homedir(), '.npmrc'),
  }
}
