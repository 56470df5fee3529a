/** What to paste into each client, printed at the end of the demo; README shows the same. */
export const CLIENTS = `How to add satchel to your client:

  Claude Code   claude mcp add --scope project satchel -- npx -y satchel mcp
  Codex         ~/.codex/config.toml:  [mcp_servers.satchel]
                                       command = "npx"
                                       args = ["-y", "satchel", "mcp"]
  Cursor        .cursor/mcp.json:        { "mcpServers": { "satchel": { "command": "npx", "args": ["-y", "satchel", "mcp"] } } }
  Gemini CLI    ~/.gemini/settings.json: { "mcpServers": { "satchel": { "command": "npx", "args": ["-y", "satchel", "mcp"] } } }
  VS Code       .vscode/mcp.json:        { "servers": { "satchel": { "type": "stdio", "command": "npx", "args": ["-y", "satchel", "mcp"] } } }
`
