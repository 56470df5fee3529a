import packageJson from '../package.json' with { type: 'json' }

/** The version of this package, as `--version`, `/health` and the MCP handshake say it. */
export const VERSION: string = packageJson.version
/** What the program is, in one sentence. */
export const DESCRIPTION = 'A toolkit for AI coding agents, served over MCP, REST and the command line.'
