/**
 * What a value in a configuration says of its origin, where no setup is known to have written it. `plain`: what a setup
 * writes; `changed`: it runs satchel in another way; `foreign`: another program.
 */
export type Origin = 'plain' | 'changed' | 'foreign'

/** The words of a program that a client starts. */
interface Started {
  readonly command: string
  readonly args: readonly string[]
}

const SERVE = 'mcp'
/** Members that a setup writes, in any shape of an entry. */
const USUAL: ReadonlySet<string> = new Set(['type', 'name', 'command', 'args', 'enabled'])

/** The origin of an entry with these members that starts this program. */
export function originOf(server: Started, members: readonly string[]): Origin {
  const { program } = partsOf(server)
  if (!program.some(isSatchel)) return 'foreign'
  return isPlain(program) && members.every((name) => USUAL.has(name)) ? 'plain' : 'changed'
}

/** The flags with which an entry starts satchel; none where it starts another program. */
export function flagsOf(server: Started): readonly string[] {
  const { program, flags } = partsOf(server)
  return program.some(isSatchel) ? flags : []
}

/** The words of the program, and those after `mcp`; neither where it is not there. */
function partsOf({ command, args }: Started) {
  const words = [command, ...args]
  const at = words.indexOf(SERVE)
  return at === -1 ? { program: [], flags: [] } : { program: words.slice(0, at), flags: words.slice(at + 1) }
}

/** The origin of a line of a shell that ends with these words of satchel, such as a hook. */
export function originOfLine(line: string, ending: string): Origin {
  const before = line.endsWith(ending) ? line.slice(0, -ending.length).trim() : ''
  const words = wordsOf(before)
  if (words && isPlain(words)) return 'plain'
  return before.split(/[\s'"]+/).some(isSatchel) ? 'changed' : 'foreign'
}

/** Text in quotes, a character behind a backslash, or what a shell takes as it is. */
const PIECE = /'([^']*)'|"([^"$`]*)"|\\(.)|([^\s'"\\;|&$`<>()]+)/y

/** The words of a line; undefined for one in which the shell does more than start a program. */
function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = []
  for (let at = 0; at < line.length; ) {
    if (/\s/.test(line.charAt(at))) at += 1
    else {
      let word = ''
      while (at < line.length && !/\s/.test(line.charAt(at))) {
        PIECE.lastIndex = at
        const piece = PIECE.exec(line)
        if (!piece) return undefined
        word += piece[1] ?? piece[2] ?? piece[3] ?? piece[4] ?? ''
        at = PIECE.lastIndex
      }
      words.push(word)
    }
  }
  return words
}

/** Whether a setup writes this program: the name of satchel, or Node and its file. */
function isPlain([first = '', second, ...more]: readonly string[]): boolean {
  if (more.length > 0) return false
  return second === undefined ? isSatchel(first) : /^node(\.exe)?$/i.test(nameOf(first)) && isSatchel(second)
}

function isSatchel(word: string): boolean {
  return /^satchel(\.(js|cmd|exe))?$/i.test(nameOf(word))
}

/** The last part of a path of any system. */
function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? ''
}
