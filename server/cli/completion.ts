/** The words that complete one verb. */
export interface VerbWords {
  readonly path: readonly string[]
  readonly summary: string
  readonly flags: readonly string[]
  /** Flag -> its fixed values. */
  readonly choices: Readonly<Record<string, readonly string[]>>
  /** Fixed values of the first positional. */
  readonly values: readonly string[]
  /** Some of its arguments are values that exist, which `satchel completion values` prints. */
  readonly hasExisting: boolean
}

export type Shell = 'bash' | 'zsh' | 'fish'

/**
 * Returns a completion script for `shell`. Only for an argument that names what exists, such as an id, TAB starts satchel.
 * File names complete where no word matches.
 */
export function completionScript(shell: Shell, verbs: readonly VerbWords[]): string {
  return SCRIPTS[shell](verbs)
}

const SCRIPTS: Readonly<Record<Shell, (verbs: readonly VerbWords[]) => string>> = {
  bash: bashScript,
  zsh: (verbs) =>
    ['#compdef satchel', 'autoload -U +X bashcompinit && bashcompinit', bashScript(verbs)].join('\n'),
  fish: fishScript,
}

/** Leaves the function with the values that exist; a word that begins with a hyphen is a flag. */
const BASH_EXISTING = [
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the shell
  'if [[ "$cur" != -* ]]; then words="$(satchel completion values -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"',
  '      if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); return; fi; words=""; fi',
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of the shell
].join('\n')

function bashScript(verbs: readonly VerbWords[]): string {
  return [
    '_satchel() {',
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the shell
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"',
    '  local verb="${COMP_WORDS[1]}" sub="${COMP_WORDS[2]}" words=""',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of the shell
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${[...nextWords(verbs, []), '--help', '--version'].join(' ')}" -- "$cur")); return`,
    '  fi',
    '  case "$verb $sub $prev" in',
    ...verbs.flatMap((verb) =>
      Object.entries(verb.choices).map(
        ([flag, choices]) =>
          `    ${bashPattern(verb, flag)}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`,
      ),
    ),
    '  esac',
    '  case "$verb $sub" in',
    ...verbs
      .filter(({ hasExisting }) => hasExisting)
      .map(
        ({ path }) =>
          `    ${path.length > 1 ? `"${path.join(' ')}"` : `"${path[0]} "*`}) ${BASH_EXISTING} ;;`,
      ),
    '  esac',
    '  case "$verb $sub" in',
    ...verbs
      .filter(({ path }) => path.length > 1)
      .map((verb) => `    "${verb.path.join(' ')}"*) words="${verb.flags.join(' ')}" ;;`),
    '  esac',
    '  if [ -z "$words" ]; then case "$verb" in',
    ...[...new Set(verbs.map(({ path }) => path[0] ?? ''))].map(
      (word) => `    ${word}) words="${wordsAfter(word, verbs)}" ;;`,
    ),
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _satchel satchel',
  ].join('\n')
}

/** The pattern of `verb sub flag`; any text may follow a verb of one word. */
function bashPattern({ path }: VerbWords, flag: string): string {
  return path.length > 1 ? `"${path.slice(0, 2).join(' ')} ${flag}"` : `"${path[0]} "*" ${flag}"`
}

function wordsAfter(word: string, verbs: readonly VerbWords[]): string {
  const own = verbs.find(({ path }) => path.length === 1 && path[0] === word)
  return [...nextWords(verbs, [word]), ...(own?.values ?? []), ...(own?.flags ?? [])].join(' ')
}

function nextWords(verbs: readonly VerbWords[], path: readonly string[]): string[] {
  const inside = verbs.filter(({ path: full }) => path.every((word, index) => full[index] === word))
  return [...new Set(inside.flatMap(({ path: full }) => full[path.length] ?? []))]
}

function fishScript(verbs: readonly VerbWords[]): string {
  const tops = nextWords(verbs, []).map((word) => {
    const own = verbs.find(({ path }) => path.length === 1 && path[0] === word)
    const summary = own ? ` -d ${fishQuoted(own.summary)}` : ''
    return `complete -c satchel -n __fish_use_subcommand -a ${word}${summary}`
  })
  return [...tops, ...verbs.flatMap(fishVerb)].join('\n')
}

function fishVerb(verb: VerbWords): string[] {
  const [first = '', second] = verb.path
  const inFirst = `__fish_seen_subcommand_from ${first}`
  const inVerb = second === undefined ? inFirst : `${inFirst}; and __fish_seen_subcommand_from ${second}`
  const word =
    second === undefined
      ? verb.values.map((value) => `complete -c satchel -n ${fishQuoted(inFirst)} -a ${value}`)
      : [`complete -c satchel -n ${fishQuoted(inFirst)} -a ${second} -d ${fishQuoted(verb.summary)}`]
  const existing = verb.hasExisting
    ? [
        `complete -c satchel -n ${fishQuoted(inVerb)} -a ${fishQuoted('(satchel completion values -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)')}`,
      ]
    : []
  const flags = verb.flags.map((flag) => {
    const choices = verb.choices[flag]
    const values = choices ? ` -xa ${fishQuoted(choices.join(' '))}` : ''
    return `complete -c satchel -n ${fishQuoted(inVerb)} -l ${flag.slice(2)}${values}`
  })
  return [...word, ...existing, ...flags]
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
