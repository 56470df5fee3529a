import { BUILTIN_PLUGINS } from '../builtin-plugins.ts'

/** What built-in plugins add under a verb of the host: `room` under `bench`. */
export function subjectsOf(verb: string): readonly { readonly verb: string; readonly summary: string }[] {
  return BUILTIN_PLUGINS.flatMap(({ verbs }) => verbs)
    .filter((row) => row.verb.startsWith(`${verb} `))
    .map((row) => ({ verb: row.verb.slice(verb.length + 1), summary: row.summary }))
}

/** The subjects of built-in plugins in one sentence. */
export function namesUnder(verb: string): string {
  return (
    subjectsOf(verb)
      .map((row) => row.verb)
      .join(', ') || 'none'
  )
}
