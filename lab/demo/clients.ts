/** What to paste into each client, printed at the end of the demo; README shows the same. */
export const CLIENTS = `How to add satchel to your client, once the package is installed (README, "Install it"):

  Claude Code   claude mcp add --scope project satchel -- satchel mcp
  Codex         ~/.codex/config.toml:  [mcp_servers.satchel]
                                       command = "satchel"
                                       args = ["mcp"]
  Cursor        .cursor/mcp.json:        { "mcpServers": { "satchel": { "command": "satchel", "args": ["mcp"] } } }
  Gemini CLI    ~/.gemini/settings.json: { "mcpServers": { "satchel": { "command": "satchel", "args": ["mcp"] } } }
  VS Code       .vscode/mcp.json:        { "servers": { "satchel": { "type": "stdio", "command": "satchel", "args": ["mcp"] } } }
`
