import { isJsonObject } from '../../../server/plugin.ts'

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
 * The edit in the input of a hook, as Claude Code, Gemini CLI and Qwen Code write it: `tool_input` with `file_path` and
 * `content`, `old_string` and `new_string`, or `edits` of those. Undefined for anything else.
 */
export function harnessEdit(input: unknown): HarnessEdit | undefined {
  if (!isJsonObject(input) || !isJsonObject(input['tool_input'])) return undefined
  const call = input['tool_input']
  const path = call['file_path']
  if (typeof path !== 'string') return undefined
  const { content } = call
  const replacements = Array.isArray(call['edits']) ? call['edits'].map(replacementOf) : [replacementOf(call)]
  const cwd = typeof input['cwd'] === 'string' ? input['cwd'] : undefined
  if (typeof content === 'string') return { path, cwd, apply: () => content }
  return {
    path,
    cwd,
    apply: (text) =>
      replacements.reduce<string | undefined>(
        (edited, one) => (edited === undefined || !one ? undefined : replaced(edited, one)),
        text,
      ),
  }
}

function replacementOf(value: unknown): Replacement | undefined {
  if (!isJsonObject(value)) return undefined
  const { old_string: old, new_string: fresh, replace_all: all } = value
  if (typeof old !== 'string' || typeof fresh !== 'string' || old === '') return undefined
  return { old, new: fresh, all: all === true }
}

function replaced(text: string, { old, new: fresh, all }: Replacement): string | undefined {
  const parts = text.split(old)
  return parts.length === 2 || (all && parts.length > 1) ? parts.join(fresh) : undefined
}
