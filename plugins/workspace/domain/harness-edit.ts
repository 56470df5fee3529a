import { isJsonObject } from '../../../server/plugin.ts'
import { filePatches } from './patch-envelope.ts'

/** What an edit tool of a harness is about to do, or did, to one file. */
export interface HarnessEdit {
  /** As the harness names it; relative to `cwd`. */
  readonly path: string
  readonly cwd: string | undefined
  /** The file's text after the edit; undefined where the edit does not fit the text. */
  apply(text: string): string | undefined
}

interface Replacement {
  readonly old: string
  readonly new: string
  readonly all: boolean
}

/**
 * The edits in the input of a hook, one for each file. Claude Code, Gemini CLI and Qwen Code write `tool_input` with
 * `file_path` and `content`, `old_string` and `new_string`, or `edits` of those; Cursor also `path` and `contents`, and
 * after an edit the members without `tool_input`; Codex writes a patch, of any files, as `command`. None for anything else.
 */
export function harnessEdits(input: unknown): readonly HarnessEdit[] {
  if (!isJsonObject(input)) return []
  const call = input['tool_input'] ?? input
  if (!isJsonObject(call)) return []
  const cwd = cwdOf(input)
  const path = call['file_path'] ?? call['path']
  if (typeof path === 'string') return [{ path, cwd, apply: applied(call) }]
  const patch = call['command'] ?? call['input']
  return typeof patch === 'string' ? filePatches(patch).map((one) => ({ ...one, cwd })) : []
}

/** Cursor runs the hooks of a user in a folder of its own, and names those of the project beside or instead of it. */
function cwdOf({ cwd, workspace_roots }: Readonly<Record<string, unknown>>): string | undefined {
  const [root]: unknown[] = Array.isArray(workspace_roots) ? workspace_roots : []
  return [cwd, root].find((one) => typeof one === 'string' && one !== '') as string | undefined // found as such
}

function applied(call: Readonly<Record<string, unknown>>): HarnessEdit['apply'] {
  const { edits } = call
  const content = call['content'] ?? call['contents']
  if (typeof content === 'string') return () => content
  const replacements = Array.isArray(edits) ? edits.map(replacementOf) : [replacementOf(call)]
  return (text) =>
    replacements.reduce<string | undefined>(
      (edited, one) => (edited === undefined || !one ? undefined : replaced(edited, one)),
      text,
    )
}

function replacementOf(value: unknown): Replacement | undefined {
  if (!isJsonObject(value)) return undefined
  const { old_string: old, new_string: fresh, replace_all, allow_multiple } = value
  if (typeof old !== 'string' || typeof fresh !== 'string' || old === '') return undefined
  return { old, new: fresh, all: replace_all === true || allow_multiple === true }
}

function replaced(text: string, { old, new: fresh, all }: Replacement): string | undefined {
  const parts = text.split(old)
  return parts.length === 2 || (all && parts.length > 1) ? parts.join(fresh) : undefined
}
