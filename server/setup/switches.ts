import { configValue } from './change.ts'
import type { ConfigPlace, Scope, SetupClient } from './clients.ts'
import { valueAt } from './config-edits.ts'
import { SERVER_NAME } from './entries.ts'
import type { SetupPlace } from './folders.ts'

/** A member beside the entry of a server by which a client does not start it. Of its files the last that has it counts. */
interface Switch {
  readonly files: readonly ConfigPlace[]
  /** Absent: for the servers of each scope. */
  readonly scope?: Scope
  member(at: SetupPlace): readonly string[]
  /** What the value does to satchel, in words; undefined: nothing. */
  readonly effect: (value: unknown) => string | undefined
}

const json = (folder: ConfigPlace['in'], name: string): ConfigPlace => ({
  in: folder,
  names: [name],
  format: 'json',
})
const member = (...path: readonly string[]) => ({ member: () => path })
const ofProject = (name: string) => ({
  member: ({ projectRoot }: SetupPlace) => ['projects', projectRoot, name],
})
const namesIt = (value: unknown) => (isIn(value) ? 'names it' : undefined)
const namesOthers = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && !isIn(value) ? 'names only others' : undefined
const is = (wanted: unknown) => (value: unknown) =>
  value === wanted ? `is ${JSON.stringify(wanted)}` : undefined

/** Gemini CLI, of which Qwen Code is a fork. */
const lists = (folder: 'gemini' | 'qwen'): readonly Switch[] => {
  const files = [json(folder, 'settings.json'), json('project', `.${folder}/settings.json`)]
  return [
    { files, ...member('mcp', 'excluded'), effect: namesIt },
    { files, ...member('mcp', 'allowed'), effect: namesOthers },
  ]
}

const refused = { ...member('disabledMcpjsonServers'), scope: 'project', effect: namesIt } as const
const claudeState = [json('claude-state', '.claude.json')]

/** Facts by the name of the client, as of November 2026 (docs/clients.md). */
const SWITCHES: Readonly<Record<string, readonly Switch[]>> = {
  'claude-code': [
    { files: [json('claude', 'settings.json')], ...refused },
    { files: [json('project', '.claude/settings.json')], ...refused },
    { files: [json('project', '.claude/settings.local.json')], ...refused },
    { files: claudeState, ...refused, ...ofProject('disabledMcpjsonServers') },
    { files: claudeState, ...ofProject('disabledMcpServers'), effect: namesIt },
  ],
  'gemini-cli': [
    ...lists('gemini'),
    {
      files: [json('gemini', 'mcp-server-enablement.json')],
      ...member(SERVER_NAME, 'enabled'),
      effect: is(false),
    },
  ],
  'qwen-code': lists('qwen'),
  vscode: [{ files: [json('code', 'settings.json')], ...member('chat.mcp.access'), effect: is('none') }],
}

/** What keeps a client from starting the server that its entry names, in words; undefined: nothing that its files tell. */
export async function switchedOffBy(
  { client, scope }: { readonly client: SetupClient; readonly scope: Scope },
  at: SetupPlace,
): Promise<string | undefined> {
  for (const each of SWITCHES[client.name] ?? []) {
    if (each.scope !== undefined && each.scope !== scope) continue
    const path = each.member(at)
    let by: string | undefined
    for (const place of each.files) {
      // What cannot be read switches nothing off, and is for its client to complain of.
      const read = await configValue(place, at).catch(() => undefined)
      const value = valueAt(read?.value, path)
      if (value === undefined) continue
      const effect = each.effect(value)
      by = effect && `${JSON.stringify(path.join('.'))} in ${read?.file.shown} ${effect}`
    }
    if (by !== undefined) return by
  }
  return undefined
}

function isIn(value: unknown): boolean {
  const isOurs = (name: unknown) => typeof name === 'string' && name.trim().toLowerCase() === SERVER_NAME
  return Array.isArray(value) && value.some(isOurs)
}
