import packageJson from '../package.json' with { type: 'json' }

/** The version of this package, as `--version`, `/health` and the MCP handshake say it. */
export const VERSION: string = packageJson.version
