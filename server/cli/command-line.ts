/** What the arguments say before the flags of the verb are known. */
export interface CommandLine {
  /** The words before the first flag: a verb, its sub-verb, then positionals. */
  readonly words: readonly string[]
  readonly config?: string
  readonly project?: string
  /** Address of the database. */
  readonly storage?: string
  readonly json: boolean
  readonly quiet: boolean
  readonly help: boolean
  readonly version: boolean
  /** The arguments, with global flags that preceded the verb moved behind it. */
  readonly argv: readonly string[]
}

const VALUED = ['--config', '-c', '--project', '--storage']
/** In `ingest` the configuration is the positional argument, and `-c` the clone directory (surface, section 3). */
const INGEST_VALUED = [
  '-o',
  '--output-dir',
  '--clone-dir',
  '--embedding-strategy',
  '--input',
  '--repositories',
]
const SWITCHES = ['--json', '-q', '--quiet', '--help', '-h', '--version', '-V']

/** Reads the global flags and the words of the verb from `argv` (without node and script); refuses nothing. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { leading, words, rest } = splitLeading(argv)
  const moved = [...words, ...leading, ...rest]
  const flags = beforeDashes(moved)
  const config =
    words[0] === 'ingest'
      ? (valueIn(flags, ['--config']) ?? bareWordIn(moved.slice(1)))
      : valueIn(flags, ['--config', '-c'])
  const project = valueIn(flags, ['--project'])
  const storage = valueIn(flags, ['--storage'])
  const has = (...names: string[]): boolean => flags.some((flag) => names.includes(flag))
  return {
    words,
    ...(config !== undefined && { config }),
    ...(project !== undefined && { project }),
    ...(storage !== undefined && { storage }),
    json: has('--json'),
    quiet: has('-q', '--quiet'),
    help: has('--help', '-h'),
    version: words.length === 0 && has('--version', '-V'),
    argv: moved,
  }
}

function splitLeading(argv: readonly string[]): { leading: string[]; words: string[]; rest: string[] } {
  const leading: string[] = []
  let at = 0
  for (; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (!isGlobal(word)) break
    leading.push(word)
    if (VALUED.includes(word)) leading.push(argv[++at] ?? '')
  }
  let end = at
  while (end < argv.length && !(argv[end] ?? '').startsWith('-')) end++
  return { leading, words: argv.slice(at, end), rest: argv.slice(end) }
}

function isGlobal(word: string): boolean {
  return (
    VALUED.includes(word) ||
    SWITCHES.includes(word) ||
    VALUED.some((name) => name.startsWith('--') && word.startsWith(`${name}=`))
  )
}

/** The value typed for a flag, at any position before `--`. */
export function typedValueOf(argv: readonly string[], flag: string): string | undefined {
  return valueIn(beforeDashes(argv), [flag])
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

/** The first word that is neither a flag nor the value of one. */
function bareWordIn(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') return argv[at + 1]
    if (!word.startsWith('-')) return word
    if (VALUED.includes(word) || INGEST_VALUED.includes(word)) at++
  }
  return undefined
}

function valueIn(argv: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, word] of argv.entries()) {
    if (names.includes(word)) return argv[index + 1]
    const inline = names.find((name) => name.startsWith('--') && word.startsWith(`${name}=`))
    if (inline) return word.slice(inline.length + 1)
  }
  return undefined
}
