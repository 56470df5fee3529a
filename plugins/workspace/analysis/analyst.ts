import { nextTurn } from '../../../server/plugin.ts'
import type { Analysis } from '../domain/analysis.ts'
import type { TextDiff } from '../domain/difference.ts'
import type { Edited } from '../domain/edit.ts'
import type { Merge } from '../domain/merge.ts'
import { type Outline, type PackedOutline, unpackOutline } from '../domain/outline.ts'
import type { FoundLine } from '../domain/search.ts'
import { answerHere, type Kind, type Question } from './questions.ts'
import { createTextThread, type TextThread } from './text-thread.ts'

/**
 * Answers questions about the room's texts without holding up its writer: short texts here, others in a thread, each
 * answer kept for the next caller. The rules are synchronous, because a transaction is: where one needs an answer that
 * is not known yet, `Unanswered` ends it, and it runs again with the answer.
 */
export interface Analyst {
  /** For one attempt: knows also `found`. Throws `Unanswered`. */
  knowing(found: readonly Found[]): Analysis
  /** The markup of a document for the page, as JSON in UTF-8. */
  page(text: string): Promise<Uint8Array>
  end(): Promise<void>
}

/** The rules asked for what is being worked out. */
export class Unanswered extends Error {
  readonly found: Promise<Found>

  constructor(found: Promise<Found>) {
    super('The answer is being worked out; the transaction runs again with it.')
    this.found = found
  }
}

/** A question with its answer. */
export interface Found {
  readonly question: Question
  readonly answer: unknown
}

/** Texts together at most this long, with at most this many lines, are analyzed in this thread: it takes milliseconds. */
const SHORT_CHARS = 16 * 1024
const SHORT_LINES = 400
/** The most that answers and their questions may keep in memory, counted in characters. */
const KEPT_CHARS = 16 * 1024 * 1024
const SECTION_CHARS = 64

/** Comparisons take up to a second, outlines of 4 MiB up to three; more is a machine under load. */
const RULES = { limitMs: 30_000, maxMegabytes: 512 }
/** What renders longer is shown as plain text. */
const PAGE = { limitMs: 60_000, maxMegabytes: 256 }

/** Starts without threads. Its creator ends it. */
export function createAnalyst(createThread: typeof createTextThread = createTextThread): Analyst {
  const rules = createThread(RULES)
  const page = createThread(PAGE)
  const kept = createKept()
  const asked = new Map<Question, Promise<Found>>()
  /** What the rules wait for. */
  const ruled = new Set<Promise<unknown>>()

  const ask = (thread: TextThread, question: Question): Promise<Found> => {
    const before = [...asked].find(([other]) => isSame(other, question))
    if (before) return before[1]
    const found = thread.ask(question).then((answer) => kept.add(question, ready(question.kind, answer)))
    asked.set(question, found)
    found.catch(() => undefined).finally(() => asked.delete(question))
    return found
  }
  const askForRules = (question: Question): Promise<Found> => {
    const found = ask(rules, question)
    const settled = found.catch(() => undefined).finally(() => ruled.delete(settled))
    ruled.add(settled)
    return found
  }
  /**
   * The rules' questions that are there, or come with this one, go before the page's: several threads at work would leave
   * no processor to the one that answers. Later ones are not waited for, so the page gets its turn.
   */
  const rulesFirst = async (): Promise<void> => {
    await nextTurn()
    await Promise.all(ruled)
  }
  const find = (question: Question, found: readonly Found[]): Found | undefined =>
    found.find((one) => isSame(one.question, question)) ?? kept.find(question)

  return {
    knowing(found) {
      const answer = <T>(question: Question): T => {
        const known = find(question, found)
        if (known) return known.answer as T // of the same kind of question
        if (!isShort(question.texts)) throw new Unanswered(askForRules(question))
        return kept.add(question, ready(question.kind, answerHere(question))).answer as T
      }
      return {
        outline: (text) => answer<Outline>({ kind: 'outline', texts: [text], limit: 0 }),
        difference: (before, after, maxBytes) =>
          answer<TextDiff>({ kind: 'difference', texts: [before, after], limit: maxBytes }),
        edited: (text, edits) => {
          const texts = [text, ...edits.flatMap((edit) => [edit.old, edit.new])]
          return answer<Edited>({ kind: 'edited', texts, limit: 0 })
        },
        lines: (text, query, limit) =>
          answer<readonly FoundLine[]>({ kind: 'lines', texts: [text, query], limit }),
        patched: (...texts) => answer<Edited>({ kind: 'patched', texts, limit: 0 }),
        merge: (...texts) => answer<Merge>({ kind: 'merge', texts, limit: 0 }),
      }
    },
    async page(text) {
      const question: Question = { kind: 'page', texts: [text], limit: 0 }
      if (!find(question, [])) await rulesFirst()
      const { answer } = find(question, []) ?? (await ask(page, question))
      return answer as Uint8Array // as `pageMarkup` gives it
    },
    async end() {
      await Promise.all([rules.end(), page.end()])
    },
  }
}

/** An answer as the rules use it. */
function ready(kind: Kind, answer: unknown): unknown {
  return kind === 'outline' ? unpackOutline(answer as PackedOutline) : answer
}

interface Kept {
  add(question: Question, answer: unknown): Found
  find(question: Question): Found | undefined
}

/** The newest answers within the limit, the last used first. */
function createKept(): Kept {
  let kept: readonly Found[] = []
  return {
    add(question, answer) {
      const found = { question, answer }
      let chars = 0
      kept = [found, ...kept].filter((one, index) => {
        chars += sizeOf(one)
        return index === 0 || chars <= KEPT_CHARS
      })
      return found
    },
    find(question) {
      const found = kept.find((one) => isSame(one.question, question))
      if (found && kept[0] !== found) kept = [found, ...kept.filter((one) => one !== found)]
      return found
    },
  }
}

function sizeOf({ question, answer }: Found): number {
  const asked = question.texts.reduce((sum, text) => sum + text.length, 0)
  if (question.kind === 'outline') return asked + (answer as Outline).size * SECTION_CHARS
  return answer instanceof Uint8Array ? asked + answer.length : 2 * asked
}

function isSame(a: Question, b: Question): boolean {
  return (
    a.kind === b.kind &&
    a.limit === b.limit &&
    a.texts.length === b.texts.length &&
    a.texts.every((text, index) => text === b.texts[index])
  )
}

function isShort(texts: readonly string[]): boolean {
  let lines = 0
  if (texts.reduce((sum, text) => sum + text.length, 0) > SHORT_CHARS) return false
  for (const text of texts) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  }
  return lines <= SHORT_LINES
}

/** Runs `attempt` until it has every answer that it asks for. It must not have changed anything when it fails. */
export async function analyzed<T>(analyst: Analyst, attempt: (analysis: Analysis) => Promise<T>): Promise<T> {
  const found: Found[] = []
  for (;;) {
    try {
      return await attempt(analyst.knowing(found))
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown
      found.push(await thrown.found)
      await nextTurn() // others wait for the same answer: together they would hold up every other call
    }
  }
}
