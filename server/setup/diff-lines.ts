/** Characters of a long line that are shown beside a change in it. */
const BESIDE = 40
const MAX_CONTEXT_CHARS = 160

/**
 * The lines of a unified diff as a person reads them: every change whole, and of a long line only what is beside the change,
 * because some programs keep their whole configuration in one line.
 */
export function readableDiff(lines: readonly string[]): readonly string[] {
  const shown: string[] = []
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, /^-(?!--)/)
    const added = runOf(lines, at + removed.length, /^\+(?!\+\+)/)
    at += removed.length + added.length
    shown.push(...changed(removed, added))
    if (removed.length + added.length > 0) continue
    shown.push(cut(lines[at] ?? ''))
    at += 1
  }
  return shown
}

function runOf(lines: readonly string[], from: number, like: RegExp): readonly string[] {
  const end = lines.findIndex((line, at) => at >= from && !like.test(line))
  return lines.slice(from, end === -1 ? lines.length : end)
}

function changed(removed: readonly string[], added: readonly string[]): readonly string[] {
  const [before, after] = [removed, added].map((run) => run.map((line) => line.slice(1)).join('\n')) as [
    string,
    string,
  ]
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const rows = (text: string, mark: string): readonly string[] => {
    const start = head > BESIDE ? `… ${text.slice(head - BESIDE, head)}` : text.slice(0, head)
    const rest = text.slice(text.length - tail)
    const end = tail > BESIDE ? `${rest.slice(0, BESIDE)} …` : rest
    return `${start}${text.slice(head, text.length - tail)}${end}`.split('\n').map((row) => mark + row)
  }
  return [...(removed.length > 0 ? rows(before, '-') : []), ...(added.length > 0 ? rows(after, '+') : [])]
}

function cut(line: string): string {
  return line.length <= MAX_CONTEXT_CHARS ? line : `${line.slice(0, MAX_CONTEXT_CHARS)} …`
}
