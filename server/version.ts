import packageJson from '../package.json' with { type: 'json' }

/** The version of this package in `--version`, `/health` and the MCP handshake. */
export const VERSION: string = packageJson.version
/** The description of the program in one sentence. */
export const DESCRIPTION = 'A toolkit for AI coding agents, served over MCP, REST and the command line.'

/** What `--version` prints. */
export function versionText(json: boolean): string {
  return `${json ? JSON.stringify({ version: VERSION }) : VERSION}\n`
}
